#include "matter/analyze/track.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr double kAmbiguous = 0.4;           // of the cell, between frames
constexpr size_t kMostCurrents = 4'000'000;  // 96 MB
constexpr int64_t kFewestFrames = 20;

std::optional<double> number_note(const Structure& frame, const char* key) {
  const auto found = frame.notes.find(key);
  if (found == frame.notes.end()) return {};
  char* end = nullptr;
  const double value = std::strtod(found->second.c_str(), &end);
  if (end == found->second.c_str() || !std::isfinite(value)) return {};
  return value;
}

class Builder {
 public:
  Builder(std::string name, const TrackOptions& options) : options_(options) { track_.name = std::move(name); }

  Status add(const Structure& frame) {
    const std::string where = fmt::format("{}, frame {}", track_.name, read_ + 1);
    if (read_ == 0) TRY(begin(frame, where));
    if (frame.numbers != numbers_)
      return Error{ErrorKind::bad_input, "the atoms are not those of the first frame", where,
                   "give a trajectory of one system, its atoms in one order"};
    for (const bool periodic : frame.periodic)
      if (!periodic)
        return Error{ErrorKind::bad_input, "the cell is not periodic in all directions", where,
                     "conductivity needs a bulk"};
    const std::optional<double> time = time_of(frame);
    if (!time)
      return Error{ErrorKind::bad_input, "the frames carry no time", where, "give --frame-fs, the time between frames"};
    if (read_ > 0 && std::abs(*time - last_time_) < 1e-9 * std::max(1.0, std::abs(*time))) return {};  // written twice
    if (read_ == 1) interval_ = *time - last_time_;
    if (read_ > 0 && (interval_ <= 0 || std::abs(*time - last_time_ - interval_) > 1e-3 * interval_))
      return Error{
          ErrorKind::bad_input,
          fmt::format("frames are not evenly spaced in time: {} fs after {} fs", *time - last_time_, interval_), where,
          "give one run at a time, each with a constant interval"};
    TRY(unwrap(frame, where));
    if (read_ == 0) first_time_ = *time;
    last_time_ = *time;
    ++read_;
    if (*time - first_time_ < options_.skip_fs * (1 - 1e-9)) return {};
    keep(frame);
    return {};
  }

  Result<Track> finish() {
    if (track_.frames < kFewestFrames)
      return Error{ErrorKind::bad_input,
                   fmt::format("{} frames are too few for a diffusion coefficient", track_.frames), track_.name,
                   fmt::format("give at least {}, better a thousand", kFewestFrames)};
    if (stride_ > 1 || kept_.size() > 1) track_.step_fs = interval_ * static_cast<double>(stride_);
    const Mat3 cell = cell_sum_ * (1 / static_cast<double>(track_.frames));
    track_.volume = std::abs(determinant(cell));
    const std::array<double, 3> widths = cell_widths(cell);
    track_.narrowest = *std::min_element(widths.begin(), widths.end());
    if (temperatures_ > 0) track_.temperature = temperature_sum_ / static_cast<double>(temperatures_);
    if (kept_.size() < 9)
      return Error{ErrorKind::bad_input, "too few points fit into memory", track_.name, "give a smaller cell"};
    split(cell);
    if (!currents_) track_.current.clear();
    track_.current_step_fs = interval_;
    return std::move(track_);
  }

 private:
  Status begin(const Structure& frame, const std::string& where) {
    numbers_ = frame.numbers;
    size_t mobile = 0;
    double framework_mass = 0;
    for (const int number : numbers_) {
      if (number == options_.mobile) ++mobile;
      if (number != options_.mobile) framework_mass += atomic_mass(number);
    }
    if (mobile == 0)
      return Error{ErrorKind::bad_input, fmt::format("there is no {}", symbol(options_.mobile)), where,
                   "name the mobile ion with --mobile"};
    alone_ = framework_mass == 0;
    for (const int number : numbers_) weights_.push_back(alone_ || number != options_.mobile ? atomic_mass(number) : 0);
    const auto note = frame.notes.find("ensemble");
    if (note != frame.notes.end() && same_word_lower(note->second, "langevin"))
      return Error{ErrorKind::unsupported, "a Langevin trajectory has no diffusion of its own: the friction sets it",
                   where, "run with csvr, nose-hoover or nve"};
    ours_ = note != frame.notes.end() && frame.notes.contains("time_fs") && frame.notes.contains("step");
    const size_t frame_bytes = numbers_.size() * sizeof(Vec3);
    most_points_ = std::clamp<size_t>(options_.most_bytes / std::max<size_t>(frame_bytes, 1), 256, 8192);
    first_cell_ = frame.cell;
    currents_ = !frame.velocities.empty();
    return {};
  }

  static bool same_word_lower(std::string_view text, std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
  }

  std::optional<double> time_of(const Structure& frame) const {
    if (options_.frame_fs) return *options_.frame_fs * static_cast<double>(read_);
    if (const auto time = number_note(frame, "time_fs")) return time;
    return frame.time;
  }

