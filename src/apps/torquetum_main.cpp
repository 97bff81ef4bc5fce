// torquetum: the front. Finds the program behind a word and becomes it, so that signals, exit code and terminal are its
// own.
#include <cerrno>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

#include "apps/front/completion.hpp"
#include "apps/front/words.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/version.hpp"
#include "task/main.hpp"

namespace {

using namespace tqm;

// Comes back only where it fails.
Error become(const front::Word& word, std::vector<std::string> arguments) {
  const auto path = front::program_of(word);
  if (!path) return path.error();
  if (word.hands_word_on) arguments.insert(arguments.begin(), std::string(word.word));
  arguments.insert(arguments.begin(), std::string(word.program));
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  task::restore_default_signals();
  ::execv(path->c_str(), argv.data());
  return system_error("can't start the program", *path, errno);
}

Result<int> complete(const std::vector<std::string>& typed) {
  if (typed.size() > 1) {
    if (const auto word = front::word_named(typed[0])) {
      std::vector<std::string> below(typed.begin() + 1, typed.end());
      // A program behind several words is asked about the one that is meant: "torquetum-fleet --complete-words job …".
      if (word->hands_word_on) below.insert(below.begin(), typed[0]);
      below.insert(below.begin(), "--complete-words");
      front::Word plain = *word;
      plain.hands_word_on = false;
      return become(plain, below);
    }
  }
  for (const std::string& word : front::complete_own(typed)) std::printf("%s\n", word.c_str());
  return 0;
}

Result<int> body(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (!arguments.empty() && arguments[0] == "--complete-words")
    return complete({arguments.begin() + 1, arguments.end()});

  // Options before the word are the front's own; all behind it is the program's.
  bool help = false, show_version = false, json = false;
  size_t at = 0;
  for (; at < arguments.size() && arguments[at].starts_with("-"); ++at) {
    const std::string& option = arguments[at];
    if (option == "--help" || option == "-h")
      help = true;
    else if (option == "--version")
      show_version = true;
    else if (option == "--json")
      json = true;
    else
      return Error{ErrorKind::usage, "there is no option " + option, "",
                   "options of a command stand behind it; see torquetum --help"};
  }
  const std::vector<std::string> rest(arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
  if (show_version) {
    const Json object{{"program", "torquetum"}, {"version", version()}};
    std::printf("%s\n", json ? dump_json(object, -1).c_str() : ("torquetum " + std::string(version())).c_str());
    return 0;
  }
  if (help || (!rest.empty() && rest[0] == "help")) {
    const std::string about = !rest.empty() ? (rest[0] == "help" ? (rest.size() > 1 ? rest[1] : "") : rest[0]) : "";
    if (!about.empty() && !about.starts_with("-")) return become(TRY(front::word_named(about)), {"--help"});
    std::printf("%s\n", (json || about == "--json" ? front::help_json() : front::help_text()).c_str());
    return 0;
  }
  if (rest.empty()) {
    if (json) return Error{ErrorKind::usage, "say which command", "", "torquetum --help --json lists them"};
    std::fputs(front::help_text().c_str(), stderr);
    return 1;
  }
  if (json)
    return Error{ErrorKind::usage, "--json stands behind the command", "", "torquetum " + rest[0] + " … --json"};
  if (rest[0] == "completion") {
    std::printf("%s", TRY(front::completion_script(rest.size() > 1 ? rest[1] : "")).c_str());
    return 0;
  }
  return become(TRY(front::word_named(rest[0])), {rest.begin() + 1, rest.end()});
}

}  // namespace

int main(int argc, char** argv) {
  return tqm::task::run_program("torquetum", argc, argv, body);
}
