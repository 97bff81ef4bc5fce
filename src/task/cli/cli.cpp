#include "task/cli/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace tqm::task::cli {
namespace {

constexpr const char* kCompleteWords = "--complete-words";

const CLI::Option* option_named(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options())
    if (option->nonpositional() && option->check_name(name)) return option;
  return nullptr;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_min() > 0 && option.get_type_size() > 0;
}

// Where words lead: the deepest subcommand, and the words that are neither on the way to it nor options' values.
struct Place {
  const CLI::App* app;
  std::vector<std::string> rest;
};

Place place_of(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{&app, {}};
  bool is_value = false;
  for (const std::string& word : words) {
    if (std::exchange(is_value, false)) continue;
    if (const CLI::Option* option = option_named(*place.app, word)) is_value = takes_value(*option);
    const auto below = place.app->get_subcommands([](const CLI::App*) { return true; });
    const auto found =
        std::find_if(below.begin(), below.end(), [&](const CLI::App* sub) { return sub->check_name(word); });
    if (found != below.end())
      place.app = *found;
    else
      place.rest.push_back(word);
  }
  return place;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// CLI11 tells a set of values only in its description: "TEXT:{gptq,rtn}".
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return {};
  std::vector<std::string> values = split(type.substr(open + 1, close - open - 1), ',');
  for (std::string& value : values) value = value.substr(0, value.find("->"));
  return values;
}

std::string command_name(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* at = app.get_parent(); at; at = at->get_parent()) name = at->get_name() + " " + name;
  return name;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& problem, const std::vector<std::string>& words) {
  const Place place = place_of(app, words);
  const CLI::App& at = *place.app;
  Error error{ErrorKind::usage, std::string(trim(problem.what())), "", ""};
  // CLI11 puts hints on lines of their own.
  if (const size_t line = error.what.find('\n'); line != std::string::npos) error.what.resize(line);
  if (!error.what.empty() && error.what.back() == '.') error.what.pop_back();
  std::string hint;
  // What CLI11 calls a missing subcommand is mostly a mistyped one.
  const auto below = subcommand_names(at);
  if (!below.empty() && at.get_options([](const CLI::Option* option) { return option->get_positional(); }).empty()) {
    const auto stray = std::find_if(place.rest.begin(), place.rest.end(),
                                    [](const std::string& word) { return !word.starts_with("-"); });
    if (stray != place.rest.end()) {
      error.what = "there is no command " + *stray;
      hint = did_you_mean(*stray, below);
    } else if (dynamic_cast<const CLI::RequiredError*>(&problem)) {
      error.what = "say which command: " + join(below, ", ");
    }
  }
  for (const std::string& word : place.rest) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("-") || option_named(at, name)) continue;
    if (hint.empty() && error.what.find(name) != std::string::npos) hint = did_you_mean(name, option_names(at));
  }
  error.next = (hint.empty() ? "" : hint + " ") + "see " + command_name(at) + " --help";
  return error;
}

}  // namespace

std::vector<std::string> complete(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::string& typed = words.back();
  const std::vector<std::string> before(words.begin(), words.end() - 1);
  const CLI::App* at = place_of(app, before).app;
  std::vector<std::string> candidates;
  const CLI::Option* waiting = before.empty() ? nullptr : option_named(*at, before.back());
  if (waiting && takes_value(*waiting))
    candidates = values_of(*waiting);
  else if (typed.starts_with("-"))
    candidates = option_names(*at);
  else
    candidates = subcommand_names(*at);
  std::erase_if(candidates, [&](const std::string& candidate) { return !candidate.starts_with(typed); });
  return candidates;
}

CLI::Validator whole_number() {
  const auto complaint = [](const std::string& text) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, code] = std::from_chars(text.data(), end, value);
    if (code == std::errc::result_out_of_range) return text + " is larger than any number here can be";
    return code == std::errc() && at == end ? std::string() : text + " is no whole number of 0 or more";
  };
  return CLI::Validator(complaint, "");
}

Result<std::optional<int>> parse(CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == kCompleteWords) {
    for (const std::string& word : complete(app, {words.begin() + 1, words.end()})) std::printf("%s\n", word.c_str());
    return std::optional<int>(0);
  }
  app.set_version_flag("--version", std::string(version()), "Print the version");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
    const Json object{{"program", app.get_name()}, {"version", version()}};
    std::printf("%s\n", json ? dump_json(object, -1).c_str() : (app.get_name() + " " + std::string(version())).c_str());
    return std::optional<int>(0);
  } catch (const CLI::Success& answer) {
    std::ostringstream out, ignored;
    app.exit(answer, out, ignored);
    std::fputs(out.str().c_str(), stdout);
    return std::optional<int>(0);
  } catch (const CLI::ParseError& problem) {
    return usage_error(app, problem, words);
  }
  return std::optional<int>();
}

}  // namespace tqm::task::cli
