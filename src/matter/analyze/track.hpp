// A trajectory's atoms, made continuous and relative to the framework, frame by frame: the file may be larger than
// memory, for only every so-many-th frame is kept, twice as seldom whenever there are too many.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matter/analyze/displacement.hpp"
#include "matter/io/frames.hpp"

namespace tqm::matter {

struct TrackOptions {
  int mobile = 3;                                // atomic number
  std::optional<double> frame_fs = {};           // between frames, where the file has no time
  double skip_fs = 0;                            // equilibration: frames before this time since the first are left out
  size_t most_bytes = size_t{256} << 20;         // of kept positions
  std::function<Status(int64_t)> progress = {};  // frames read
};

struct Track {
  std::string name;                      // the file
  double step_fs = 0;                    // between kept points
  int64_t frames = 0;                    // read, without those skipped
  Coordinates mobile;                    // Å, relative to the framework's centre of mass
  std::map<int, Coordinates> framework;  // by element, the same
  double volume = 0;                     // Å³, the mean
  double narrowest = 0;                  // Å: least perpendicular width of the cell
  bool cell_varies = false;
  std::optional<double> temperature;  // K: mean of temperature_k, else of the velocities
  std::vector<Vec3>
      current;  // Σ v of the mobile ions relative to the framework, Å/fs, every frame; empty without velocities
  double current_step_fs = 0;
  size_t points() const { return mobile.empty() ? 0 : mobile.front().size(); }
  double span_fs() const { return points() < 2 ? 0 : step_fs * static_cast<double>(points() - 1); }
  size_t ions() const { return mobile.size() / 3; }
};

// Our own engine's trajectories (time_fs, step and ensemble in the comment) hold continuous positions; all others are
// unwrapped by the nearest image between successive frames. Refused: a displacement between frames of more than 0.4 of
// the cell (which image?), uneven times, atoms that change, a cell that isn't periodic, a Langevin trajectory (its
// friction sets the diffusion), fewer than 20 frames, no mobile ion.
Result<Track> read_track(const std::filesystem::path& path, std::string_view form, const ReadOptions& read,
                         const TrackOptions& options);
Result<Track> read_track(FrameReader& reader, const std::string& name, const TrackOptions& options);

}  // namespace tqm::matter
