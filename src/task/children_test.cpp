#include "task/children.hpp"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/file.hpp"

namespace tqm::task {
namespace {
namespace fs = std::filesystem;

class Children : public testing::Test {
 protected:
  Children() : temporary_(std::move(TemporaryFolder::make("tqm-children")).take()) {}
  fs::path path(const std::string& name) const { return temporary_.path() / name; }
  ChildSpec shell(const std::string& script) const {
    ChildSpec spec;
    spec.command = {"sh", "-c", script};
    spec.work_folder = temporary_.path();
    spec.stdout_file = path("out");
    spec.stderr_file = path("err");
    return spec;
  }
  Child start(const ChildSpec& spec) const {
    auto child = Child::start(spec);
    EXPECT_TRUE(child.ok()) << child.error().message();
    return std::move(child).take();
  }
  // Waits until the script has written the file; the test's own time limit is the bound.
  int number_in(const std::string& name) const {
    while (true) {
      if (const auto text = read_file(path(name)); text && text->ends_with("\n")) return std::stoi(*text);
      ::usleep(2000);
    }
  }
  TemporaryFolder temporary_;
};

// A zombie counts as gone: who adopted it has not looked yet.
bool is_gone(int pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return true;
  return text->substr(text->rfind(')') + 2, 1) == "Z";
}

TEST_F(Children, code_output_and_figures_come_back) {
  auto spec = shell("echo $TQM_VALUE; echo bad >&2; pwd; read line || echo no input; exit 3");
  spec.set_environment = {{"TQM_VALUE", "a b"}};
  auto child = start(spec);
  const ChildExit ended = child.wait();
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_EQ(exit_text(ended), "exit 3");
  EXPECT_EQ(*read_file(path("out")), "a b\n" + temporary_.path().string() + "\nno input\n");
  EXPECT_EQ(*read_file(path("err")), "bad\n");
  EXPECT_GT(ended.wall_seconds, 0);
  EXPECT_EQ(child.wait().code, 3) << "asking again gives the same answer";
}

TEST_F(Children, the_peak_memory_is_the_childs_own) {
  std::vector<char> large(200 << 20, 1);  // we are large, the child is not
  const ChildExit small = start(shell("true")).wait();
  EXPECT_GT(small.peak_rss_bytes, 0u);
  EXPECT_LT(small.peak_rss_bytes, uint64_t{60} << 20);
  EXPECT_EQ(large.back(), 1);
  const ChildExit bigger = start(shell("head -c 120000000 /dev/zero | tail -c 100000000 >/dev/null")).wait();
  EXPECT_GT(bigger.peak_rss_bytes, uint64_t{90} << 20);
}

TEST_F(Children, several_run_side_by_side_and_a_poll_tells_which_ended) {
  auto slow = start(shell("sleep 1000"));
  auto fast = start(shell("exit 0"));
  pollfd polled[] = {{slow.descriptor(), POLLIN, 0}, {fast.descriptor(), POLLIN, 0}};
  ASSERT_EQ(::poll(polled, 2, -1), 1);
  EXPECT_NE(polled[1].revents, 0);
  EXPECT_FALSE(slow.wait(0).has_value());
  EXPECT_EQ(fast.wait().code, 0);
}

TEST_F(Children, stop_asks_the_group_and_then_kills) {
  auto polite = start(shell("trap 'echo bye; exit 75' TERM; echo 1 > ready; while true; do sleep 0.01; done"));
  number_in("ready");
  EXPECT_EQ(polite.stop(30).code, 75);
  EXPECT_EQ(*read_file(path("out")), "bye\n");
  fs::remove(path("ready"));
  auto stubborn = start(shell("trap '' TERM; echo 1 > ready; while true; do sleep 0.01; done"));
  number_in("ready");
  const ChildExit killed = stubborn.stop(0.05);
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(exit_text(killed), "killed by signal 9 (Killed)");
}

TEST_F(Children, nothing_of_the_tree_is_left_when_the_command_ends) {
  // The second has a session of its own, and its parent is gone: a group's kill would miss it.
  auto child =
      start(shell("sleep 1000 & echo $! > one; (setsid sh -c 'echo $$ > two; exec sleep 1000' &) ; "
                  "until test -s two; do sleep 0.01; done; exit 4"));
  EXPECT_EQ(child.wait().code, 4);
  EXPECT_TRUE(is_gone(number_in("one")));
  EXPECT_TRUE(is_gone(number_in("two")));
}

TEST_F(Children, a_child_dies_with_its_handle) {
  int pid = 0;
  {
    auto child = start(shell("echo $$ > pid; exec sleep 1000"));
    pid = number_in("pid");
    EXPECT_EQ(pid, child.pid());
  }
  EXPECT_TRUE(is_gone(pid));
}

TEST_F(Children, the_tree_dies_with_us_even_by_kill_9) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    auto child =
        Child::start(shell("(setsid sh -c 'echo $$ > two; exec sleep 1000' &) ; echo $$ > one; exec sleep 1000"));
    if (!child) ::_exit(1);
    while (true) ::pause();
  }
  const int one = number_in("one"), two = number_in("two");
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  while (!is_gone(one) || !is_gone(two)) ::usleep(2000);  // the guard does it in its own time
}

