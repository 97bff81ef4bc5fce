#include "matter/io/cif.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "matter/io/cif_syntax.hpp"
#include "matter/io/symmetry_operator.hpp"
#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr size_t kMostBytes = size_t{256} << 20;
constexpr size_t kMostAtoms = 1'000'000;
constexpr size_t kMostPartial = 30'000;
constexpr double kOneSite = 0.01;                             // Å: rows as near as this share a site
constexpr double kRounding = 1.02;                            // occupancies up to here are 1, rounded
constexpr double kDistances[] = {0.05, 0.01, 0.1, 0.2, 0.4};  // Å: images as near are one atom, the first that fits

// The values of the first tag that is there, in a loop or alone; empty where none is.
std::vector<std::string> values_of(const CifBlock& block, std::initializer_list<const char*> tags) {
  for (std::string tag : tags) {
    for (char& c : tag)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const auto found = block.values.find(tag);
    if (found != block.values.end() && !found->second.empty()) return found->second;
  }
  return {};
}

std::string value_of(const CifBlock& block, std::initializer_list<const char*> tags) {
  const std::vector<std::string> values = values_of(block, tags);
  return values.empty() ? "" : values[0];
}

// "5.6402(3)": the bracket is the standard uncertainty of the last digits.
std::optional<double> number_with_su(std::string_view text) {
  const size_t bracket = text.find('(');
  if (bracket != std::string_view::npos) {
    if (!text.ends_with(')')) return {};
    text = text.substr(0, bracket);
  }
  return number_of(text);
}

// "Li", "Li1+", "O2-", "Fe+3": an element, and a charge where one stands there. None for "Wat" or "OH".
struct TypeSymbol {
  int element = 0;
  std::optional<double> charge;
};
std::optional<TypeSymbol> type_symbol_of(std::string_view text) {
  size_t letters = 0;
  while (letters < text.size() && std::isalpha(static_cast<unsigned char>(text[letters]))) ++letters;
  const auto element = element_by_symbol(text.substr(0, letters));
  if (!element) return {};
  TypeSymbol type{*element, {}};
  std::string digits;
  double sign = 0;
  for (char c : text.substr(letters)) {
    if (c == '+' || c == '-') sign = c == '+' ? 1 : -1;
    if ((c >= '0' && c <= '9') || c == '.') digits += c;
  }
  if (sign != 0) type.charge = sign * (digits.empty() ? 1.0 : number_of(digits).value_or(1));
  return type;
}

struct Site {
  std::string label;
  TypeSymbol type;
  Vec3 fraction;
  double occupancy = 1;
  std::optional<int64_t> multiplicity;
};

class Block {
 public:
  Block(const CifBlock& block, std::string file) : block_(block), where_(std::move(file) + ", data_" + block.name) {}

  bool has_sites() { return !values_of(block_, {"_atom_site_fract_x", "_atom_site.fract_x"}).empty(); }

  Result<Structure> read() {
    structure_.name = block_.name;
    structure_.cell = TRY(read_cell());
    TRY(read_operators());
    TRY(read_sites());
    for (const Site& site : sites_) TRY(expand(site));
    TRY(sum_occupancies());
    keep_note("formula_sum", value_of(block_, {"_chemical_formula_sum"}));
    keep_note("formula_units", value_of(block_, {"_cell_formula_units_Z"}));
    if (std::all_of(structure_.occupancies.begin(), structure_.occupancies.end(), [](double o) { return o == 1; }))
      structure_.occupancies.clear();
    if (structure_.charges.size() != structure_.size()) structure_.charges.clear();
    TRY(check(structure_, where_));
    return std::move(structure_);
  }

 private:
  Error refuse(std::string what, std::string next = "mend the file") const {
    return {ErrorKind::bad_input, std::move(what), where_, std::move(next)};
  }
  void keep_note(const std::string& key, const std::string& value) {
    if (!value.empty()) structure_.notes[key] = value;
  }
  void add_note(const std::string& text) {
    std::string& note = structure_.notes["reader"];
    note += (note.empty() ? "" : "; ") + text;
  }

  Result<Mat3> read_cell() {
    std::array<double, 6> parameters;
    const char* tags[] = {"_cell_length_a",    "_cell_length_b",   "_cell_length_c",
                          "_cell_angle_alpha", "_cell_angle_beta", "_cell_angle_gamma"};
    for (size_t i = 0; i < 6; ++i) {
      const std::string text = value_of(block_, {tags[i]});
      const auto number = number_with_su(text);
      if (!number && i >= 3 && text.empty()) {
        parameters[i] = 90;  // the dictionary's default
        continue;
      }
      if (!number) return refuse(fmt::format("{} is missing or no number", tags[i]));
      parameters[i] = *number;
    }
    return cell_from_parameters(parameters, where_);
  }

