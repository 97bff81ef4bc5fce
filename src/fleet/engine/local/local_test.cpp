// The engine suite: what every engine keeps, on real processes; and what is
// this engine's own: a service that is killed.
#include "fleet/engine/local/local.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "task/attempt/processes_for_tests.hpp"

namespace tqm::fleet {
namespace {
namespace fs = std::filesystem;

using task::is_gone;
using task::wait_for;

class LocalEngineTest : public testing::Test {
 protected:
  LocalEngineTest() : temporary_(std::move(TemporaryFolder::make("tqm-engine")).take()) { open(); }
  ~LocalEngineTest() override {
    const auto all = engine_->list();
    for (const AttemptStatus& status : *all)
      if (!status.task.gone) tell(status.task.job, status.task.attempt, task::Order::kill, "cancelled");
    for (const AttemptStatus& status : *all) end_of(status.task.job, status.task.attempt);
  }

  void open() {
    auto engine = open_local_engine(temporary_.path() / "engine");
    ASSERT_TRUE(engine.ok()) << engine.error().message();
    engine_ = std::move(engine).take();
  }
  static AttemptOrder order(const std::string& job, int64_t attempt, const std::string& script) {
    AttemptOrder order;
    order.job = job;
    order.attempt = attempt;
    order.spec.command = {"sh", "-c", script};
    return order;
  }
  void tell(const std::string& job, int64_t attempt, task::Order what, const std::string& why) {
    EXPECT_TRUE(engine_->permit(job, attempt, {0, 0, what, why}).ok());
  }
  std::optional<AttemptStatus> status_of(const std::string& job, int64_t attempt) {
    const auto all = engine_->list();
    EXPECT_TRUE(all.ok()) << all.error().message();
    for (const AttemptStatus& status : *all)
      if (status.task.job == job && status.task.attempt == attempt) return status;
    return std::nullopt;
  }
  task::ExitRecord end_of(const std::string& job, int64_t attempt) {
    std::optional<AttemptStatus> status;
    EXPECT_TRUE(wait_for([&] { return (status = status_of(job, attempt)) && status->task.gone; }));
    return status && status->exit ? *status->exit : task::ExitRecord{};
  }
  fs::path job_file(const std::string& job, const std::string& name) const {
    return temporary_.path() / "engine" / job / "work" / name;
  }
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
  std::unique_ptr<Engine> engine_;
};

TEST_F(LocalEngineTest, RunsAnAttemptToItsEndAndKeepsItsLogs) {
  ASSERT_TRUE(engine_->start(order("a", 1, "echo hello; echo oh >&2; exit 3")).ok());
  ASSERT_TRUE(engine_->start(order("a", 1, "echo twice")).ok());  // repeated: nothing
  const task::ExitRecord exit = end_of("a", 1);
  EXPECT_EQ(exit.reason, "failed");
  EXPECT_EQ(exit.code, 3);
  EXPECT_EQ(*engine_->read_log("a", 1, LogStream::out, 0, 100), "hello\n");
  EXPECT_EQ(*engine_->read_log("a", 1, LogStream::out, 2, 3), "llo");
  EXPECT_EQ(*engine_->read_log("a", 1, LogStream::out, 6, 100), "");
  EXPECT_EQ(*engine_->read_log("a", 1, LogStream::err, 0, 100), "oh\n");
  EXPECT_EQ(*engine_->read_log("a", 1, LogStream::events, 0, 100), "");
  EXPECT_EQ(engine_->abilities().memory_limit, "polled");
}

TEST_F(LocalEngineTest, StopsWithTheReasonThatItIsTold) {
  ASSERT_TRUE(engine_->start(order("a", 1, "echo 1 >ready; while :; do sleep 0.05; done")).ok());
  number_in(job_file("a", "ready"));
  const auto status = status_of("a", 1);
  ASSERT_TRUE(status && status->use);
  EXPECT_FALSE(status->use->holder.empty());  // claimed before the command ran
  EXPECT_FALSE(status->task.gone);
  EXPECT_EQ(engine_->start(order("a", 2, "true")).error().kind, ErrorKind::conflict);
  EXPECT_EQ(engine_->forget("a").error().kind, ErrorKind::conflict);
  tell("a", 1, task::Order::stop, "paused");
  EXPECT_EQ(end_of("a", 1).reason, "paused");
  ASSERT_TRUE(engine_->forget("a").ok());
  EXPECT_FALSE(status_of("a", 1).has_value());
  EXPECT_EQ(engine_->permit("a", 1, {}).error().kind, ErrorKind::not_found);
}

TEST_F(LocalEngineTest, TheNextAttemptGoesOnFromTheCheckpoint) {
  ASSERT_TRUE(engine_
                  ->start(order("a", 1,
                                "printf "
                                "'{\"v\":1,\"sequence\":1,\"attempt\":1,\"fingerprint\":{"
                                "},\"state\":7,"
                                "\"files\":{}}' >$TORQUETUM_CHECKPOINT/checkpoint.json; "
                                "echo kept >kept; exit 75"))
                  .ok());
  EXPECT_EQ(end_of("a", 1).reason, "stopped");
  ASSERT_TRUE(engine_->start(order("a", 2, "exit 1")).ok());  // commits nothing: its seed is what it hands on
  end_of("a", 2);
  ASSERT_TRUE(engine_
                  ->start(order("a", 3,
                                "cat kept; grep -c '\"state\":7' "
                                "$TORQUETUM_CHECKPOINT/checkpoint.json"))
                  .ok());
  EXPECT_EQ(end_of("a", 3).reason, "done");
  EXPECT_EQ(*engine_->read_log("a", 3, LogStream::out, 0, 100), "kept\n1\n");
}

TEST_F(LocalEngineTest, SaysThatAnAttemptIsLostWhenItsShimIsKilled) {
  ASSERT_TRUE(engine_->start(order("a", 1, "setsid sleep 1000 & echo $! >deep; wait")).ok());
  const int deep = number_in(job_file("a", "deep"));
  const std::string holder = status_of("a", 1)->use->holder;
  ::kill(std::atoi(holder.c_str()),
         SIGKILL);  // a holder's id begins with its pid
  const task::ExitRecord exit = end_of("a", 1);
  EXPECT_EQ(exit.reason, "lost");
  EXPECT_EQ(exit.holder, holder);
  EXPECT_TRUE(wait_for([&] { return is_gone(deep); }));
}

TEST_F(LocalEngineTest, GivesTasksNothingOfOurEnvironment) {
  ::setenv("TQM_TEST_SECRET", "key", 1);
  ASSERT_TRUE(engine_->start(order("a", 1, "echo \"[$TQM_TEST_SECRET]\"; test -n \"$PATH\"")).ok());
  EXPECT_EQ(end_of("a", 1).reason, "done");
  EXPECT_EQ(*engine_->read_log("a", 1, LogStream::out, 0, 100), "[]\n");
  ::unsetenv("TQM_TEST_SECRET");
}

TEST_F(LocalEngineTest, RefusesNamesThatLeadElsewhere) {
  for (const char* name : {"", "..", "a/b", "/etc", ".hidden"}) {
    EXPECT_EQ(engine_->start(order(name, 1, "true")).error().kind, ErrorKind::bad_input) << name;
    EXPECT_EQ(engine_->forget(name).error().kind, ErrorKind::bad_input) << name;
    EXPECT_EQ(engine_->read_log(name, 1, LogStream::out, 0, 1).error().kind, ErrorKind::bad_input) << name;
  }
}

TEST_F(LocalEngineTest, OneEngineHasTheFolder) {
  EXPECT_EQ(open_local_engine(temporary_.path() / "engine").error().kind, ErrorKind::conflict);
}

TEST_F(LocalEngineTest, TasksGoOnWhenTheServiceIsKilledAndAreAdopted) {
  engine_.reset();
  const pid_t service = ::fork();
  if (service == 0) {
    auto engine = open_local_engine(temporary_.path() / "engine");
    if (!engine) ::_exit(1);
    const bool started = (*engine)
                             ->start(order("a", 1,
                                           "echo $$ >ready; while ! test -e go; do sleep 0.05; "
                                           "done; echo on"))
                             .ok() &&
                         (*engine)->start(order("b", 1, "sleep 1000 & echo $! >deep; wait")).ok();
    if (!started) ::_exit(1);
    ::pause();
    ::_exit(1);
  }
  const int task = number_in(job_file("a", "ready")), deep = number_in(job_file("b", "deep"));
  ::kill(service, SIGKILL);
  int status = 0;
  ::waitpid(service, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  // While there is no service the shim of b is killed too.
  const auto use = task::read_use(temporary_.path() / "engine" / "b" / "1" / "use.json");
  ASSERT_TRUE(use.ok() && use->has_value());
  ::kill(std::atoi((*use)->holder.c_str()), SIGKILL);
  EXPECT_TRUE(wait_for([&] { return is_gone(deep); }));
  open();
  EXPECT_EQ(end_of("b", 1).reason, "lost");
  EXPECT_FALSE(status_of("a", 1)->task.gone);
  EXPECT_FALSE(is_gone(task));
  std::ofstream(job_file("a", "go")) << "go";
  EXPECT_EQ(end_of("a", 1).reason, "done");
  EXPECT_EQ(*engine_->read_log("a", 1, LogStream::out, 0, 100), "on\n");
}

}  // namespace
}  // namespace tqm::fleet
