// torquetum port scan: every kernel, launch and library call of a file or a tree of files.
//
// Each source is read twice: word by word, which never fails, and by Clang, through a function that is handed in, since
// Clang is to run in a process of its own. What the words hold and Clang's tree does not is a row all the same, and
// says why. Headers are read with the sources that include them; alone where no source brought their kernels.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "port/scan/tier.hpp"
#include "port/scan/token_scan.hpp"

namespace tqm::port {

struct ScanOptions {
  std::filesystem::path path;  // a file or a folder
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::string> defines;
  std::string standard = "c++17";
  std::filesystem::path compile_commands;  // compile_commands.json; empty: where PATH or PATH/build holds one
  int jobs = 1;                            // files at a time
};

// Parses one source. An Error says why there is no tree (Clang ended, took too long).
using ParseSource = std::function<Result<Program>(const ParseOptions&)>;
using ScanProgress = std::function<void(size_t done, size_t total)>;

struct KernelRow {
  Kernel kernel;          // file as shown to the user
  bool by_words = false;  // Clang's tree does not hold it
  Expectation expected;
  std::vector<size_t> launches;  // into Scan::launches
};

struct LaunchRow {
  Launch launch;
  bool by_words = false;
};

struct CallRow {
  std::string library, function, substitute, file;
  int line = 0;
};

struct Scan {
  std::vector<KernelRow> kernels;      // by file and line
  std::vector<LaunchRow> launches;     // by file and line
  std::vector<CallRow> calls;          // by file and line
  std::vector<Diagnostic> of_files;    // headers not found, files that Clang could not read
  size_t files = 0, files_parsed = 0;  // read; read by Clang, too
};

Result<Scan> scan(const ScanOptions& options, const ParseSource& parse_source, const ScanProgress& progress = {});

}  // namespace tqm::port
