#include "apps/front/words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/json.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace tqm::front {
namespace {

constexpr std::string_view kWork = "Work, on this machine";
constexpr std::string_view kService = "The service: rent machines, run jobs, pay by the second";

constexpr Word kWords[] = {
    {"compress", "torquetum-compress", false, kWork, "make a language model smaller, and check it against the original",
     "torquetum compress run MODEL -o OUT --format int8-w8a8 --text FILE"},
    {"port", "torquetum-port", false, kWork, "translate CUDA kernels for other accelerators, and check them",
     "torquetum port --help"},
    {"matter", "torquetum-matter", false, kWork, "simulate materials: relax, diffuse, screen, with error bars",
     "torquetum matter --help"},
    {"chips", "torquetum-chips", false, kWork, "list accelerators, show what each can compute, find those present",
     "torquetum chips detect"},
    {"up", "torquetum-fleet", true, kService, "start the service on this machine", "torquetum up"},
    {"login", "torquetum-fleet", true, kService, "log in to a service", "torquetum login"},
    {"key", "torquetum-fleet", true, kService, "make, list and revoke access keys", "torquetum key --help"},
    {"account", "torquetum-fleet", true, kService, "show the account, its credit and its limits",
     "torquetum account --help"},
    {"price", "torquetum-fleet", true, kService, "show prices, and what a job would cost", "torquetum price --help"},
    {"job", "torquetum-fleet", true, kService, "submit, watch, stop and resume jobs", "torquetum job --help"},
    {"node", "torquetum-fleet", true, kService, "add, drain and remove machines", "torquetum node --help"},
    {"bill", "torquetum-fleet", true, kService, "show what was charged, and for what", "torquetum bill --help"},
};

// The words that the front answers itself.
constexpr std::string_view kOwnWords[] = {"help", "completion"};

}  // namespace

std::span<const Word> words() {
  return kWords;
}

Result<Word> word_named(std::string_view asked) {
  for (const Word& word : kWords)
    if (word.word == asked) return word;
  std::vector<std::string> names;
  for (const Word& word : kWords) names.emplace_back(word.word);
  for (std::string_view own : kOwnWords) names.emplace_back(own);
  const std::string hint = did_you_mean(asked, names);
  return Error{ErrorKind::usage, "there is no command " + std::string(asked), "",
               (hint.empty() ? "" : hint + " ") + "see torquetum --help"};
}

Result<std::filesystem::path> program_of(const Word& word) {
  if (auto path = find_program(word.program)) return *path;
  return Error{ErrorKind::not_found, std::string(word.program) + " is not installed",
               "looked in " + own_binary().parent_path().string() + " and in PATH",
               "build or install it; torquetum --help shows which commands are installed"};
}

std::string help_text() {
  std::string text =
      "torquetum: AI work made for one kind of accelerator, run on whatever there is, and checked\n"
      "\n"
      "usage: torquetum COMMAND [ARGUMENTS]      (tqm is short for torquetum)\n";
  std::string_view group;
  for (const Word& word : kWords) {
    if (word.group != group) text += fmt::format("\n{}:\n", word.group);
    group = word.group;
    text +=
        fmt::format("  {:<10} {}{}\n", word.word, word.about, find_program(word.program) ? "" : "  (not installed)");
  }
  text +=
      "\nHelp:\n"
      "  help       COMMAND: what the command does, and its options; same as COMMAND --help\n"
      "  completion bash, zsh or fish: prints a script that completes commands and options\n"
      "\n"
      "  --help     this page       --version  the version       --json  either of them for programs\n"
      "\nExamples:\n";
  for (const Word& word : kWords)
    if (word.group == kWork && !word.example.ends_with("--help")) text += fmt::format("  {}\n", word.example);
  text +=
      "  eval \"$(torquetum completion bash)\"\n"
      "\n"
      "Each command is a program of its own, torquetum-COMMAND, and can be started by that name.\n"
      "Exit codes: 0 done, 1 can't be done as asked, 2 the check failed and the work was rolled back,\n"
      "75 stopped and resumable, 70 a bug of ours.\n";
  return text;
}

std::string help_json() {
  Json list = Json::array();
  for (const Word& word : kWords) {
    const auto path = find_program(word.program);
    Json row{{"command", word.word}, {"program", word.program}, {"group", word.group},
             {"about", word.about},  {"example", word.example}, {"installed", path.has_value()}};
    if (path) row["path"] = path->string();
    list.push_back(row);
  }
  return dump_json(Json{{"program", "torquetum"}, {"version", version()}, {"commands", list}});
}

}  // namespace tqm::front
