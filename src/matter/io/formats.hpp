// The table of file forms. Adding one is its file, NAME.cpp, and a row in formats.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "matter/io/frames.hpp"
#include "matter/io/write.hpp"

namespace tqm::matter {

// What a form holds beside the cell, species and positions.
enum Holds : unsigned {
  kNothing = 0,
  kVelocities = 1,
  kForces = 2,
  kCharges = 4,
  kMoments = 8,
  kMovable = 16,
  kLabels = 32,
  kWhole = 64,  // energy, stress, time, convergence, notes, periodicity
};

struct Format {
  std::string_view name;                             // as --from and --to take it
  std::string_view about;                            // one line for help
  bool (*is_name)(std::string_view file_name);       // does the file's name say so? The name without its folder
  bool (*is_beginning)(std::string_view beginning);  // do the first 4 KiB?
  std::unique_ptr<FrameReader> (*read)(Lines lines, const ReadOptions& options);
  Result<std::string> (*write)(const Structure& structure) = nullptr;  // null: not written
  bool many = false;                                                   // does a file hold several frames?
  unsigned holds = kNothing;
};

std::span<const Format> formats();
// unsupported where there is none, with the names that there are.
Result<const Format*> format_named(std::string_view name);
// By the name, else by the beginning.
Result<const Format*> format_of_file(const std::filesystem::path& path);
// By the name alone: of a file that is yet to be written.
Result<const Format*> format_of_name(const std::filesystem::path& path);

}  // namespace tqm::matter
