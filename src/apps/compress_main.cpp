// torquetum-compress: quantises language models and judges the result beside the original.
#include <CLI/CLI.hpp>
#include <utility>

#include "compress/command/commands.hpp"
#include "task/cli/cli.hpp"
#include "task/main.hpp"

namespace {

tqm::Result<int> body(int argc, char** argv) {
  using namespace tqm::compress;
  CLI::App app("Makes language models smaller, and keeps only what was checked beside the original.",
               "torquetum compress");
  app.require_subcommand(1);
  std::vector<std::string> command(argv, argv + argc);
  std::vector<std::pair<const char*, Action>> actions;
  actions.emplace_back("inspect", add_inspect(app));
  actions.emplace_back("evaluate", add_evaluate(app));
  actions.emplace_back("run", add_run(app, std::move(command)));
  actions.emplace_back("compare", add_compare(app));
  actions.emplace_back("generate", add_generate(app));
  actions.emplace_back("speed", add_speed(app));
  actions.emplace_back("continuations", add_continuations(app));
  if (auto done = TRY(tqm::task::cli::parse(app, argc, argv))) return *done;
  for (const auto& [name, action] : actions)
    if (app.got_subcommand(name)) return action();
  ASSERT(false);
}

}  // namespace

int main(int argc, char** argv) {
  return tqm::task::run_program("torquetum compress", argc, argv, body);
}