TEST_F(Children, a_killed_guard_is_said_and_takes_the_command_with_it) {
  auto child = start(shell("echo $$ > pid; echo $PPID > guard; exec sleep 1000"));
  const int pid = number_in("pid");
  ::kill(number_in("guard"), SIGKILL);
  const ChildExit ended = child.wait();
  EXPECT_TRUE(ended.guard_lost);
  EXPECT_EQ(ended.code, 137);
  EXPECT_EQ(exit_text(ended), "lost: its guard was killed");
  while (!is_gone(pid)) ::usleep(2000);
}

TEST_F(Children, limits_hold) {
  auto spec = shell("head -c 100000 /dev/zero > big");
  spec.file_bytes = 4096;
  EXPECT_NE(start(spec).wait().code, 0);
  EXPECT_EQ(fs::file_size(path("big")), 4096u);
}

TEST_F(Children, what_cannot_be_started_is_an_error_with_its_reason) {
  auto spec = shell("");
  spec.command = {"no-such-program-tqm"};
  EXPECT_EQ(Child::start(spec).error().message(),
            "there is no program no-such-program-tqm (PATH): install it, or give its path");
  spec = shell("true");
  spec.work_folder = path("none");
  EXPECT_EQ(Child::start(spec).error().what, "can't start sh in this folder: No such file or directory");
  spec = shell("true");
  spec.stdout_file = path("none") / "out";
  EXPECT_EQ(Child::start(spec).error().what, "can't write the file: No such file or directory");
  spec.command = {"/etc/passwd"};
  spec.stdout_file.clear();
  EXPECT_EQ(Child::start(spec).error().kind, ErrorKind::permission);
}

TEST_F(Children, variables_of_the_task_can_be_kept_from_a_child) {
  ::setenv("TORQUETUM_EVENTS", "/x", 1);
  auto spec = shell("echo \"[$TORQUETUM_EVENTS]\"");
  spec.unset_environment = kTaskVariables;
  start(spec).wait();
  ::unsetenv("TORQUETUM_EVENTS");
  EXPECT_EQ(*read_file(path("out")), "[]\n");
}

TEST_F(Children, an_exit_is_believed_only_with_its_proof) {
  auto ended = [](int code, int signal = 0) {
    ChildExit e;
    e.code = code;
    e.signal = signal;
    return e;
  };
  auto judged = [&](const ChildExit& e) { return judge_exit(e, 2, path("report"), path("checkpoint")); };
  EXPECT_EQ(judged(ended(0)), Outcome::done);
  EXPECT_EQ(judged(ended(1)), Outcome::failed);
  EXPECT_EQ(judged(ended(2)), Outcome::failed) << "a shell's usage error";
  EXPECT_EQ(judged(ended(75)), Outcome::failed);
  EXPECT_EQ(judged(ended(70)), Outcome::internal);
  EXPECT_EQ(judged(ended(137, 9)), Outcome::failed);
  fs::create_directories(path("report"));
  std::ofstream(path("report") / "report.json") << R"({"attempt": 1})";
  EXPECT_EQ(judged(ended(2)), Outcome::failed) << "an earlier attempt's report";
  std::ofstream(path("report") / "report.json") << R"({"attempt": 2})";
  EXPECT_EQ(judged(ended(2)), Outcome::rolled_back);
  EXPECT_EQ(judged(ended(75)), Outcome::stopped);
  fs::remove_all(path("report"));
  fs::create_directories(path("checkpoint"));
  const std::string manifest = R"({"v":1,"sequence":3,"attempt":2,"fingerprint":{},"state":null,"files":{}})";
  std::ofstream(path("checkpoint") / "checkpoint.json") << manifest;
  EXPECT_EQ(judged(ended(75)), Outcome::stopped);
  EXPECT_EQ(judged(ended(2)), Outcome::failed);
  std::ofstream(path("checkpoint") / "checkpoint.json") << manifest.substr(0, 40);
  EXPECT_EQ(judged(ended(75)), Outcome::failed) << "half a checkpoint";
}

}  // namespace
}  // namespace tqm::task
