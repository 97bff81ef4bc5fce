// Files that nobody needs after a crash: what a program and its children hand each other while they run.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace tqm {

// The whole content, in place of what the file held. Unlike write_file_atomic nothing waits for the disk, and a reader
// that comes meanwhile may see half of it.
Status write_scratch_file(const std::filesystem::path& path, std::string_view content);

}  // namespace tqm
