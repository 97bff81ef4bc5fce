// The table of file forms. Adding one is its file, NAME.cpp, and a row in formats.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "matter/io/frames.hpp"

namespace tqm::matter {

struct Format {
  std::string_view name;                             // as --from and --to take it
  std::string_view about;                            // one line for help
  bool (*is_name)(std::string_view file_name);       // does the file's name say so? The name without its folder
  bool (*is_beginning)(std::string_view beginning);  // do the first 4 KiB?
  std::unique_ptr<FrameReader> (*read)(Lines lines, const ReadOptions& options);
};

std::span<const Format> formats();
// unsupported where there is none, with the names that there are.
Result<const Format*> format_named(std::string_view name);
// By the name, else by the beginning.
Result<const Format*> format_of_file(const std::filesystem::path& path);

}  // namespace tqm::matter
