#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "base/text.hpp"
#include "matter/io/lammps.hpp"
#include "matter/io/words.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

// Where the columns of one frame stand.
struct Columns {
  size_t id = kNone, type = kNone, element = kNone, mass = kNone, q = kNone;
  size_t x = kNone, v = kNone, f = kNone, images = kNone;  // of the first of three
  bool scaled = false, unwrapped = false;
};

struct Box {
  Mat3 cell;
  Vec3 low;
  std::array<bool, 3> periodic = {true, true, true};
};

class LammpsDumpReader : public FrameReader {
 public:
  LammpsDumpReader(Lines lines, const ReadOptions& options) : lines_(std::move(lines)), options_(options) {}

  Result<std::optional<Structure>> next() override {
    std::optional<std::string_view> line = TRY(lines_.next());
    while (line && trim(*line).empty()) line = TRY(lines_.next());
    if (!line) return std::optional<Structure>();
    Structure s;
    std::string unit = options_.units.empty() ? unit_ : options_.units;
    Box box;
    int64_t atoms = -1;
    bool have_box = false;
    std::optional<double> time;
    while (true) {
      if (!line) return lines_.error("the file ends within a frame", "is it whole?");
      if (!line->starts_with("ITEM:")) return lines_.error("a line `ITEM: …` should stand here");
      const std::string item(trim(line->substr(5)));
      if (item == "UNITS") {
        unit_ = std::string(trim(TRY(lines_.need("the units"))));
        if (options_.units.empty()) unit = unit_;
      } else if (item == "TIME") {
        const std::string_view next = TRY(lines_.need("the time"));
        time = number_of(trim(next));
      } else if (item == "TIMESTEP") {
        s.notes["step"] = std::string(trim(TRY(lines_.need("the time step"))));
      } else if (item == "NUMBER OF ATOMS") {
        const std::string_view next = TRY(lines_.need("the number of atoms"));
        atoms = integer_of(trim(next)).value_or(-1);
        if (atoms <= 0 || atoms > 100'000'000) return lines_.error("the number of atoms should stand here");
      } else if (item.starts_with("BOX BOUNDS")) {
        box = TRY(read_box(item));
        have_box = true;
      } else if (item.starts_with("ATOMS")) {
        if (!have_box || atoms < 0)
          return lines_.error("the box and the number of atoms should stand before the atoms");
        const LammpsUnits units = TRY(lammps_units(unit.empty() ? "metal" : unit, lines_.where()));
        const std::string where = lines_.where();
        TRY(read_atoms(s, item, box, static_cast<size_t>(atoms), units));
        if (time) s.time = *time * units.time;
        TRY(check(s, where));
        return std::optional(std::move(s));
      } else {
        return lines_.error("the item " + item.substr(0, 40) + " is not known");
      }
      line = TRY(lines_.next());
    }
  }

 private:
  // The bounds of a tilted box are those of its bounding box.
  Result<Box> read_box(const std::string& item) {
    const auto words = words_of(item);
    if (holds(item, "abc origin"))
      return Error{ErrorKind::unsupported, "a dump of a general triclinic box is not read", lines_.where(),
                   "dump without triclinic/general"};
    const bool tilted = holds(item, "xy xz yz");
    double low[3], high[3], tilt[3] = {};
    for (size_t k = 0; k < 3; ++k) {
      const std::string_view line = TRY(lines_.need("bounds of the box"));
      const std::vector<double> v = TRY(numbers_from(lines_, words_of(line), 0, tilted ? 3 : 2, "bounds of the box"));
      low[k] = v[0];
      high[k] = v[1];
      if (tilted) tilt[k] = v[2];
    }
    const double xy = tilt[0], xz = tilt[1], yz = tilt[2];
    low[0] -= std::min({0.0, xy, xz, xy + xz});
    high[0] -= std::max({0.0, xy, xz, xy + xz});
    low[1] -= std::min(0.0, yz);
    high[1] -= std::max(0.0, yz);
    Box box;
    box.low = {low[0], low[1], low[2]};
    box.cell = {{Vec3{high[0] - low[0], 0, 0}, Vec3{xy, high[1] - low[1], 0}, Vec3{xz, yz, high[2] - low[2]}}};
    for (size_t k = 0; k < 3 && words.size() >= 3; ++k) {
      const std::string_view flags = words[words.size() - 3 + k];
      if (flags.size() == 2 && flags.find_first_not_of("pfsm") == std::string_view::npos)
        box.periodic[k] = flags[0] == 'p';
    }
    return box;
  }

