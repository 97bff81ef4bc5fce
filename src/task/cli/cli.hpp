// The door to CLI11: parses a program's command line the way all our programs do.
//   CLI::App app("compress language models, and check them", "torquetum compress");
//   …options and subcommands…
//   if (auto done = TRY(cli::parse(app, argc, argv))) return *done;   // --help, --version and completion are answered
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace tqm::task::cli {

// Adds --version, parses, and answers --help, --version [--json] and --complete-words on standard output: then the exit
// code is returned. A wrong command line is a usage Error that names the nearest word and the help to read.
Result<std::optional<int>> parse(CLI::App& app, int argc, char** argv);

// What may stand in the place of the last of words (which may be empty or half typed), after those before it:
// subcommands, options, an option's set of values. Nothing: the shell completes file names.
std::vector<std::string> complete(const CLI::App& app, const std::vector<std::string>& words);

// For options held unsigned, such as seeds: CLI11 would take "-1" for the largest number of all.
CLI::Validator whole_number();

}  // namespace tqm::task::cli
