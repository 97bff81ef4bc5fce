#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "matter/io/lammps.hpp"
#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr int64_t kMostTypes = 10'000;

// Where the columns of a line of the section Atoms are, for the styles whose files can be read.
struct Style {
  std::string_view name;
  size_t columns;  // without image flags
  int charge;      // column of the charge; -1: none
  size_t x;
  size_t type;
};
constexpr Style kStyles[] = {
    {"atomic", 5, -1, 2, 1},
    {"charge", 6, 2, 3, 1},
    {"molecular", 6, -1, 3, 2},
    {"full", 7, 3, 4, 2},
};

struct Atom {
  int64_t id = 0, type = 0;
  double charge = 0;
  Vec3 position;
};

// Words before a comment, and the comment.
std::pair<std::vector<std::string_view>, std::string_view> split_comment(std::string_view line) {
  const size_t hash = line.find('#');
  if (hash == std::string_view::npos) return {words_of(line), {}};
  return {words_of(line.substr(0, hash)), trim(line.substr(hash + 1))};
}

class LammpsDataReader : public FrameReader {
 public:
  LammpsDataReader(Lines lines, const ReadOptions& options) : lines_(std::move(lines)), options_(options) {}

  Result<std::optional<Structure>> next() override {
    if (done_) return std::optional<Structure>();
    done_ = true;
    const std::string first(TRY(lines_.need("a comment")));
    structure_.name = std::string(trim(first));
    std::string unit = options_.units;
    const size_t units = first.find("units = ");
    if (unit.empty() && units != std::string::npos) {
      const auto words = words_of(std::string_view(first).substr(units + 8));
      if (!words.empty()) unit = std::string(words[0].substr(0, words[0].find(',')));
    }
    units_ = TRY(lammps_units(unit.empty() ? "metal" : unit, lines_.where()));
    while (true) {
      const auto line = TRY(lines_.next());
      if (!line) break;
      const auto [words, comment] = split_comment(*line);
      if (words.empty()) continue;
      if (number_of(words[0])) {
        TRY(read_header(words));
      } else {
        const std::string section(words[0]), hint(comment);
        const bool two = words.size() > 1;
        TRY(read_section(section, two, hint));
      }
    }
    TRY(finish());
    return std::optional(std::move(structure_));
  }

 private:
  Status read_header(const std::vector<std::string_view>& words) {
    auto at = [&](size_t i) { return i < words.size() ? words[i] : std::string_view(); };
    if (at(1) == "atoms") {
      const auto count = integer_of(words[0]);
      if (!count || *count <= 0 || *count > 100'000'000) return lines_.error("the number of atoms should stand here");
      atoms_ = static_cast<size_t>(*count);
    } else if (at(1) == "atom" && at(2) == "types") {
      const auto count = integer_of(words[0]);
      if (!count || *count <= 0 || *count > kMostTypes)
        return lines_.error("the number of atom types should stand here");
      types_ = static_cast<size_t>(*count);
    } else if (at(3) == "xy" && at(4) == "xz" && at(5) == "yz") {
      tilt_ = TRY(numbers_from(lines_, words, 0, 3, "the tilts"));
    } else {
      for (size_t k = 0; k < 3; ++k) {
        const std::string axis(1, "xyz"[k]);
        if (at(2) != axis + "lo" || at(3) != axis + "hi") continue;
        const std::vector<double> bounds = TRY(numbers_from(lines_, words, 0, 2, "the bounds of the box"));
        low_[k] = bounds[0];
        high_[k] = bounds[1];
        ++bounds_;
      }
      if (at(3) == "avec" || at(3) == "bvec" || at(3) == "cvec")
        return Error{ErrorKind::unsupported, "a box by avec, bvec and cvec is not read", lines_.where(),
                     "write it with xlo xhi and xy xz yz"};
    }
    return {};
  }