  // Operators, not names: a name has several settings.
  Status read_operators() {
    const std::vector<std::string> listed = values_of(
        block_, {"_space_group_symop_operation_xyz", "_symmetry_equiv_pos_as_xyz", "_space_group_symop.operation_xyz"});
    for (const std::string& text : listed) {
      const auto op = symmetry_operator_of(text);
      if (!op) return refuse(fmt::format("{} is no symmetry operator", text.substr(0, 60)));
      operators_.push_back(*op);
    }
    if (operators_.size() > 200)
      return refuse(fmt::format("{} symmetry operators: a group has at most 192", operators_.size()));
    const std::string name = value_of(block_, {"_space_group_name_H-M_alt", "_symmetry_space_group_name_H-M"});
    keep_note("space_group", name);
    if (!operators_.empty()) return {};
    const std::string hall = value_of(block_, {"_space_group_name_Hall", "_symmetry_space_group_name_Hall"});
    if (!hall.empty()) {
      const auto operators = operators_of_hall(hall);
      if (!operators) return refuse(fmt::format("{} is no Hall symbol", hall.substr(0, 60)));
      return add_group(*operators);
    }
    if (name.empty()) {
      add_note("the file names no symmetry: P 1 is taken");
      return add_group(*operators_of_hall("P 1"));
    }
    const double alpha = cell_parameters(structure_.cell)[3], gamma = cell_parameters(structure_.cell)[5];
    const auto group = group_of_name(name, alpha, gamma);
    if (!group) return refuse(fmt::format("the file lists no symmetry operators, and its group {} is not known", name));
    if (group->two_origins)
      return refuse(
          fmt::format("the file lists no symmetry operators, and its group {} has two choices of origin", name),
          "add the operators (_symmetry_equiv_pos_as_xyz) or the Hall symbol");
    add_note("operators are those of the group's name");
    return add_group(group->operators);
  }

