#include "task/cli/cli.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tqm::task::cli {
namespace {

struct Sample {
  CLI::App app{"a sample", "torquetum sample"};
  std::string method = "rtn", model;
  bool json = false;
  Sample() {
    app.require_subcommand(1);
    CLI::App* run = app.add_subcommand("run", "do it");
    run->add_option("model", model, "the model")->required();
    run->add_option("--method", method, "how")->check(CLI::IsMember(std::vector<std::string>{"gptq", "rtn"}));
    run->add_flag("--json", json, "for programs");
    app.add_subcommand("evaluate", "measure");
  }
  Result<std::optional<int>> parse(std::vector<std::string> words) {
    words.insert(words.begin(), "torquetum-sample");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return cli::parse(app, static_cast<int>(words.size()), argv.data());
  }
};

std::string printed(std::vector<std::string> words) {
  Sample sample;
  testing::internal::CaptureStdout();
  const auto result = sample.parse(std::move(words));
  EXPECT_TRUE(result.ok() && *result && **result == 0);
  return testing::internal::GetCapturedStdout();
}

TEST(Cli, a_right_command_line_is_handed_on) {
  Sample sample;
  const auto result = sample.parse({"run", "m", "--method", "gptq"});
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->has_value());
  EXPECT_EQ(sample.method, "gptq");
}

TEST(Cli, a_mistyped_option_names_the_nearest_and_the_help) {
  const auto result = Sample().parse({"run", "m", "--metod", "gptq"});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_NE(result.error().what.find("--metod"), std::string::npos) << result.error().what;
  EXPECT_EQ(result.error().next, "did you mean --method? see torquetum sample run --help");
}

TEST(Cli, a_mistyped_word_names_the_nearest) {
  const auto result = Sample().parse({"evalute"});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_EQ(result.error().next, "did you mean evaluate? see torquetum sample --help") << result.error().what;
}

TEST(Cli, a_value_out_of_its_set_is_refused) {
  const auto result = Sample().parse({"run", "m", "--method", "gpqt"});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().what.find("gpqt"), std::string::npos) << result.error().what;
  EXPECT_EQ(result.error().next, "see torquetum sample run --help");
}

TEST(Cli, a_seed_is_a_whole_number) {
  uint64_t seed = 1;
  const auto parsed = [&](const std::string& word) {
    CLI::App app{"a sample", "torquetum sample"};
    app.add_option("--seed", seed)->check(whole_number());
    std::vector<std::string> words = {"torquetum-sample", "--seed=" + word};
    char* argv[] = {words[0].data(), words[1].data(), nullptr};
    return cli::parse(app, 2, argv);
  };
  EXPECT_TRUE(parsed("18446744073709551615").ok());
  EXPECT_EQ(seed, UINT64_MAX);
  EXPECT_TRUE(parsed("0").ok());
  for (const char* word : {"-1", "1.5", "0x10", "seven", "+1", " 1"}) {
    const auto refused = parsed(word);
    ASSERT_FALSE(refused.ok()) << word;
    EXPECT_NE(refused.error().what.find(std::string(word) + " is no whole number of 0 or more"), std::string::npos)
        << refused.error().what;
  }
  EXPECT_NE(parsed("18446744073709551616").error().what.find("larger than any"), std::string::npos);
}

TEST(Cli, help_and_version_are_answered) {
  EXPECT_NE(printed({"--help"}).find("evaluate"), std::string::npos);
  EXPECT_NE(printed({"run", "--help"}).find("--method"), std::string::npos);
  EXPECT_EQ(printed({"--version"}).find("torquetum sample 0."), 0u);
}

TEST(Cli, completion_knows_words_options_and_values) {
  EXPECT_EQ(printed({"--complete-words", ""}), "run\nevaluate\n");
  EXPECT_EQ(printed({"--complete-words", "ev"}), "evaluate\n");
  EXPECT_EQ(printed({"--complete-words", "run", "--m"}), "--method\n");
  EXPECT_EQ(printed({"--complete-words", "run", "m", "--method", ""}), "gptq\nrtn\n");
  EXPECT_EQ(printed({"--complete-words", "run", ""}), "");
  EXPECT_EQ(printed({"--complete-words"}), "");
}

}  // namespace
}  // namespace tqm::task::cli
