// The shim as a process, with real commands below it. Waits are for conditions; the end of a wait is generous.
#include "task/attempt/run.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "task/attempt/processes_for_tests.hpp"
#include "task/checkpoint.hpp"

extern char** environ;

namespace tqm::task {
namespace {
namespace fs = std::filesystem;

class Shim : public testing::Test {
 protected:
  Shim() : temporary_(std::move(TemporaryFolder::make("tqm-shim")).take()) {}
  ~Shim() override {
    for (const int pid : started_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  AttemptSpec shell(const std::string& script, int64_t attempt = 1) const {
    AttemptSpec spec;
    spec.job = "job";
    spec.attempt = attempt;
    spec.command = {"sh", "-c", script};
    spec.folder = temporary_.path() / std::to_string(attempt);
    spec.work_folder = temporary_.path() / "work";
    return spec;
  }
  fs::path work(const std::string& name) const { return temporary_.path() / "work" / name; }
  static AttemptFiles files(const AttemptSpec& spec) { return AttemptFiles{spec.folder}; }

  int start(const AttemptSpec& spec) {
    EXPECT_TRUE(make_folders(spec.folder).ok());
    EXPECT_TRUE(write_record(files(spec).spec(), attempt_spec_json(spec)).ok());
    const std::string program = std::string(TQM_BIN_DIR) + "/torquetum-task";
    const std::string path = files(spec).spec().string();
    const char* arguments[] = {program.c_str(), "run", path.c_str(), nullptr};
    pid_t pid = -1;
    EXPECT_EQ(::posix_spawn(&pid, program.c_str(), nullptr, nullptr, const_cast<char**>(arguments), environ), 0);
    started_.push_back(pid);
    return pid;
  }
  int wait(int pid) {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    std::erase(started_, pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ExitRecord run(const AttemptSpec& spec) {
    wait(start(spec));
    return exit_of(spec);
  }
  static ExitRecord exit_of(const AttemptSpec& spec) {
    const auto exit = read_exit(files(spec).exit());
    EXPECT_TRUE(exit.ok() && exit->has_value());
    return exit.ok() && *exit ? **exit : ExitRecord{};
  }
  // Written by a script as one line.
  int number_in(const fs::path& path) const {
    std::string text;
    EXPECT_TRUE(wait_for([&] {
      const auto read = read_file(path);
      if (read) text = *read;
      return text.ends_with("\n");
    })) << path;
    return std::atoi(text.c_str());
  }

  TemporaryFolder temporary_;
  std::vector<int> started_;
};

// What a tool does that follows the contract, in shell: a commit under this attempt's number.
const std::string kCommit =
    "commit() { printf '{\"v\":1,\"sequence\":1,\"attempt\":%s,\"fingerprint\":{},\"state\":{},\"files\":{}}' "
    "$TORQUETUM_ATTEMPT >$TORQUETUM_CHECKPOINT/new && "
    "mv $TORQUETUM_CHECKPOINT/new $TORQUETUM_CHECKPOINT/checkpoint.json; }; ";

TEST_F(Shim, RunsACommandByTheContractAndNeverThroughAShell) {
  AttemptSpec spec = shell("", 2);
  spec.command = {"sh", "-c",
                  "echo \"$1\" \"$OURS\" $TORQUETUM_ATTEMPT $TORQUETUM_STOP_SECONDS; echo wrong >&2; pwd;"
                  "test -d $TORQUETUM_CHECKPOINT && test -d $TORQUETUM_REPORT && echo '{}' >>$TORQUETUM_EVENTS",
                  "sh", "a b; $(touch hacked) 'c"};
  spec.environment = {{"OURS", "x y"}};
  const ExitRecord exit = run(spec);
  EXPECT_EQ(exit.reason, "done");
  EXPECT_EQ(exit.code, 0);
  EXPECT_EQ(exit.attempt, 2);
  EXPECT_EQ(*read_file(files(spec).out()), "a b; $(touch hacked) 'c x y 2 10.000\n" + spec.work_folder.string() + "\n");
  EXPECT_EQ(*read_file(files(spec).err()), "wrong\n");
  EXPECT_EQ(*read_file(files(spec).events()), "{}\n");
  EXPECT_FALSE(fs::exists(work("hacked")));
  struct stat there{};
  ASSERT_EQ(::stat(spec.work_folder.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777, 0700u);
}

TEST_F(Shim, BelievesTwoAndSeventyFiveOnlyWithTheirProof) {
  EXPECT_EQ(run(shell("exit 2", 1)).reason, "failed");
  EXPECT_EQ(run(shell("echo '{\"attempt\": 2}' >$TORQUETUM_REPORT/report.json; exit 2", 2)).reason, "rolled-back");
  EXPECT_EQ(run(shell("echo '{\"attempt\": 2}' >$TORQUETUM_REPORT/report.json; exit 2", 3)).reason, "failed");
  EXPECT_EQ(run(shell("exit 75", 4)).reason, "failed");
  const ExitRecord stopped = run(shell(kCommit + "commit; exit 75", 5));
  EXPECT_EQ(stopped.reason, "stopped");
  EXPECT_TRUE(stopped.resumable);
  const ExitRecord failed = run(shell("exit 3", 6));
  EXPECT_EQ(failed.reason, "failed");
  EXPECT_EQ(failed.text, "exit 3");
}

TEST_F(Shim, SaysWhatTheCommandWasWhereThereIsNone) {
  AttemptSpec spec = shell("");
  spec.command = {"/no/such/program"};
  const ExitRecord exit = run(spec);
  EXPECT_EQ(exit.reason, "failed");
  EXPECT_EQ(exit.text, "there is no program /no/such/program (PATH): install it, or give its path");
  EXPECT_FALSE(exit.code.has_value());
}

TEST_F(Shim, StopsOnSigtermWithTheCheckpoint) {
  const AttemptSpec spec = shell(kCommit + "trap 'commit; exit 75' TERM; echo 1 >ready; while :; do sleep 0.05; done");
  const int shim = start(spec);
  number_in(work("ready"));
  ::kill(shim, SIGTERM);
  EXPECT_EQ(wait(shim), 75);
  EXPECT_EQ(exit_of(spec).reason, "stopped");
  EXPECT_TRUE(exit_of(spec).resumable);
}

TEST_F(Shim, KillsTheWholeTreeWhenTheGraceIsOver) {
  AttemptSpec spec = shell(
      "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >deep; while :; do sleep 1; done' & "
      "echo $$ >top; while :; do sleep 1; done");
  spec.grace_s = 0.2;
  const int shim = start(spec);
  const int top = number_in(work("top")), deep = number_in(work("deep"));
  ::kill(shim, SIGTERM);
  wait(shim);
  EXPECT_EQ(exit_of(spec).reason, "stopped");
  EXPECT_TRUE(is_gone(top));
  EXPECT_TRUE(is_gone(deep));
}

TEST_F(Shim, LeavesNothingOfItsTreeWhenItIsKilled) {
  const AttemptSpec spec = shell(
      "setsid sh -c 'trap \"\" TERM HUP; (sleep 1000 & echo $! >sleeper; wait) & echo $$ >deep; wait' & "
      "echo $$ >top; wait");
  const int shim = start(spec);
  const int top = number_in(work("top")), deep = number_in(work("deep")), sleeper = number_in(work("sleeper"));
  EXPECT_FALSE(exit_unless_held(files(spec), 1, "lost", "")->has_value());
  ::kill(shim, SIGKILL);
  wait(shim);
  for (const int pid : {top, deep, sleeper}) EXPECT_TRUE(wait_for([&] { return is_gone(pid); }));
  const auto exit = exit_unless_held(files(spec), 1, "lost", "its shim was killed");
  ASSERT_TRUE(exit.ok() && exit->has_value());
  EXPECT_EQ((*exit)->reason, "lost");
  EXPECT_FALSE((*exit)->holder.empty());
  EXPECT_EQ(wait(start(spec)), 1);  // it never runs again
}

TEST_F(Shim, LeavesNothingOfItsTreeWhenTheGuardIsKilled) {
  // At once, perhaps before the shim knows that the command runs, and when it surely knows.
  for (const int64_t attempt : {1, 2}) {
    const std::string mark = std::to_string(attempt);
    const AttemptSpec spec =
        shell("setsid sleep 1000 & echo $! >deep" + mark + "; echo $PPID >guard" + mark + "; wait", attempt);
    const int shim = start(spec);
    const int deep = number_in(work("deep" + mark)), guard = number_in(work("guard" + mark));
    if (attempt == 2) {
      EXPECT_TRUE(wait_for([&] {
        const auto use = read_use(files(spec).use());
        return use && *use && (*use)->memory_bytes > 0;
      }));
    }
    ::kill(guard, SIGKILL);
    wait(shim);
    const std::string reason = exit_of(spec).reason;
    EXPECT_TRUE(reason == "lost" || (attempt == 1 && reason == "never-started")) << reason;
    EXPECT_TRUE(is_gone(deep));
  }
}

TEST_F(Shim, RunsAnAttemptOnceOnly) {
  const AttemptSpec spec = shell("echo run >>runs; echo 1 >ready; while ! test -e go; do sleep 0.05; done");
  const int first = start(spec);
  number_in(work("ready"));
  EXPECT_EQ(wait(start(spec)), 1);
  std::ofstream(work("go")) << "go";
  EXPECT_EQ(wait(first), 0);
  EXPECT_EQ(wait(start(spec)), 1);
  EXPECT_EQ(*read_file(work("runs")), "run\n");
}

TEST_F(Shim, EndsByTheSecondThatIsPaidFor) {
  AttemptSpec spec = shell("trap 'exit 0' USR1; while :; do sleep 0.1; done");
  spec.paid_until_s = 1;
  spec.grace_s = 0.5;
  EXPECT_EQ(run(spec).reason, "unpaid");
  AttemptSpec limited = shell("while :; do sleep 0.1; done", 2);
  limited.time_limit_s = 1;
  limited.grace_s = 0.5;
  EXPECT_EQ(run(limited).reason, "time-limit");
}

TEST_F(Shim, DoesWhatThePermitSays) {
  const AttemptSpec spec = shell("echo 1 >ready; while :; do sleep 0.05; done");
  const int shim = start(spec);
  number_in(work("ready"));
  ASSERT_TRUE(write_record(files(spec).permit(), permit_json({100, 7, Order::run, ""})).ok());
  EXPECT_TRUE(wait_for([&] {
    const auto use = read_use(files(spec).use());
    return use && *use && (*use)->from_s == 7;  // what was acknowledged is said back
  }));
  ASSERT_TRUE(write_record(files(spec).permit(), permit_json({100, 7, Order::stop, "paused"})).ok());
  wait(shim);
  EXPECT_EQ(exit_of(spec).reason, "paused");

  const AttemptSpec stubborn = shell("trap '' TERM; echo 1 >ready2; while :; do sleep 0.05; done", 2);
  const int second = start(stubborn);
  number_in(work("ready2"));
  ASSERT_TRUE(write_record(files(stubborn).permit(), permit_json({100, 0, Order::kill, "cancelled"})).ok());
  wait(second);
  EXPECT_EQ(exit_of(stubborn).reason, "cancelled");
}

TEST_F(Shim, StartsNothingThatIsToldToStop) {
  const AttemptSpec spec = shell("echo 1 >ran");
  ASSERT_TRUE(make_folders(spec.folder).ok());
  ASSERT_TRUE(write_record(files(spec).permit(), permit_json({100, 0, Order::stop, "cancelled"})).ok());
  EXPECT_EQ(run(spec).reason, "cancelled");
  EXPECT_FALSE(fs::exists(work("ran")));
}

TEST_F(Shim, KillsATreeThatTakesTooMuchMemory) {
  AttemptSpec spec = shell("head -c 300000000 /dev/zero | tail -n 1 | sleep 1000");
  spec.memory_bytes = 100'000'000;
  const ExitRecord exit = run(spec);
  EXPECT_EQ(exit.reason, "failed");
  EXPECT_EQ(exit.text, "more memory than its 100 MB");
  EXPECT_EQ(exit.memory_limit, "polled");
  EXPECT_GT(exit.peak_memory_bytes, spec.memory_bytes);
}

TEST_F(Shim, SeedsTheCheckpointFromTheEarlierAttempt) {
  EXPECT_TRUE(run(shell(kCommit + "commit; exit 75", 1)).resumable);
  AttemptSpec next = shell("cat $TORQUETUM_CHECKPOINT/checkpoint.json", 2);
  next.earlier_checkpoint = files(shell("", 1)).checkpoint();
  EXPECT_FALSE(run(next).resumable);  // it holds attempt 1's commit, none of its own
  EXPECT_TRUE(read_file(files(next).out())->find("\"attempt\":1") != std::string::npos)
      << *read_file(files(next).out());
}

TEST_F(Shim, RunsAsAnUnprivilegedUserWhoSeesNothingOfOurs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can change users";
  ASSERT_EQ(::chmod(temporary_.path().c_str(), 0711), 0);
  const fs::path secret = temporary_.path() / "secret";
  ASSERT_TRUE(write_file_atomic(secret, "key").ok());
  ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
  AttemptSpec spec = shell("id -u; id -G; grep NoNewPrivs /proc/self/status; cat " + secret.string() +
                           "; cat ../1/spec.json; echo x >../1/exit.json; echo y >../1/permit.json;" + kCommit +
                           "commit; echo '{}' >>$TORQUETUM_EVENTS; exit 75");
  spec.run_as = RunAs{54321, 54322};
  const ExitRecord exit = run(spec);
  EXPECT_EQ(exit.reason, "stopped") << *read_file(files(spec).err());
  EXPECT_EQ(*read_file(files(spec).out()), "54321\n54322\nNoNewPrivs:\t1\n");
  EXPECT_EQ(*read_file(files(spec).events()), "{}\n");
  EXPECT_FALSE(fs::exists(files(spec).permit()));

  // What they put into their checkpoint leads us nowhere that they can't go themselves.
  AttemptSpec next = shell("cat $TORQUETUM_CHECKPOINT/secret", 2);
  next.run_as = spec.run_as;
  next.earlier_checkpoint = files(spec).checkpoint();
  fs::create_directory_symlink(temporary_.path(), next.earlier_checkpoint / "link");
  std::ofstream(next.earlier_checkpoint / "checkpoint.json")
      << "{\"v\":1,\"sequence\":1,\"attempt\":1,\"fingerprint\":{},\"state\":{},\"files\":"
         "{\"link/secret\":{\"size\":3,\"hash\":\"xxh3:0000000000000000\"}}}";
  EXPECT_EQ(run(next).reason, "never-started");
}

}  // namespace
}  // namespace tqm::task
