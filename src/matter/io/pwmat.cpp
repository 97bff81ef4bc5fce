#include "matter/io/pwmat.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

bool begins(std::string_view line, std::string_view word) {
  line = trim(line);
  return line.size() >= word.size() && same_word(line.substr(0, word.size()), word);
}

// "Velocity (bohr/fs)" or "VELOCITY" alone, and not "Velocity Verlet".
bool opens_velocities(std::string_view line) {
  if (!begins(line, "velocity")) return false;
  const std::string_view rest = trim(trim(line).substr(8));
  return rest.empty() || rest.starts_with('(');
}

bool is_dashes(std::string_view line) {
  line = trim(line);
  return line.size() >= 10 && line.starts_with("----------");
}

// The atoms of a frame's first line: "50 atoms,Iteration…", "50 atoms" or "50".
std::optional<int64_t> atoms_of(std::string_view line) {
  const auto words = words_of(line);
  if (words.empty()) return {};
  const auto count = integer_of(words[0]);
  return count && (words.size() == 1 || begins(words[1], "atom") || holds(line, "iteration")) ? count : std::nullopt;
}

// The numbers after the first = that follows `after`.
std::vector<double> numbers_after(std::string_view line, std::string_view after) {
  const auto found = std::search(line.begin(), line.end(), after.begin(), after.end());
  std::string_view rest = line.substr(static_cast<size_t>(found - line.begin()));
  const size_t equals = rest.find('=');
  std::vector<double> numbers;
  if (equals == std::string_view::npos) return numbers;
  std::string text(rest.substr(equals + 1));
  std::replace(text.begin(), text.end(), ',', ' ');
  for (std::string_view word : words_of(text)) {
    const auto number = number_of(word);
    if (!number) break;
    numbers.push_back(*number);
  }
  return numbers;
}

class PwmatReader : public FrameReader {
 public:
  PwmatReader(Lines lines, const ReadOptions& options, bool trajectory)
      : lines_(std::move(lines)), options_(options), trajectory_(trajectory) {}

  Result<std::optional<Structure>> next() override {
    if (done_) return std::optional<Structure>();
    std::optional<std::string_view> line = TRY(lines_.next());
    while (line && (trim(*line).empty() || is_dashes(*line) || begins(*line, "end"))) line = TRY(lines_.next());
    if (!line) return std::optional<Structure>();
    done_ = !trajectory_;
    const auto atoms = atoms_of(*line);
    if (!atoms || *atoms <= 0 || *atoms > 100'000'000)
      return lines_.error("a frame should begin with the number of atoms");
    atoms_ = static_cast<size_t>(*atoms);
    begin_ = lines_.where();
    Structure s;
    raw_stress_.reset();
    if (holds(*line, "iteration")) TRY(read_first_line(*line, s));
    while (true) {
      line = TRY(lines_.next());
      if (!line || is_dashes(*line)) break;
      if (trajectory_ && holds(*line, "iteration") && atoms_of(*line)) {  // the frame above has no dashes
        lines_.back();
        break;
      }
      const std::string keyword(*line);
      TRY(read_block(keyword, s));
    }
    TRY(finish(s));
    return std::optional(std::move(s));
  }

 private:
  Status read_first_line(std::string_view line, Structure& s) const {
    const std::vector<double> iteration = numbers_after(line, "teration");
    if (holds(line, "(fs)") && !iteration.empty()) s.time = iteration[0];
    if (line.find("Ep") != std::string_view::npos) {
      const std::vector<double> energies = numbers_after(line, "Ep");
      if (energies.size() < 2) return lines_.error("after `Etot,Ep,Ek (eV) =` three numbers should stand");
      s.energy = energies[1];
    } else if (line.find("Etot") != std::string_view::npos) {  // a relaxation: there is no kinetic energy in it
      const std::vector<double> energies = numbers_after(line, "Etot");
      if (energies.empty()) return lines_.error("after `Etot` a number should stand");
      s.energy = energies[0];
    }
    if (line.find("SCF") != std::string_view::npos) {
      const std::vector<double> steps = numbers_after(line, "SCF");
      if (!steps.empty()) s.notes["scf_steps"] = exact(steps[0]);
    }
    return {};
  }

  Status read_block(std::string_view keyword, Structure& s) {
    if (begins(keyword, "lattice")) return read_lattice(s);
    if (begins(keyword, "pressure internal")) {
      std::string text;
      for (int i = 0; i < 3; ++i) text += (i ? " " : "") + exact(TRY(need_vector(lines_, "a row of the pressure")));
      s.notes["pwmat_pressure_internal_hartree_per_bohr3"] = text;
      return {};
    }
    if (begins(keyword, "position")) return read_positions(s);
    if (begins(keyword, "force")) {
      return read_rows(s, "force", [&](const Vec3& v) { s.forces.push_back(-v); });
    }
    if (opens_velocities(keyword))
      return read_rows(s, "velocity", [&](const Vec3& v) { s.velocities.push_back(v * kBohr); });
    if (begins(keyword, "magnetic") && !begins(keyword, "magnetic_xyz")) return read_moments(s);
    return {};
  }

