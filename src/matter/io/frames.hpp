// Structures out of files and into files, one frame at a time: a trajectory larger than memory is read like any other.
// Which forms there are stands in formats.hpp.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "matter/io/lines.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

class FrameReader {
 public:
  virtual ~FrameReader() = default;
  // The next frame, checked (see check of structure.hpp); none at the end of the file.
  virtual Result<std::optional<Structure>> next() = 0;
};

// What a file may not say of itself.
struct ReadOptions {
  std::vector<int> types = {};      // LAMMPS: the atomic number of type 1, 2, …
  std::string units = {};           // LAMMPS: "metal" or "real"; empty: as the file says, else metal
  bool stress_is_pressure = false;  // MOVEMENT: the stress it holds is positive in compression (see pwmat.hpp)
};

// Opens a file. form: a name of formats.hpp, or empty: told by the file's name and then by its beginning.
Result<std::unique_ptr<FrameReader>> open_frames(const std::filesystem::path& path, std::string_view form = "",
                                                 const ReadOptions& options = {});

// All frames of a file; at most `most` (beyond that an Error: read it frame by frame).
Result<std::vector<Structure>> read_frames(const std::filesystem::path& path, std::string_view form = "",
                                           const ReadOptions& options = {}, size_t most = 1'000'000);
// The file's last frame: a structure file has one, and of a relaxation the last is meant.
Result<Structure> read_structure(const std::filesystem::path& path, std::string_view form = "",
                                 const ReadOptions& options = {});

}  // namespace tqm::matter
