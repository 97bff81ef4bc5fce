#include "base/process.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <vector>

namespace tqm {
namespace {

TEST(Process, output_errors_and_code_come_back) {
  const auto result = run_command({.arguments = {"sh", "-c", "cat; echo oops >&2; exit 3"}, .input = "hello"});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "hello");
  EXPECT_EQ(result->errors, "oops\n");
  EXPECT_EQ(result->code, 3);
}

TEST(Process, arguments_are_no_shell_words) {
  EXPECT_EQ(run_command({.arguments = {"printf", "%s", "a b; $(c) 'd'"}})->output, "a b; $(c) 'd'");
}

TEST(Process, large_input_to_a_command_that_does_not_read_is_no_end_of_ours) {
  const auto result = run_command({.arguments = {"true"}, .input = std::string(1 << 20, 'x')});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->code, 0);
}

TEST(Process, output_beyond_the_limit_is_cut_and_marked) {
  const auto result = run_command({.arguments = {"sh", "-c", "head -c 300000 /dev/zero"}, .most_output_bytes = 1000});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output.size(), 1000u);
  EXPECT_TRUE(result->output_cut);
  EXPECT_EQ(result->code, 0);
}

TEST(Process, too_long_is_killed_with_its_group) {
  const auto result = run_command({.arguments = {"sh", "-c", "sleep 1000; true"}, .timeout_seconds = 0.05});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->signal, SIGKILL);
}

TEST(Process, a_daemon_that_keeps_the_streams_does_not_hold_us) {
  const auto result = run_command({.arguments = {"sh", "-c", "sleep 5 & echo started"}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "started\n");
}

TEST(Process, the_environment_and_folder_are_set) {
  const auto result = run_command({.arguments = {"sh", "-c", "echo $TQM_TEST_VALUE; pwd"},
                                   .work_folder = "/",
                                   .set_environment = {{"TQM_TEST_VALUE", "a=b"}}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "a=b\n/\n");
}

TEST(Process, what_cannot_be_started_is_said) {
  EXPECT_EQ(run_command({.arguments = {"no-such-program-tqm"}}).error().message(),
            "there is no program no-such-program-tqm (PATH): install it, or give its path");
  EXPECT_EQ(run_command({.arguments = {"true"}, .work_folder = "/no-such-folder"}).error().kind, ErrorKind::not_found);
  EXPECT_EQ(run_command({.arguments = {"/etc/passwd"}}).error().kind, ErrorKind::permission);
}

TEST(Process, programs_are_found_beside_ours_and_in_path) {
  EXPECT_TRUE(find_program("sh").has_value());
  EXPECT_EQ(find_program(own_binary().filename().string()), own_binary());
  EXPECT_FALSE(find_program("no-such-program-tqm").has_value());
}

TEST(Process, processors_are_those_that_it_may_use) {
  const auto one = run_command({.arguments = {"sh", "-c", "nproc --all; nproc"}});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(std::to_string(usable_processors()) + "\n", one->output.substr(one->output.find('\n') + 1));
}

TEST(Process, memory_is_told) {
  EXPECT_GT(current_memory_bytes(), 1u << 20);
  std::vector<char> large(50 << 20, 1);
  EXPECT_GE(peak_memory_bytes(), uint64_t{50} << 20);
  EXPECT_EQ(large.back(), 1);
}

}  // namespace
}  // namespace tqm
