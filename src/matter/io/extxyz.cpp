#include "matter/io/extxyz.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include "base/text.hpp"
#include "matter/io/key_values.hpp"
#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr int64_t kMostAtoms = 100'000'000;
const double kAseTime = std::sqrt(kMassVelocitySquared);  // ASE's unit of time, Å·√(u/eV), in fs

using Keys = std::vector<std::pair<std::string, std::string>>;

// The value of the first of names that is there, whatever its case.
const std::string* value_of(const Keys& keys, std::initializer_list<std::string_view> names) {
  for (std::string_view name : names)
    for (const auto& [key, value] : keys)
      if (same_word(key, name)) return &value;
  return nullptr;
}

// Numbers of "1 2 3", "[1, 2, 3]" or "[[…], […]]".
std::vector<std::string_view> items_of(std::string& text) {
  for (char& c : text)
    if (c == '[' || c == ']' || c == '{' || c == '}' || c == ',') c = ' ';
  return words_of(text);
}

Result<std::vector<double>> list_of(const Lines& lines, const std::string& key, std::string text) {
  const auto items = items_of(text);
  return numbers_from(lines, items, 0, items.size(), key);
}

bool truth(std::string_view word) {
  return !word.empty() && (word[0] == 'T' || word[0] == 't' || word[0] == '1');
}

Result<Mat3> matrix_of(const Lines& lines, const std::string& key, const std::string& text) {
  const std::vector<double> v = TRY(list_of(lines, key, text));
  if (v.size() == 6)  // Voigt
    return stress_matrix({v[0], v[1], v[2], v[3], v[4], v[5]});
  if (v.size() != 9) return lines.error(fmt::format("{} has {} numbers: nine or Voigt's six are known", key, v.size()));
  return Mat3{{Vec3{v[0], v[1], v[2]}, Vec3{v[3], v[4], v[5]}, Vec3{v[6], v[7], v[8]}}};
}

struct Columns {
  size_t first = 0, count = 0;
  std::string name;
  void (*store)(Structure& s, const double* values) = nullptr;  // null: not numbers, or left out
};

struct Meaning {
  std::string_view name;
  size_t count;
  void (*store)(Structure& s, const double* values);
};

Vec3 vector(const double* v) {
  return {v[0], v[1], v[2]};
}

// Names of columns, as different programs write them.
constexpr Meaning kMeanings[] = {
    {"pos", 3, [](Structure& s, const double* v) { s.positions.push_back(vector(v)); }},
    {"positions", 3, [](Structure& s, const double* v) { s.positions.push_back(vector(v)); }},
    {"position", 3, [](Structure& s, const double* v) { s.positions.push_back(vector(v)); }},
    {"forces", 3, [](Structure& s, const double* v) { s.forces.push_back(vector(v)); }},
    {"force", 3, [](Structure& s, const double* v) { s.forces.push_back(vector(v)); }},
    {"ref_forces", 3, [](Structure& s, const double* v) { s.forces.push_back(vector(v)); }},
    {"vel", 3, [](Structure& s, const double* v) { s.velocities.push_back(vector(v)); }},
    {"velocities", 3, [](Structure& s, const double* v) { s.velocities.push_back(vector(v) * (1 / kAseTime)); }},
    {"velo", 3, [](Structure& s, const double* v) { s.velocities.push_back(vector(v) * (1 / kAseTime)); }},
    {"momenta", 3,
     [](Structure& s, const double* v) {
       s.velocities.push_back(vector(v) * (1 / (kAseTime * atomic_mass(s.numbers.back()))));
     }},
    {"charges", 1, [](Structure& s, const double* v) { s.charges.push_back(*v); }},
    {"charge", 1, [](Structure& s, const double* v) { s.charges.push_back(*v); }},
    {"initial_charges", 1, [](Structure& s, const double* v) { s.charges.push_back(*v); }},
    {"magmoms", 1, [](Structure& s, const double* v) { s.magnetic_moments.push_back(*v); }},
    {"magmom", 1, [](Structure& s, const double* v) { s.magnetic_moments.push_back(*v); }},
    {"initial_magmoms", 1, [](Structure& s, const double* v) { s.magnetic_moments.push_back(*v); }},
    {"occupancies", 1, [](Structure& s, const double* v) { s.occupancies.push_back(*v); }},
    {"move_mask", 3, [](Structure& s, const double* v) { s.movable.push_back({v[0] != 0, v[1] != 0, v[2] != 0}); }},
    {"move_mask", 1, [](Structure& s, const double* v) { s.movable.push_back({v[0] != 0, v[0] != 0, v[0] != 0}); }},
};

