// Structures into files. Each form writes one frame as text; numbers read back to the same double. What a form can't
// hold is refused where that would make another crystal of it (partial occupancies, a missing cell), and else named by
// left_out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/result.hpp"
#include "matter/structure/structure.hpp"

namespace tqm::matter {

struct Format;

// Atoms of a species stand together, species in the order of their first appearance. Direct coordinates; flags and
// velocities where there are.
Result<std::string> write_poscar(const Structure& structure);
// All that a Structure has; see extxyz.hpp.
Result<std::string> write_extxyz(const Structure& structure);
// In P 1, in the standard orientation (a along x), with occupancies and labels.
Result<std::string> write_cif(const Structure& structure);
// Units metal, atom style charge where there are charges, else atomic; a along x, tilts within half a length.
Result<std::string> write_lammps_data(const Structure& structure);
Result<std::string> write_atom_config(const Structure& structure);

// "velocities", "stress", …: what the structure has and the form can't hold.
std::vector<std::string> left_out(const Structure& structure, const Format& format);

// A file of frames, whole under its name once commit() is called.
class FrameFile {
 public:
  // unsupported where the form is not written.
  static Result<FrameFile> create(const std::filesystem::path& path, const Format& format);
  // A second frame into a form of one structure is refused.
  Status write(const Structure& structure);
  Status commit() { return file_.commit(); }
  int64_t frames() const { return frames_; }

 private:
  FrameFile(AtomicFile file, const Format& format, std::filesystem::path path)
      : file_(std::move(file)), format_(&format), path_(std::move(path)) {}
  AtomicFile file_;
  const Format* format_;
  std::filesystem::path path_;
  int64_t frames_ = 0;
};

}  // namespace tqm::matter
