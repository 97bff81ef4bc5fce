#include "matter/io/poscar.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

struct Head {
  std::string name;
  Mat3 cell;
  Vec3 scale;  // of Cartesian positions
  std::vector<int> numbers;
};

// One factor for all, three for x, y and z, or a negative one: the cell's volume.
Result<Vec3> read_scale(const Lines& lines, std::string_view line) {
  const auto words = words_of(line);
  const auto first = words.empty() ? std::nullopt : number_of(words[0]);
  if (!first || *first == 0) return lines.error("the second line should be the scale: a number that is not zero");
  if (words.size() >= 3) {
    const auto second = number_of(words[1]), third = number_of(words[2]);
    if (second && third) {
      if (!(*first > 0 && *second > 0 && *third > 0)) return lines.error("three scale factors must be positive");
      return Vec3{*first, *second, *third};
    }
  }
  return Vec3{*first, *first, *first};
}

// Species of the words of a line, by the beginnings of labels ("Li_sv", "Fe/2a9c").
std::optional<std::vector<int>> species_of(const std::vector<std::string_view>& words, bool exactly) {
  std::vector<int> species;
  for (std::string_view word : words) {
    const auto number = exactly ? element_by_symbol(word) : element_by_label(word);
    if (!number) return {};
    species.push_back(*number);
  }
  return species;
}

Result<std::vector<int>> read_species_and_counts(Lines& lines, const std::string& name) {
  std::vector<std::string_view> words = words_of(TRY(lines.need("species or counts of atoms")));
  if (words.empty()) return lines.error("species or counts of atoms should stand here");
  std::vector<int> species;
  if (!integer_of(words[0])) {
    const auto found = species_of(words, false);
    if (!found) return lines.error("the species line names something that is no element");
    species = *found;
    words = words_of(TRY(lines.need("counts of atoms")));
  } else {  // VASP 4
    size_t counts = 0;
    while (counts < words.size() && integer_of(words[counts])) ++counts;
    std::vector<std::string_view> named = words_of(name);
    named.resize(std::min(named.size(), counts));
    const auto found = species_of(named, true);
    if (!found || found->size() != counts)
      return lines.error(
          "this is VASP 4's form, without a line of species, and the first line does not name them either",
          "put a line with the species, such as `Li P S`, above the counts");
    species = *found;
  }
  std::vector<int> numbers;
  for (size_t i = 0; i < species.size(); ++i) {
    const auto count = i < words.size() ? integer_of(words[i]) : std::nullopt;
    if (!count || *count < 0 || *count > 100'000'000 || numbers.size() + static_cast<size_t>(*count) > 100'000'000)
      return lines.error(fmt::format("{} species are named, and here should stand as many counts", species.size()));
    numbers.insert(numbers.end(), static_cast<size_t>(*count), species[i]);
  }
  if (words.size() > species.size() && integer_of(words[species.size()]))
    return lines.error(fmt::format("there are more counts than the {} species", species.size()));
  if (numbers.empty()) return lines.error("there are no atoms");
  return numbers;
}

Result<Head> read_head(Lines& lines) {
  Head head;
  head.name = std::string(trim(TRY(lines.need("a comment"))));
  const std::string_view scale = TRY(lines.need("the scale"));
  head.scale = TRY(read_scale(lines, scale));
  for (size_t i = 0; i < 3; ++i) head.cell[i] = TRY(need_vector(lines, "a lattice vector"));
  if (head.scale.x < 0) {
    const double now = std::abs(determinant(head.cell));
    const double factor = std::cbrt(-head.scale.x / now);
    if (!(now > 0) || !std::isfinite(factor)) return lines.error("the lattice vectors span no volume");
    head.scale = {factor, factor, factor};
  }
  for (Vec3& row : head.cell.rows)
    for (size_t k = 0; k < 3; ++k) row[k] *= head.scale[k];
  head.numbers = TRY(read_species_and_counts(lines, head.name));
  return head;
}

bool starts_with_any(std::string_view line, std::string_view letters) {
  line = trim(line);
  return !line.empty() && letters.find(line[0]) != std::string_view::npos;
}

Result<bool> flag_of(const Lines& lines, std::string_view word) {
  const std::string_view letter = word.starts_with('.') ? word.substr(1) : word;
  if (starts_with_any(letter, "Tt")) return true;
  if (starts_with_any(letter, "Ff")) return false;
  return lines.error("selective dynamics: each line of positions ends with three flags, T or F");
}

class PoscarReader : public FrameReader {
 public:
  explicit PoscarReader(Lines lines) : lines_(std::move(lines)) {}

