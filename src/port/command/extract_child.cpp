#include "port/command/extract_child.hpp"

#include <fmt/format.h>
#include <string.h>
#include <sys/resource.h>

#include "base/process.hpp"
#include "port/frontend/extract.hpp"

namespace tqm::port {
namespace {

Json options_json(const ParseOptions& options) {
  Json folders = Json::array();
  for (const auto& folder : options.include_folders) folders.push_back(folder.string());
  return {{"file", options.file.string()},
          {"include_folders", folders},
          {"defines", options.defines},
          {"standard", options.standard},
          {"cuda_headers", options.cuda_headers.string()}};
}

Result<ParseOptions> options_of(const Json& json) {
  try {
    ParseOptions options;
    options.file = json.at("file").get<std::string>();
    for (const Json& folder : json.at("include_folders"))
      options.include_folders.emplace_back(folder.get<std::string>());
    options.defines = json.at("defines").get<std::vector<std::string>>();
    options.standard = json.at("standard").get<std::string>();
    options.cuda_headers = json.at("cuda_headers").get<std::string>();
    return options;
  } catch (const std::exception& e) {
    return Error{ErrorKind::usage, std::string("these are no options of a source: ") + e.what(), "standard input", ""};
  }
}

// The first line of a failed child's standard error, without the program's name.
std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  const std::string name = "torquetum port: ";
  return line.starts_with(name) ? line.substr(name.size()) : line;
}

}  // namespace

Result<Program> extract_in_child(const ParseOptions& options) {
  Command command;
  command.arguments = {own_binary().string(), "extract"};
  command.input = dump_json(options_json(options), -1);
  command.timeout_seconds = kParseSeconds;
  const CommandResult result = TRY(run_command(command));
  const auto failed = [&](std::string what) {
    return Error{ErrorKind::bad_input, std::move(what), options.file.string(), "parse it alone to see why"};
  };
  if (result.timed_out) return failed(fmt::format("Clang took longer than {} s", kParseSeconds));
  if (result.signal != 0)
    return failed(fmt::format("Clang ended by signal {} ({})", result.signal, strsignal(result.signal)));
  if (result.output_cut) return failed("the file holds too much");
  if (result.code != 0) return failed(first_line(result.errors));
  return program_from_json(TRY(parse_json(result.output, "what the parsing process printed")));
}

Result<std::string> extract_from_json(const std::string& text) {
  const rlimit memory = {kParseBytes, kParseBytes};
  setrlimit(RLIMIT_AS, &memory);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const Json json = TRY(parse_json(text, "standard input"));
  const ParseOptions options = TRY(options_of(json));
  const Unit unit = TRY(parse(options));
  return dump_json(to_json(extract(unit)), -1);
}

}  // namespace tqm::port