  // A section ends where a line begins with no number.
  Status read_section(const std::string& section, bool two, const std::string& hint) {
    const bool labels = section == "Atom" && two;  // Atom Type Labels
    const bool known = section == "Masses" || section == "Atoms" || section == "Velocities" || labels;
    if (section == "Atoms" && !two) TRY(choose_style(hint));
    size_t rows = 0;
    while (true) {
      const auto line = TRY(lines_.next());
      if (!line) break;
      const auto [words, comment] = split_comment(*line);
      if (words.empty()) continue;
      if (!number_of(words[0])) {
        lines_.back();
        break;
      }
      if (!known) continue;
      ++rows;
      if (section == "Masses") TRY(read_mass(words, comment));
      if (section == "Atoms") TRY(read_atom(words));
      if (section == "Velocities") TRY(read_velocity(words));
      if (labels) TRY(read_label(words));
    }
    if (section == "Atoms" && rows != atoms_)
      return lines_.error(fmt::format("the section Atoms has {} lines, and the header says {} atoms", rows, atoms_),
                          "is the file whole?");
    return {};
  }

  Status choose_style(const std::string& hint) {
    const auto words = words_of(hint);
    if (words.empty()) return {};
    for (const Style& style : kStyles)
      if (style.name == words[0]) {
        style_ = &style;
        return {};
      }
    return Error{ErrorKind::unsupported, fmt::format("the atom style {} is not read", words[0]), lines_.where(),
                 "atomic, charge, molecular and full are"};
  }

  Result<int64_t> type_of(std::string_view word) const {
    if (const auto label = labels_.find(std::string(word)); label != labels_.end()) return label->second;
    const auto type = integer_of(word);
    if (!type || *type < 1 || static_cast<size_t>(*type) > types_)
      return lines_.error(fmt::format("{} is no atom type: the header says {}", word.substr(0, 40), types_));
    return *type;
  }

  Status read_label(const std::vector<std::string_view>& words) {
    if (words.size() < 2) return lines_.error("a type and its label should stand here");
    const int64_t type = TRY(type_of(words[0]));
    labels_[std::string(words[1])] = type;
    if (const auto element = element_by_label(words[1])) named_[type] = *element;
    return {};
  }

  Status read_mass(const std::vector<std::string_view>& words, std::string_view comment) {
    if (words.size() < 2) return lines_.error("a type and its mass should stand here");
    const int64_t type = TRY(type_of(words[0]));
    const std::vector<double> mass = TRY(numbers_from(lines_, words, 1, 1, "a mass"));
    const auto remark = words_of(comment);
    const auto element = remark.empty() ? std::nullopt : element_by_symbol(remark[0]);
    if (element && !named_.contains(type)) named_[type] = *element;
    if (const auto by_mass = element_by_mass(mass[0])) weighed_[type] = *by_mass;
    return {};
  }

  Status read_atom(const std::vector<std::string_view>& words) {
    if (!style_) {  // by the number of columns, where only one style has so many
      const size_t columns = words.size() >= 8 ? words.size() - 3 : words.size();
      for (const Style& style : kStyles)
        if (style.columns == columns && columns != 6) style_ = &style;
      if (!style_)
        return lines_.error("the atom style can't be told from the columns",
                            "write `Atoms # charge` or the style it is");
    }
    if (words.size() < style_->columns)
      return lines_.error(fmt::format("an atom of style {} has {} columns, and {} stand here", style_->name,
                                      style_->columns, words.size()));
    Atom atom;
    const auto id = integer_of(words[0]);
    if (!id) return lines_.error("an atom should begin with its id");
    atom.id = *id;
    atom.type = TRY(type_of(words[style_->type]));
    if (style_->charge >= 0) {
      const auto charge = TRY(numbers_from(lines_, words, static_cast<size_t>(style_->charge), 1, "a charge"));
      atom.charge = charge[0];
    }
    atom.position = TRY(vector_from(lines_, words, style_->x, "a position")) - low_;
    if (words.size() >= style_->columns + 3) {
      const Vec3 images = TRY(vector_from(lines_, words, style_->columns, "image flags"));
      atom.position += images * cell();
    }
    read_.push_back(atom);
    return {};
  }

