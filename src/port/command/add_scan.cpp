#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <thread>
#include <unistd.h>

#include "base/progress.hpp"
#include "port/command/commands.hpp"
#include "port/command/extract_child.hpp"
#include "port/scan/scan.hpp"
#include "port/scan/show.hpp"

namespace tqm::port {
namespace {

struct Given {
  ScanOptions options;
  bool json = false, calls = false;
};

// A bar that overwrites itself, on a terminal only.
ScanProgress progress_bar_on_terminal() {
  if (!::isatty(STDERR_FILENO)) return {};
  return [](size_t done, size_t total) {
    const ProgressView view{"scan", static_cast<int64_t>(done), static_cast<int64_t>(total), "files", {}, {}};
    std::fprintf(stderr, "\r%s%s", progress_bar(view, 79).c_str(), done == total ? "\r\033[K" : "");
  };
}

Result<int> run_scan(const Given& given) {
  const Scan found = TRY(scan(given.options, extract_in_child, progress_bar_on_terminal()));
  if (given.json)
    std::cout << dump_json(given.calls ? calls_json(found) : kernels_json(found)) << "\n";
  else
    std::cout << (given.calls ? calls_text(found) : kernels_text(found));
  return 0;
}

}  // namespace

Action add_scan(CLI::App& app) {
  auto given = std::make_shared<Given>();
  ScanOptions& options = given->options;
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CLI::App* sub = app.add_subcommand("scan", "Finds kernels, launches and library calls; says what to expect of each");
  sub->footer(
      "Examples:\n"
      "  torquetum port scan src/ -I include            a table of every kernel\n"
      "  torquetum port scan src/ --calls               launches, and library calls with what takes their place\n"
      "  torquetum port scan softmax.cu --json          an array of kernels, for a script");
  sub->add_option("PATH", options.path, "a source or a folder of them")->required();
  sub->add_option("-I", options.include_folders, "a folder of headers, as a compiler takes it")
      ->allow_extra_args(false);
  sub->add_option("-D", options.defines, "a macro: NAME or NAME=VALUE")->allow_extra_args(false);
  sub->add_option("--std", options.standard, "the C++ standard")->capture_default_str();
  sub->add_option("--compile-commands", options.compile_commands,
                  "compile_commands.json (default: PATH's own, or its build folder's)");
  sub->add_option("--jobs", options.jobs, "files at a time")->check(CLI::Range(1, 4096))->capture_default_str();
  sub->add_flag("--calls", given->calls, "launches and library calls in place of kernels");
  sub->add_flag("--json", given->json, "JSON on standard output");
  return [given] { return run_scan(*given); };
}

Action add_extract(CLI::App& app) {
  app.add_subcommand("extract", "For scan: parses one source")->group("");
  return []() -> Result<int> {
    const std::string options(std::istreambuf_iterator<char>(std::cin), {});
    std::cout << TRY(extract_from_json(options));
    return 0;
  };
}

}  // namespace tqm::port