  Result<std::optional<Structure>> next() override {
    if (done_) return std::optional<Structure>();
    done_ = true;
    Head head = TRY(read_head(lines_));
    Structure s;
    s.name = std::move(head.name);
    s.cell = head.cell;
    s.numbers = std::move(head.numbers);
    std::string_view line = TRY(lines_.need("`Direct` or `Cartesian`"));
    const bool selective = starts_with_any(line, "Ss");
    if (selective) line = TRY(lines_.need("`Direct` or `Cartesian`"));
    const bool cartesian = starts_with_any(line, "CcKk");
    for (size_t i = 0; i < s.size(); ++i) {
      const auto words = words_of(TRY(lines_.need(fmt::format("the position of atom {} of {}", i + 1, s.size()))));
      Vec3 at = TRY(vector_from(lines_, words, 0, "a position"));
      for (size_t k = 0; cartesian && k < 3; ++k) at[k] *= head.scale[k];
      s.positions.push_back(cartesian ? at : at * s.cell);
      if (!selective) continue;
      if (words.size() < 6) return lines_.error("selective dynamics: three flags, T or F, should follow the position");
      std::array<bool, 3> movable;
      for (size_t k = 0; k < 3; ++k) movable[k] = TRY(flag_of(lines_, words[3 + k]));
      s.movable.push_back(movable);
    }
    TRY(read_velocities(s));
    TRY(check(s, lines_.name()));
    return std::optional(std::move(s));
  }

 private:
  // After the positions: perhaps the lattice's velocities, perhaps the atoms'. An empty line or C, c, K, k stands
  // before Cartesian ones.
  Status read_velocities(Structure& s) {
    std::optional<std::string_view> line = TRY(lines_.next());
    if (line && holds(*line, "lattice velocities")) {
      for (int i = 0; i < 7; ++i)
        if (!TRY(lines_.next())) return {};
      line = TRY(lines_.next());
    }
    if (!line) return {};
    const bool cartesian = trim(*line).empty() || starts_with_any(*line, "CcKk");
    if (!cartesian && !starts_with_any(*line, "Dd")) return {};
    std::vector<Vec3> velocities;
    for (size_t i = 0; i < s.size(); ++i) {
      line = TRY(lines_.next());
      if (!line || (i == 0 && trim(*line).empty())) {
        if (i == 0) return {};
        return lines_.error(fmt::format("the velocities end after {} of {} atoms", i, s.size()));
      }
      const auto words = words_of(*line);
      if (i == 0 && words.size() < 3) return {};
      velocities.push_back(TRY(vector_from(lines_, words, 0, "a velocity")));
    }
    if (!cartesian)
      return Error{ErrorKind::unsupported, "velocities in lattice vectors a time step, whose length is not in the file",
                   lines_.where(), "give them in Å/fs under an empty line, or leave them out"};
    s.velocities = std::move(velocities);
    return {};
  }

  Lines lines_;
  bool done_ = false;
};

class XdatcarReader : public FrameReader {
 public:
  explicit XdatcarReader(Lines lines) : lines_(std::move(lines)) {}

  Result<std::optional<Structure>> next() override {
    const auto line = TRY(lines_.next());
    if (!line || (have_head_ && trim(*line).empty())) return std::optional<Structure>();
    std::string step;
    if (!have_head_ || !holds(*line, "configuration")) {
      lines_.back();
      head_ = TRY(read_head(lines_));
      have_head_ = true;
      step = std::string(TRY(lines_.need("`Direct configuration=`")));
    } else {
      step = std::string(*line);
    }
    if (!holds(step, "configuration"))
      return lines_.error("`Direct configuration=` should stand here", "is this a POSCAR? Then say --from poscar");
    Structure s;
    s.name = head_.name;
    s.cell = head_.cell;
    s.numbers = head_.numbers;
    const size_t equals = step.find('=');
    if (equals != std::string::npos) s.notes["step"] = std::string(trim(std::string_view(step).substr(equals + 1)));
    for (size_t i = 0; i < s.size(); ++i) s.positions.push_back(TRY(need_vector(lines_, "a position")) * s.cell);
    TRY(check(s, lines_.where()));
    return std::optional(std::move(s));
  }

 private:
  Lines lines_;
  Head head_;
  bool have_head_ = false;
};

}  // namespace

std::unique_ptr<FrameReader> read_poscar(Lines lines, const ReadOptions&) {
  return std::make_unique<PoscarReader>(std::move(lines));
}

std::unique_ptr<FrameReader> read_xdatcar(Lines lines, const ReadOptions&) {
  return std::make_unique<XdatcarReader>(std::move(lines));
}

}  // namespace tqm::matter