  Status read_lattice(Structure& s) {
    Mat3 raw;
    int with_stress = 0;
    for (size_t i = 0; i < 3; ++i) {
      const std::string_view line = TRY(lines_.need("a lattice vector"));
      s.cell[i] = TRY(vector_from(lines_, words_of(line), 0, "a lattice vector"));
      const size_t stress = line.find("stress");
      const size_t colon = line.find(':', std::min(stress, line.size()));
      if (stress == std::string_view::npos || colon == std::string_view::npos) continue;
      raw[i] = TRY(vector_from(lines_, words_of(line.substr(colon + 1)), 0, "the stress behind a lattice vector"));
      ++with_stress;
    }
    if (with_stress == 3) raw_stress_ = raw;
    return {};
  }

  Status read_positions(Structure& s) {
    if (!s.numbers.empty()) return lines_.error("the positions stand twice in one frame");
    for (size_t i = 0; i < atoms_; ++i) {
      const std::string_view line = TRY(lines_.need(fmt::format("the position of atom {} of {}", i + 1, atoms_)));
      const auto words = words_of(line);
      const auto number = words.empty() ? std::nullopt : integer_of(words[0]);
      if (!number || *number < 1 || *number > kMostElements)
        return lines_.error(fmt::format("the position of atom {} should begin with an atomic number", i + 1));
      s.numbers.push_back(static_cast<int>(*number));
      fractions_.push_back(TRY(vector_from(lines_, words, 1, "a position")));
      if (words.size() < 7) continue;
      std::array<bool, 3> movable;
      for (size_t k = 0; k < 3; ++k) {
        const auto flag = integer_of(words[4 + k]);
        if (!flag || *flag < 0 || *flag > 1) return lines_.error("flags of movement should be 0 or 1");
        movable[k] = *flag == 1;
      }
      s.movable.push_back(movable);
    }
    if (!s.movable.empty() && s.movable.size() != atoms_)
      return lines_.error("some atoms have flags of movement and others none");
    return {};
  }

  template <class Store>
  Status read_rows(Structure& s, std::string_view what, Store store) {
    const bool again = what == "force" ? !s.forces.empty() : !s.velocities.empty();
    if (again) return lines_.error(fmt::format("each {} stands twice in one frame", what));
    for (size_t i = 0; i < atoms_; ++i) {
      const std::string_view line = TRY(lines_.need(fmt::format("the {} of atom {} of {}", what, i + 1, atoms_)));
      const auto words = words_of(line);
      TRY(same_species(words, s, i, what));
      const Vec3 value = TRY(vector_from(lines_, words, 1, what));
      store(value);
    }
    return {};
  }

  Status read_moments(Structure& s) {
    if (!s.magnetic_moments.empty()) return lines_.error("the moments stand twice in one frame");
    for (size_t i = 0; i < atoms_; ++i) {
      const std::string_view line = TRY(lines_.need("a magnetic moment"));
      const auto words = words_of(line);
      TRY(same_species(words, s, i, "moment"));
      const std::vector<double> value = TRY(numbers_from(lines_, words, 1, 1, "a magnetic moment"));
      s.magnetic_moments.push_back(value[0]);
    }
    return {};
  }

  Status same_species(const std::vector<std::string_view>& words, const Structure& s, size_t atom,
                      std::string_view what) const {
    const auto number = words.empty() ? std::nullopt : integer_of(words[0]);
    if (!number)
      return lines_.error(fmt::format("the {} of atom {} should begin with an atomic number", what, atom + 1));
    if (atom < s.size() && s.numbers[atom] != *number)
      return lines_.error(fmt::format("the {} of atom {} is of species {}, and its position of species {}", what,
                                      atom + 1, *number, s.numbers[atom]));
    return {};
  }

  Status finish(Structure& s) {
    if (s.numbers.empty())
      return Error{ErrorKind::bad_input, "the frame has no positions", begin_, "is the file whole?"};
    if (s.cell == Mat3()) return Error{ErrorKind::bad_input, "the frame has no lattice", begin_, "is the file whole?"};
    for (const Vec3& f : fractions_) s.positions.push_back(f * s.cell);
    fractions_.clear();
    if (raw_stress_) {
      const Mat3& raw = *raw_stress_;
      s.notes["pwmat_stress_ev"] = exact(raw[0]) + " " + exact(raw[1]) + " " + exact(raw[2]);
      const double space = volume(s);
      if (space > 0) s.stress = stress_of(raw * ((options_.stress_is_pressure ? -1 : 1) / space));
    }
    const bool all_move = std::all_of(s.movable.begin(), s.movable.end(),
                                      [](const std::array<bool, 3>& m) { return m[0] && m[1] && m[2]; });
    if (all_move) s.movable.clear();  // the form always has the flags; nothing is held
    return check(s, begin_);
  }

  Lines lines_;
  ReadOptions options_;
  bool trajectory_, done_ = false;
  size_t atoms_ = 0;
  std::string begin_;
  std::vector<Vec3> fractions_;
  std::optional<Mat3> raw_stress_;
};

}  // namespace

std::unique_ptr<FrameReader> read_atom_config(Lines lines, const ReadOptions& options) {
  return std::make_unique<PwmatReader>(std::move(lines), options, false);
}

std::unique_ptr<FrameReader> read_movement(Lines lines, const ReadOptions& options) {
  return std::make_unique<PwmatReader>(std::move(lines), options, true);
}

}  // namespace tqm::matter