  Result<Columns> columns_of(const std::vector<std::string_view>& names) const {
    auto find = [&](std::string_view name) {
      const auto found = std::find(names.begin(), names.end(), name);
      return found == names.end() ? kNone : static_cast<size_t>(found - names.begin());
    };
    auto three = [&](std::string_view a, std::string_view b, std::string_view c) {
      const size_t at = find(a);
      return at != kNone && find(b) == at + 1 && find(c) == at + 2 ? at : kNone;
    };
    Columns c;
    c.id = find("id"), c.type = find("type"), c.element = find("element"), c.mass = find("mass"), c.q = find("q");
    c.v = three("vx", "vy", "vz"), c.f = three("fx", "fy", "fz"), c.images = three("ix", "iy", "iz");
    if (const size_t at = three("xu", "yu", "zu"); at != kNone) {
      c.x = at, c.unwrapped = true;
    } else if (const size_t scaled_at = three("xsu", "ysu", "zsu"); scaled_at != kNone) {
      c.x = scaled_at, c.unwrapped = c.scaled = true;
    } else if (const size_t wrapped_at = three("x", "y", "z"); wrapped_at != kNone) {
      c.x = wrapped_at;
    } else if (const size_t both_at = three("xs", "ys", "zs"); both_at != kNone) {
      c.x = both_at, c.scaled = true;
    }
    if (c.x == kNone) return lines_.error("the columns hold no positions: x y z, xu yu zu, xs ys zs or xsu ysu zsu");
    if (c.element == kNone && c.mass == kNone && (c.type == kNone || options_.types.empty()))
      return lines_.error(
          "no column says which element an atom is",
          "dump `element` (with dump_modify element), or give the elements of types 1, 2, … by --types Li,P,S");
    return c;
  }

  Result<int> element_of(const Columns& c, const std::vector<std::string_view>& words) const {
    std::optional<int> element;
    std::string_view said;
    if (c.element != kNone) {
      said = words[c.element];
      element = element_by_label(said);
    } else if (c.type != kNone && !options_.types.empty()) {
      said = words[c.type];
      const auto type = integer_of(said);
      if (type && *type >= 1 && static_cast<size_t>(*type) <= options_.types.size())
        element = options_.types[static_cast<size_t>(*type - 1)];
    } else {
      said = words[c.mass];
      if (const auto mass = number_of(said)) element = element_by_mass(*mass);
    }
    if (!element) return lines_.error(fmt::format("{} tells no element", said.substr(0, 40)));
    return *element;
  }

  Status read_atoms(Structure& s, const std::string& item, const Box& box, size_t atoms, const LammpsUnits& units) {
    std::vector<std::string_view> names = words_of(item);
    names.erase(names.begin());
    const Columns c = TRY(columns_of(names));
    s.cell = box.cell;
    s.periodic = box.periodic;
    std::vector<int64_t> ids;
    for (size_t i = 0; i < atoms; ++i) {
      const std::string_view line = TRY(lines_.need(fmt::format("atom {} of {}", i + 1, atoms)));
      const auto words = words_of(line);
      if (words.size() < names.size())
        return lines_.error(
            fmt::format("atom {} of {} should have {} columns and has {}", i + 1, atoms, names.size(), words.size()));
      const auto id = c.id == kNone ? std::optional(static_cast<int64_t>(i)) : integer_of(words[c.id]);
      if (!id) return lines_.error("an atom's id should be a whole number");
      ids.push_back(*id);
      s.numbers.push_back(TRY(element_of(c, words)));
      Vec3 position = TRY(vector_from(lines_, words, c.x, "a position"));
      position = c.scaled ? position * s.cell : position - box.low;
      if (c.images != kNone && !c.unwrapped) {
        const Vec3 images = TRY(vector_from(lines_, words, c.images, "image flags"));
        position += images * s.cell;
      }
      s.positions.push_back(position);
      if (c.v != kNone) s.velocities.push_back(TRY(vector_from(lines_, words, c.v, "a velocity")) * units.velocity);
      if (c.f != kNone) s.forces.push_back(TRY(vector_from(lines_, words, c.f, "a force")) * units.energy);
      if (c.q != kNone) s.charges.push_back(TRY(numbers_from(lines_, words, c.q, 1, "a charge"))[0]);
    }
    return sort(s, ids);
  }

  Status sort(Structure& s, const std::vector<int64_t>& ids) const {
    std::vector<size_t> order(ids.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ids[a] < ids[b]; });
    for (size_t i = 1; i < order.size(); ++i)
      if (ids[order[i]] == ids[order[i - 1]])
        return lines_.error(fmt::format("the atom {} stands twice", ids[order[i]]));
    auto arrange = [&](auto& list) {
      auto sorted = list;
      for (size_t i = 0; i < list.size(); ++i) sorted[i] = list[order[i]];
      list = std::move(sorted);
    };
    arrange(s.numbers);
    arrange(s.positions);
    arrange(s.velocities);
    arrange(s.forces);
    arrange(s.charges);
    return {};
  }

  Lines lines_;
  ReadOptions options_;
  std::string unit_;
};

}  // namespace

std::unique_ptr<FrameReader> read_lammps_dump(Lines lines, const ReadOptions& options) {
  return std::make_unique<LammpsDumpReader>(std::move(lines), options);
}

}  // namespace tqm::matter
