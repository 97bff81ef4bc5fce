#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "apps/front/words.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/process.hpp"

namespace tqm::front {
namespace {
namespace fs = std::filesystem;

class Front : public testing::Test {
 protected:
  Front() : temporary_(std::move(TemporaryFolder::make("tqm-front")).take()) {
    fs::create_directories(temporary_.path() / "bin");
    fs::create_directories(temporary_.path() / "path");
    fs::copy_file(fs::path(TQM_BIN_DIR) / "torquetum", temporary_.path() / "bin" / "torquetum");
    script(temporary_.path() / "bin" / "torquetum-chips", "beside");
    script(temporary_.path() / "path" / "torquetum-chips", "in path");
    script(temporary_.path() / "path" / "torquetum-fleet", "fleet");
  }
  static void script(const fs::path& path, const std::string& says) {
    std::ofstream(path) << "#!/bin/sh\nprintf '%s' '" << says
                        << "'\nfor a in \"$@\"; do printf '|%s' \"$a\"; done\nexit 7\n";
    ::chmod(path.c_str(), 0755);
  }
  CommandResult run(std::vector<std::string> arguments) const {
    Command command;
    arguments.insert(arguments.begin(), (temporary_.path() / "bin" / "torquetum").string());
    command.arguments = std::move(arguments);
    command.set_environment = {{"PATH", (temporary_.path() / "path").string() + ":/usr/bin:/bin"}};
    auto result = run_command(command);
    EXPECT_TRUE(result.ok());
    return std::move(result).take();
  }
  TemporaryFolder temporary_;
};

TEST_F(Front, a_word_becomes_its_program) {
  const auto chips = run({"chips", "show", "a b", "--json"});
  EXPECT_EQ(chips.output, "beside|show|a b|--json");
  EXPECT_EQ(chips.code, 7);
  EXPECT_EQ(run({"job", "list"}).output, "fleet|job|list");
  EXPECT_EQ(run({"help", "chips"}).output, "beside|--help");
  EXPECT_EQ(run({"--help", "job"}).output, "fleet|job|--help");
}

TEST_F(Front, a_wrong_word_is_answered_with_the_nearest) {
  const auto result = run({"chisp"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.errors, "torquetum: there is no command chisp\n  did you mean chips? see torquetum --help\n");
  EXPECT_EQ(run({"xyzzy"}).errors, "torquetum: there is no command xyzzy\n  see torquetum --help\n");
  EXPECT_EQ(run({"help", "prot"}).errors,
            "torquetum: there is no command prot\n  did you mean port? see torquetum --help\n");
}

TEST_F(Front, a_missing_program_is_said) {
  const auto result = run({"matter", "relax"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.errors.find("torquetum: torquetum-matter is not installed (looked in "), 0u) << result.errors;
}

TEST_F(Front, wrong_options_are_refused) {
  EXPECT_EQ(run({"--jsn"}).errors,
            "torquetum: there is no option --jsn\n  options of a command stand behind it; see torquetum --help\n");
  const auto error = parse_json(run({"--json", "chips"}).errors, "stderr");
  ASSERT_TRUE(error.ok());
  EXPECT_EQ((*error)["error"]["what"], "--json stands behind the command");
  EXPECT_EQ((*parse_json(run({"--json"}).errors, ""))["error"]["kind"], "usage");
}

TEST_F(Front, help_teaches_and_says_what_is_missing) {
  const auto help = run({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const Word& word : words()) EXPECT_NE(help.output.find(std::string(word.about)), std::string::npos) << word.word;
  EXPECT_NE(help.output.find("with error bars  (not installed)\n"), std::string::npos);
  EXPECT_EQ(help.output.find("find those present  (not installed)"), std::string::npos);
  const auto none = run({});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.errors.find("usage: torquetum COMMAND"), std::string::npos);
}

TEST_F(Front, help_and_version_have_a_form_for_programs) {
  const auto help = parse_json(run({"--help", "--json"}).output, "help");
  ASSERT_TRUE(help.ok());
  EXPECT_EQ((*help)["commands"].size(), words().size());
  for (const Json& row : (*help)["commands"])
    EXPECT_EQ(row["installed"], row["program"] == "torquetum-chips" || row["program"] == "torquetum-fleet") << row;
  const auto plain = run({"--version"});
  const auto json = parse_json(run({"--version", "--json"}).output, "version");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(plain.output, "torquetum " + (*json)["version"].get<std::string>() + "\n");
}

TEST_F(Front, output_that_cannot_be_written_is_an_error) {
  const auto result = run_command(
      {.arguments = {"sh", "-c", "\"$0\" --help >/dev/full", (temporary_.path() / "bin" / "torquetum").string()}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->code, 1);
  EXPECT_NE(result->errors.find("can't write the output: No space left on device (standard output)"),
            std::string::npos);
}

TEST_F(Front, completion_asks_the_program_below_a_word) {
  EXPECT_EQ(run({"--complete-words", "ch"}).output, "chips\n");
  EXPECT_EQ(run({"--complete-words", ""}).output,
            "chips\nup\nlogin\nkey\naccount\nprice\njob\nnode\nbill\nhelp\ncompletion\n");
  EXPECT_EQ(run({"--complete-words", "--v"}).output, "--version\n");
  EXPECT_EQ(run({"--complete-words", "help", "bi"}).output, "bill\n");
  EXPECT_EQ(run({"--complete-words", "completion", ""}).output, "bash\nzsh\nfish\n");
  EXPECT_EQ(run({"--complete-words", "chips", "sh"}).output, "beside|--complete-words|sh");
  EXPECT_EQ(run({"--complete-words", "job", "l"}).output, "fleet|--complete-words|job|l");
  EXPECT_EQ(run({"--complete-words", "matter", ""}).output, "");
}

TEST_F(Front, the_bash_script_completes) {
  const auto result =
      run_command({.arguments = {"bash", "-c",
                                 "eval \"$(\"$0\" completion bash)\"; COMP_WORDS=(\"$0\" completion z); COMP_CWORD=2; "
                                 "_torquetum; echo \"${COMPREPLY[*]}\"",
                                 (temporary_.path() / "bin" / "torquetum").string()}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "zsh\n") << result->errors;
  EXPECT_EQ(run({"completion", "fsh"}).errors,
            "torquetum: there is no completion for fsh\n  torquetum completion bash|zsh|fish\n");
  for (const char* shell : {"bash", "zsh", "fish"}) EXPECT_EQ(run({"completion", shell}).code, 0);
}

}  // namespace
}  // namespace tqm::front
