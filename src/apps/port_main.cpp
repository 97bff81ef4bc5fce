// torquetum-port: CUDA kernels for other accelerators, checked beside the original.
#include <CLI/CLI.hpp>
#include <utility>

#include "port/command/commands.hpp"
#include "task/cli/cli.hpp"
#include "task/main.hpp"

namespace {

tqm::Result<int> body(int argc, char** argv) {
  using namespace tqm::port;
  CLI::App app("Translates CUDA kernels for other accelerators, and checks them beside the original.",
               "torquetum port");
  app.require_subcommand(1);
  std::vector<std::pair<const char*, Action>> actions;
  actions.emplace_back("scan", add_scan(app));
  actions.emplace_back("translate", add_translate(app));
  actions.emplace_back("extract", add_extract(app));
  if (auto done = TRY(tqm::task::cli::parse(app, argc, argv))) return *done;
  for (const auto& [name, action] : actions)
    if (app.got_subcommand(name)) return action();
  ASSERT(false);
}

}  // namespace

int main(int argc, char** argv) {
  return tqm::task::run_program("torquetum port", argc, argv, body);
}
