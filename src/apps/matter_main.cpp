// torquetum-matter: materials from a crystal file to numbers with error bars.
#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "matter/command/commands.hpp"
#include "matter/evaluate/add_evaluate.hpp"
#include "task/cli/cli.hpp"
#include "task/main.hpp"

namespace {

tqm::Result<int> body(int argc, char** argv) {
  using namespace tqm::matter;
  CLI::App app("Reads, checks and simulates materials.", "torquetum matter");
  app.require_subcommand(1);
  std::vector<std::pair<const char*, Action>> actions;
  actions.emplace_back("convert", add_convert(app));
  actions.emplace_back("inspect", add_inspect(app));
  actions.emplace_back("clean", add_clean(app, {argv, argv + argc}));
  actions.emplace_back("evaluate", add_evaluate(app));
  actions.emplace_back("order", add_order(app));
  actions.emplace_back("transport", add_transport(app, {argv, argv + argc}));
  if (auto done = TRY(tqm::task::cli::parse(app, argc, argv))) return *done;
  for (const auto& [name, action] : actions)
    if (app.got_subcommand(name)) return action();
  ASSERT(false);
}

}  // namespace

int main(int argc, char** argv) {
  return tqm::task::run_program("torquetum matter", argc, argv, body);
}