  Status read_velocity(const std::vector<std::string_view>& words) {
    const auto id = integer_of(words[0]);
    if (!id) return lines_.error("a velocity should begin with the atom's id");
    velocities_[*id] = TRY(vector_from(lines_, words, 1, "a velocity")) * units_.velocity;
    return {};
  }

  Mat3 cell() const {
    const Vec3 edge = high_ - low_;
    return {{Vec3{edge.x, 0, 0}, Vec3{tilt_[0], edge.y, 0}, Vec3{tilt_[1], tilt_[2], edge.z}}};
  }

  Status finish() {
    if (read_.empty())
      return Error{ErrorKind::bad_input, "the file has no section Atoms", lines_.name(), "is it whole?"};
    if (bounds_ != 3)
      return Error{ErrorKind::bad_input, "the header lacks the bounds of the box", lines_.name(),
                   "give xlo xhi, ylo yhi, zlo zhi"};
    structure_.cell = cell();
    std::sort(read_.begin(), read_.end(), [](const Atom& a, const Atom& b) { return a.id < b.id; });
    for (size_t i = 1; i < read_.size(); ++i)
      if (read_[i].id == read_[i - 1].id)
        return Error{ErrorKind::bad_input, fmt::format("the atom {} stands twice", read_[i].id), lines_.name(),
                     "mend the file"};
    for (const Atom& atom : read_) {
      structure_.numbers.push_back(TRY(element_of(atom.type)));
      structure_.positions.push_back(atom.position);
      if (style_->charge >= 0) structure_.charges.push_back(atom.charge);
      if (velocities_.empty()) continue;
      const auto velocity = velocities_.find(atom.id);
      if (velocity == velocities_.end())
        return Error{ErrorKind::bad_input, fmt::format("atom {} has no velocity and others have", atom.id),
                     lines_.name(), "is the file whole?"};
      structure_.velocities.push_back(velocity->second);
    }
    return check(structure_, lines_.name());
  }

  Result<int> element_of(int64_t type) const {
    if (const auto named = named_.find(type); named != named_.end()) return named->second;
    if (static_cast<size_t>(type) <= options_.types.size()) return options_.types[static_cast<size_t>(type - 1)];
    if (const auto weighed = weighed_.find(type); weighed != weighed_.end()) return weighed->second;
    return Error{ErrorKind::bad_input, fmt::format("nothing says which element type {} is", type), lines_.name(),
                 "give the elements of types 1, 2, … by --types Li,P,S"};
  }

  Lines lines_;
  ReadOptions options_;
  Structure structure_;
  LammpsUnits units_;
  const Style* style_ = nullptr;
  std::vector<Atom> read_;
  std::map<int64_t, Vec3> velocities_;
  std::map<std::string, int64_t> labels_;
  std::map<int64_t, int> named_, weighed_;
  std::vector<double> tilt_ = {0, 0, 0};
  Vec3 low_, high_;
  size_t atoms_ = 0, types_ = 0;
  int bounds_ = 0;
  bool done_ = false;
};

}  // namespace

Result<LammpsUnits> lammps_units(std::string_view name, const std::string& where) {
  if (name == "metal") return LammpsUnits{1e-3, 1, 1e3};
  if (name == "real") return LammpsUnits{1, kKilocaloriePerMole, 1};
  return Error{ErrorKind::unsupported, fmt::format("LAMMPS's units {} are not read", name), where,
               "metal and real are: convert the file, or say --units"};
}

std::unique_ptr<FrameReader> read_lammps_data(Lines lines, const ReadOptions& options) {
  return std::make_unique<LammpsDataReader>(std::move(lines), options);
}

}  // namespace tqm::matter
