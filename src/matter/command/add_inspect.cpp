#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "matter/command/commands.hpp"
#include "matter/command/inspect.hpp"
#include "matter/command/read_options.hpp"

namespace tqm::matter {
namespace {

struct Given {
  std::filesystem::path file;
  ReadGiven read;
  bool json = false;
};

Result<int> run(const Given& given) {
  const ReadOptions options = TRY(read_options(given.read));
  const Inspection seen = TRY(inspect(given.file, given.read.from, options));
  std::cout << (given.json ? dump_json(inspection_json(seen)) + "\n" : inspection_text(seen));
  return 0;
}

}  // namespace

Action add_inspect(CLI::App& app) {
  auto given = std::make_shared<Given>();
  CLI::App* command = app.add_subcommand("inspect", "Shows what a file of structures holds");
  command->footer(
      "Cell, space group and the shortest distance are the first frame's; ranges are those of all frames.\n"
      "Examples:\n"
      "  torquetum matter inspect LLZO.cif\n"
      "  torquetum matter inspect MOVEMENT --json");
  command->add_option("FILE", given->file, "read: " + form_names(false))->required();
  add_read_options(*command, given->read);
  command->add_flag("--json", given->json, "JSON on standard output");
  return [given] { return run(*given); };
}

}  // namespace tqm::matter
