// Which files a scan reads, and with which options each is compiled.
#pragma once

#include "port/scan/scan.hpp"

namespace tqm::port {

struct SourceFile {
  std::filesystem::path path;  // absolute, normal
  std::string shown;           // as the user named it
  bool header = false;
  TokenScan words;
  std::string unread;  // why it could not be read
};

// All C++ and CUDA files under PATH, by name, or PATH itself, whatever it is called; links to folders are not followed.
Result<std::vector<SourceFile>> find_sources(const std::filesystem::path& path);

// Options by absolute source path, from compile_commands.json: -I, -isystem, -D, -std.
using CompileCommands = std::map<std::string, ParseOptions>;
Result<CompileCommands> read_compile_commands(const ScanOptions& options);

}  // namespace tqm::port