  // Fractional coordinates, continuous.
  Status unwrap(const Structure& frame, const std::string& where) {
    std::vector<Vec3> now = fractional_positions(frame);
    if (read_ > 0 && !ours_) {
      for (size_t i = 0; i < now.size(); ++i)
        for (size_t axis = 0; axis < 3; ++axis) {
          const double moved = now[i][axis] - last_[i][axis];
          const double least = moved - std::round(moved);
          if (std::abs(least) > kAmbiguous)
            return Error{
                ErrorKind::bad_input,
                fmt::format("atom {} ({}) moves by {:.2f} of the cell since the frame before: which image is it?",
                            i + 1, symbol(numbers_[i]), std::abs(least)),
                where, "write frames more often, or continuous positions"};
          now[i][axis] = last_[i][axis] + least;
        }
    }
    last_ = std::move(now);
    return {};
  }

  void keep(const Structure& frame) {
    cell_sum_ = Mat3{{cell_sum_[0] + frame.cell[0], cell_sum_[1] + frame.cell[1], cell_sum_[2] + frame.cell[2]}};
    for (size_t row = 0; row < 3; ++row)
      if (norm(frame.cell[row] - first_cell_[row]) > 1e-6 * norm(first_cell_[row])) track_.cell_varies = true;
    if (const auto kelvin = number_note(frame, "temperature_k")) {
      temperature_sum_ += *kelvin;
      ++temperatures_;
    } else if (!frame.velocities.empty() && numbers_.size() > 1) {
      double kinetic = 0;
      for (size_t i = 0; i < numbers_.size(); ++i)
        kinetic += atomic_mass(numbers_[i]) * dot(frame.velocities[i], frame.velocities[i]) / 2 * kMassVelocitySquared;
      temperature_sum_ += 2 * kinetic / (3 * static_cast<double>(numbers_.size() - 1) * kBoltzmann);
      ++temperatures_;
    }
    currents_ = currents_ && frame.velocities.size() == numbers_.size() && track_.current.size() < kMostCurrents;
    if (currents_) track_.current.push_back(current_of(frame));
    if (static_cast<size_t>(track_.frames) % stride_ == 0) {
      kept_.push_back(last_);
      if (kept_.size() > most_points_) {
        for (size_t i = 1; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
        kept_.resize((kept_.size() + 1) / 2);
        stride_ *= 2;
      }
    }
    ++track_.frames;
  }

  Vec3 current_of(const Structure& frame) const {
    Vec3 drift{}, sum{};
    double mass = 0, ions = 0;
    for (size_t i = 0; i < numbers_.size(); ++i) {
      drift += weights_[i] * frame.velocities[i];
      mass += weights_[i];
      if (numbers_[i] != options_.mobile) continue;
      sum += frame.velocities[i];
      ions += 1;
    }
    return sum - drift * (ions / mass);
  }

  // Cartesian in the mean cell, the framework's centre of mass taken off, one list a coordinate.
  void split(const Mat3& cell) {
    const size_t points = kept_.size();
    std::vector<Coordinates*> home(numbers_.size());
    std::vector<size_t> place(numbers_.size());
    for (size_t i = 0; i < numbers_.size(); ++i) {
      Coordinates& part = numbers_[i] == options_.mobile ? track_.mobile : track_.framework[numbers_[i]];
      home[i] = &part;
      place[i] = part.size();
      part.resize(part.size() + 3, std::vector<double>(points));
    }
    double mass = 0;
    for (const double weight : weights_) mass += weight;
    for (size_t t = 0; t < points; ++t) {
      Vec3 centre{};
      for (size_t i = 0; i < numbers_.size(); ++i) centre += (weights_[i] / mass) * kept_[t][i];
      for (size_t i = 0; i < numbers_.size(); ++i) {
        const Vec3 x = (kept_[t][i] - centre) * cell;
        for (size_t axis = 0; axis < 3; ++axis) (*home[i])[place[i] + axis][t] = x[axis];
      }
      kept_[t] = {};
    }
  }

  const TrackOptions& options_;
  Track track_;
  std::vector<int> numbers_;
  std::vector<double> weights_;  // of the framework's centre of mass; of all atoms where there is no framework
  std::vector<Vec3> last_;
  std::vector<std::vector<Vec3>> kept_;
  Mat3 cell_sum_, first_cell_;
  size_t stride_ = 1, most_points_ = 0;
  int64_t read_ = 0, temperatures_ = 0;
  double interval_ = 0, first_time_ = 0, last_time_ = 0, temperature_sum_ = 0;
  bool ours_ = false, alone_ = false, currents_ = false;
};

}  // namespace

Result<Track> read_track(FrameReader& reader, const std::string& name, const TrackOptions& options) {
  Builder builder(name, options);
  for (int64_t frames = 0;; ++frames) {
    const std::optional<Structure> frame = TRY(reader.next());
    if (!frame) break;
    TRY(builder.add(*frame));
    if (options.progress && frames % 100 == 0) TRY(options.progress(frames));
  }
  return builder.finish();
}

Result<Track> read_track(const std::filesystem::path& path, std::string_view form, const ReadOptions& read,
                         const TrackOptions& options) {
  const std::unique_ptr<FrameReader> reader = TRY(open_frames(path, form, read));
  return read_track(*reader, path.string(), options);
}

}  // namespace tqm::matter