  Status add_group(const std::vector<TabledOperator>& group) {
    for (const TabledOperator& each : group) {
      SymmetryOperator op;
      for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) op.rotation[i][j] = static_cast<double>(each.rotation[i][j]) / kTabledUnit;
        op.translation[i] = static_cast<double>(each.translation[i]) / kTabledUnit;
      }
      operators_.push_back(op);
    }
    return {};
  }

  Status read_sites() {
    const auto x = values_of(block_, {"_atom_site_fract_x", "_atom_site.fract_x"});
    const auto y = values_of(block_, {"_atom_site_fract_y", "_atom_site.fract_y"});
    const auto z = values_of(block_, {"_atom_site_fract_z", "_atom_site.fract_z"});
    const auto labels = values_of(block_, {"_atom_site_label", "_atom_site.label"});
    const auto types = values_of(block_, {"_atom_site_type_symbol", "_atom_site.type_symbol"});
    const auto occupancies = values_of(block_, {"_atom_site_occupancy", "_atom_site.occupancy"});
    const auto flags = values_of(block_, {"_atom_site_calc_flag"});
    const auto multiplicities =
        values_of(block_, {"_atom_site_symmetry_multiplicity", "_atom_site_site_symmetry_multiplicity"});
    if (y.size() != x.size() || z.size() != x.size())
      return refuse("fract_x, fract_y and fract_z are not equally many");
    for (size_t i = 0; i < x.size(); ++i) {
      Site site;
      site.label = i < labels.size() ? labels[i] : "";
      const std::string named = site.label.empty() ? fmt::format("site {}", i + 1) : "site " + site.label;
      if (i < flags.size() && same_word(flags[i], "dum")) {
        add_note(named + " is a dummy and left out");
        continue;
      }
      const auto fx = number_with_su(x[i]), fy = number_with_su(y[i]), fz = number_with_su(z[i]);
      if (!fx || !fy || !fz) return refuse(named + " has no position", "give it one, or take the site out");
      site.fraction = {*fx, *fy, *fz};
      const std::string type = i < types.size() && !types[i].empty() ? types[i] : "";
      const auto of_label = element_by_label(site.label);
      if (!type.empty()) {
        const auto found = type_symbol_of(type);
        if (!found) return refuse(fmt::format("{} is of type {}, which is no element", named, type.substr(0, 40)));
        site.type = *found;
      } else if (of_label) {
        site.type = {*of_label, {}};
      } else {
        return refuse(named + " tells no element");
      }
      if (i < occupancies.size() && !occupancies[i].empty()) {
        const auto occupancy = number_with_su(occupancies[i]);
        if (!occupancy || *occupancy < 0)
          return refuse(named + fmt::format(" has the occupancy {}", occupancies[i].substr(0, 40)));
        site.occupancy = *occupancy;
      }
      if (site.occupancy == 0) {
        add_note(named + " has the occupancy 0 and is left out");
        continue;
      }
      if (site.occupancy > kRounding)
        return refuse(named + fmt::format(" has the occupancy {}, more than one atom", exact(site.occupancy)),
                      "is it a multiplicity, or a sum? Give the share of the site that the atom fills");
      if (site.occupancy > 1) {
        add_note(named + fmt::format(" has the occupancy {}, taken as 1", exact(site.occupancy)));
        site.occupancy = 1;
      }
      if (i < multiplicities.size()) site.multiplicity = integer_of(multiplicities[i]);
      sites_.push_back(site);
    }
    return {};
  }

  // The images of a site under all operators, those within `near` Å counted once.
  std::vector<Vec3> orbit(const Site& site, double near) const {
    std::vector<Vec3> images = {site.fraction};
    for (const SymmetryOperator& op : operators_) {
      const Vec3 image = op(site.fraction);
      if (std::any_of(images.begin(), images.end(), [&](const Vec3& other) { return distance(image, other) < near; }))
        continue;
      images.push_back({wrapped(image.x), wrapped(image.y), wrapped(image.z)});
    }
    return images;
  }

  double distance(const Vec3& a, const Vec3& b) const {
    Vec3 d = a - b;
    for (size_t k = 0; k < 3; ++k) d[k] -= std::round(d[k]);
    return norm(d * structure_.cell);
  }

  Status expand(const Site& site) {
    std::vector<Vec3> images = orbit(site, kDistances[0]);
    if (site.multiplicity && static_cast<int64_t>(images.size()) != *site.multiplicity) {
      bool found = false;
      for (double near : kDistances) {
        std::vector<Vec3> others = orbit(site, near);
        if (found || static_cast<int64_t>(others.size()) != *site.multiplicity) continue;
        images = std::move(others);
        found = true;
      }
      if (!found)
        add_note(fmt::format("site {} has {} images and a stated multiplicity of {}", site.label, images.size(),
                             *site.multiplicity));
    }
    if (structure_.size() + images.size() > kMostAtoms) return refuse("the cell would hold more than a million atoms");
    for (const Vec3& image : images) {
      structure_.numbers.push_back(site.type.element);
      structure_.positions.push_back(image * structure_.cell);
      structure_.occupancies.push_back(site.occupancy);
      structure_.labels.push_back(site.label);
      fractions_.push_back(image);
      if (site.type.charge) structure_.charges.push_back(*site.type.charge);
    }
    return {};
  }

  // Atoms that share a site fill it to 1 at most.
  Status sum_occupancies() {
    std::vector<size_t> partial;
    for (size_t i = 0; i < structure_.size(); ++i)
      if (structure_.occupancies[i] < 1) partial.push_back(i);
    if (partial.size() > kMostPartial) return refuse("more than 30,000 partly occupied sites");
    const std::vector<double> before = structure_.occupancies;
    std::set<std::string> scaled;
    for (size_t i : partial) {
      double sum = 0;
      for (size_t j : partial)
        if (distance(fractions_[i], fractions_[j]) < kOneSite) sum += before[j];
      if (sum > kRounding)
        return refuse(fmt::format("the occupancies of the site of {} add up to {:.4f}", structure_.labels[i], sum),
                      "they may not be above 1: mend them, or take the double entry out");
      if (sum <= 1 + 1e-9) continue;
      structure_.occupancies[i] = before[i] / sum;
      scaled.insert(structure_.labels[i]);
    }
    for (const std::string& label : scaled)
      add_note("the occupancies of the site of " + label + " are scaled to add up to 1");
    return {};
  }

  const CifBlock& block_;
  std::string where_;
  Structure structure_;
  std::vector<SymmetryOperator> operators_;
  std::vector<Site> sites_;
  std::vector<Vec3> fractions_;
};

class CifReader : public FrameReader {
 public:
  explicit CifReader(Lines lines) : lines_(std::move(lines)) {}

  Result<std::optional<Structure>> next() override {
    if (!read_) {
      read_ = true;
      TRY(parse());
    }
    while (block_ < blocks_.size()) {
      Block block(blocks_[block_++], lines_.name());
      if (!block.has_sites()) continue;
      ++structures_;
      return std::optional(TRY(block.read()));
    }
    if (structures_ == 0)
      return Error{ErrorKind::bad_input, "no data block holds sites with fractional coordinates", lines_.name(),
                   "is this a CIF of a crystal?"};
    return std::optional<Structure>();
  }

 private:
  Status parse() {
    std::string text;
    while (const auto line = TRY(lines_.next())) {
      if (text.size() + line->size() > kMostBytes)
        return Error{ErrorKind::unsupported, "the CIF is larger than 256 MiB", lines_.name(), "split its data blocks"};
      text.append(*line);
      text += '\n';
    }
    std::string why;
    auto blocks = parse_cif(text, lines_.name(), why);
    if (!blocks) return Error{ErrorKind::bad_input, "the CIF can't be read: " + why, lines_.name(), "mend the file"};
    blocks_ = std::move(*blocks);
    return {};
  }

  Lines lines_;
  std::vector<CifBlock> blocks_;
  size_t block_ = 0, structures_ = 0;
  bool read_ = false;
};

}  // namespace

std::unique_ptr<FrameReader> read_cif(Lines lines, const ReadOptions&) {
  return std::make_unique<CifReader>(std::move(lines));
}

}  // namespace tqm::matter