class ExtxyzReader : public FrameReader {
 public:
  explicit ExtxyzReader(Lines lines) : lines_(std::move(lines)) {}

  Result<std::optional<Structure>> next() override {
    std::optional<std::string_view> line = TRY(lines_.next());
    while (line && trim(*line).empty()) line = TRY(lines_.next());
    if (!line) return std::optional<Structure>();
    const auto count = integer_of(trim(*line));
    if (!count || *count <= 0 || *count > kMostAtoms)
      return lines_.error("the number of atoms should stand alone on this line",
                          "is a frame above longer or shorter than its count says?");
    const std::string comment(TRY(lines_.need("the comment line")));
    Structure s;
    const bool extended = holds(comment, "Properties=") || holds(comment, "Lattice=");
    const Keys keys = extended ? key_values_of(comment) : Keys();
    if (!extended) s.name = std::string(trim(comment));
    const std::string where = lines_.where();
    TRY(read_columns(keys, s));
    TRY(read_cell(keys, s));
    for (int64_t i = 0; i < *count; ++i) TRY(read_atom(s, i + 1, *count));
    TRY(read_whole(keys, s));
    TRY(check(s, where));
    return std::optional(std::move(s));
  }

 private:
  Status read_columns(const Keys& keys, Structure& s) {
    columns_.clear();
    species_ = numbers_ = labels_ = std::string::npos;
    const std::string* properties = value_of(keys, {"Properties"});
    const std::vector<std::string> parts = split(properties ? *properties : std::string("species:S:1:pos:R:3"), ':');
    if (parts.size() % 3 != 0) return lines_.error("Properties should be groups of name:type:columns");
    width_ = 0;
    std::vector<std::string> left_out;
    for (size_t i = 0; i < parts.size(); i += 3) {
      const auto columns = integer_of(parts[i + 2]);
      if (!columns || *columns < 1 || *columns > 10'000)
        return lines_.error(fmt::format("Properties: {} has no number of columns", parts[i]));
      TRY(add_columns(parts[i], static_cast<size_t>(*columns), left_out));
      width_ += static_cast<size_t>(*columns);
    }
    if (species_ == std::string::npos && numbers_ == std::string::npos)
      return lines_.error("Properties names no species and no atomic numbers");
    if (std::none_of(columns_.begin(), columns_.end(), [](const Columns& c) { return holds(c.name, "pos"); }))
      return lines_.error("Properties names no pos");
    if (!left_out.empty()) s.notes["columns_left_out"] = join(left_out, ",");
    return {};
  }

  Status add_columns(const std::string& name, size_t count, std::vector<std::string>& left_out) {
    if (same_word(name, "species") || same_word(name, "element") || same_word(name, "symbols")) {
      species_ = width_;
    } else if (same_word(name, "Z") || same_word(name, "numbers") || same_word(name, "atomic_numbers")) {
      numbers_ = width_;
    } else if (same_word(name, "labels") && count == 1) {
      labels_ = width_;
    } else {
      for (const Meaning& meaning : kMeanings) {
        if (!same_word(name, meaning.name) || meaning.count != count) continue;
        const bool twice =
            std::any_of(columns_.begin(), columns_.end(), [&](const Columns& c) { return c.store == meaning.store; });
        if (twice) return lines_.error(fmt::format("Properties names {} twice", name));
        columns_.push_back({width_, count, name, meaning.store});
        return {};
      }
      left_out.push_back(name);
    }
    return {};
  }

  Status read_cell(const Keys& keys, Structure& s) const {
    if (const std::string* lattice = value_of(keys, {"Lattice"})) {
      const std::vector<double> v = TRY(list_of(lines_, "Lattice", *lattice));
      if (v.size() != 9) return lines_.error(fmt::format("Lattice has {} numbers and should have nine", v.size()));
      s.cell = {{Vec3{v[0], v[1], v[2]}, Vec3{v[3], v[4], v[5]}, Vec3{v[6], v[7], v[8]}}};
    } else {
      s.periodic = {false, false, false};
    }
    if (const std::string* given = value_of(keys, {"pbc"})) {
      std::string text = *given;
      const auto items = items_of(text);
      if (items.size() != 1 && items.size() != 3) return lines_.error("pbc should be three words, T or F");
      for (size_t k = 0; k < 3; ++k) s.periodic[k] = truth(items[items.size() == 1 ? 0 : k]);
    }
    return {};
  }

  Status read_atom(Structure& s, int64_t number, int64_t of) {
    const auto words = words_of(TRY(lines_.need(fmt::format("atom {} of {}", number, of))));
    if (words.size() < width_)
      return lines_.error(
          fmt::format("atom {} of {} should have {} columns and has {}", number, of, width_, words.size()));
    std::optional<int> element;
    if (numbers_ != std::string::npos) {
      if (const auto z = integer_of(words[numbers_]); z && *z >= 1 && *z <= kMostElements)
        element = static_cast<int>(*z);
    } else if (const auto z = integer_of(words[species_]); z && *z >= 1 && *z <= kMostElements) {
      element = static_cast<int>(*z);  // plain XYZ with numbers in the place of symbols
    } else {
      element = element_by_symbol(words[species_]);
      if (!element) element = element_by_label(words[species_]);
    }
    if (!element) {
      const std::string_view word = words[numbers_ != std::string::npos ? numbers_ : species_];
      return lines_.error(fmt::format("{} is no element", word.substr(0, 40)));
    }
    s.numbers.push_back(*element);
    if (labels_ != std::string::npos) s.labels.emplace_back(words[labels_]);
    double values[3] = {};
    for (const Columns& column : columns_) {
      for (size_t k = 0; k < column.count; ++k) {
        const std::string_view word = words[column.first + k];
        const auto value = number_of(word);
        if (value) {
          values[k] = *value;
        } else if (word == "T" || word == "F" || same_word(word, "true") || same_word(word, "false")) {
          values[k] = truth(word) ? 1 : 0;
        } else {
          return lines_.error(fmt::format("{} of atom {}: {} is no number", column.name, number, word.substr(0, 40)));
        }
      }
      column.store(s, values);
    }
    return {};
  }

  // Energy, stress, time, and the keys that have no place.
  Status read_whole(const Keys& keys, Structure& s) const {
    if (const std::string* text = value_of(keys, {"energy", "REF_energy", "dft_energy", "free_energy"})) {
      const auto value = number_of(trim(*text));
      if (!value) return lines_.error("the energy " + text->substr(0, 40) + " is no number");
      s.energy = *value;
    }
    if (const std::string* text = value_of(keys, {"stress", "REF_stress", "dft_stress"})) {
      const Mat3 matrix = TRY(matrix_of(lines_, "stress", *text));
      s.stress = stress_of(matrix);
    } else if (const std::string* other = value_of(keys, {"virial", "virials", "REF_virial", "dft_virial"})) {
      const double space = volume(s);
      if (!(space > 0)) return lines_.error("a virial is given, and no cell to make a stress of it");
      s.stress = stress_of(TRY(matrix_of(lines_, "virial", *other)) * (-1 / space));
    }
    if (const std::string* text = value_of(keys, {"time"})) s.time = number_of(trim(*text));
    if (const std::string* text = value_of(keys, {"name"})) s.name = *text;
    if (const std::string* text = value_of(keys, {"converged"})) s.converged = truth(*text);
    for (const auto& [key, value] : keys) {
      bool known = false;
      for (std::string_view word : {"Lattice", "Properties", "pbc", "energy", "stress", "time", "name", "converged"})
        known = known || same_word(key, word);
      if (!known) s.notes[key] = value;
    }
    return {};
  }

  Lines lines_;
  std::vector<Columns> columns_;
  size_t species_ = 0, numbers_ = 0, labels_ = 0, width_ = 0;
};

}  // namespace

std::unique_ptr<FrameReader> read_extxyz(Lines lines, const ReadOptions&) {
  return std::make_unique<ExtxyzReader>(std::move(lines));
}

}  // namespace tqm::matter
