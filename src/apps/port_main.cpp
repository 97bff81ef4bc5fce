// torquetum-port: CUDA kernels for other accelerators, checked beside the original.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "port/command/commands.hpp"
#include "task/cli/cli.hpp"
#include "task/main.hpp"

namespace {

tqm::Result<int> body(int argc, char** argv) {
  using namespace tqm::port;
  CLI::App app("Translates CUDA kernels for other accelerators, and checks them beside the original.",
               "torquetum port");
  app.require_subcommand(1);
  // What stands behind -- belongs to the program that `run` runs.
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  std::vector<std::string> program_arguments(dashes == end ? end : dashes + 1, end);
  std::vector<std::pair<const char*, Action>> actions;
  actions.emplace_back("scan", add_scan(app));
  actions.emplace_back("translate", add_translate(app));
  actions.emplace_back("verify", add_verify(app));
  actions.emplace_back("run", add_run(app, std::move(program_arguments)));
  actions.emplace_back("extract", add_extract(app));
  if (auto done = TRY(tqm::task::cli::parse(app, static_cast<int>(dashes - argv), argv))) return *done;
  for (const auto& [name, action] : actions)
    if (app.got_subcommand(name)) return action();
  ASSERT(false);
}

}  // namespace

int main(int argc, char** argv) {
  return tqm::task::run_program("torquetum port", argc, argv, body);
}
