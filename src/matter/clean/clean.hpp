// Files of structures judged frame by frame and together, and parted into those without a fault and those set aside.
// Nothing is dropped: every frame read is in one of the two.
#pragma once

#include <filesystem>
#include <functional>
#include <map>

#include "matter/clean/judge.hpp"
#include "matter/io/frames.hpp"

namespace tqm::matter {

struct CleanOptions {
  JudgeOptions judge = {};
  ReadOptions read = {};
  std::string from = {};
  bool duplicates = true;
  std::function<Status(int64_t frames)> progress = nullptr;
};

struct CleanFile {
  std::filesystem::path path;
  int64_t frames = 0;
  std::string torn = {};  // why reading ended before the file did; empty: it did not
};

struct Cleaned {
  std::vector<CleanFile> files;
  std::vector<Summary> summaries;  // of frames 1, 2, … over all files
  std::vector<Finding> findings;   // by frame
  std::map<Fault, int64_t> frames_with;
  int64_t kept = 0, set_aside = 0;
};

// Reads all files and judges them. A file that can't be read from some frame on is judged up to there, and said to be
// torn; one without a readable frame is an Error.
Result<Cleaned> clean(const std::vector<std::filesystem::path>& files, const CleanOptions& options);

// Reads them once more and writes kept frames and the others, these with their faults in notes, as extended XYZ.
Status write_parts(const Cleaned& cleaned, const CleanOptions& options, const std::filesystem::path& kept,
                   const std::filesystem::path& set_aside);

}  // namespace tqm::matter
