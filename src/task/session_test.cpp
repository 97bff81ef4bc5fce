#include "task/session.hpp"

#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "task/events.hpp"

namespace tqm::task {
namespace {
namespace fs = std::filesystem;

struct Place {
  TemporaryFolder folder = std::move(TemporaryFolder::make("tqm-session")).take();
  fs::path events = folder.path() / "events.jsonl";
  fs::path screen = folder.path() / "screen";
  ManualClock clock{1'772'357'405'250'000'000};
  Descriptor screen_file{::open(screen.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)};

  SessionOptions options(int64_t attempt = 1) {
    SessionOptions result;
    result.environment = TaskEnvironment{};
    result.environment->events = events;
    result.environment->attempt = attempt;
    result.clock = &clock;
    result.screen_fd = screen_file.get();
    return result;
  }
  SessionOptions screen_options() {
    SessionOptions result = options();
    result.environment->events.clear();
    return result;
  }
  std::vector<Event> read() { return std::move(EventReader(events).poll()).take(); }
  std::string shown() { return *read_file(screen); }
};

TEST(Session, events_are_whole_lines_in_order) {
  Place place;
  {
    auto session = Session::start(place.options(3));
    ASSERT_TRUE(session.ok());
    session->progress("quantise", 1, 30, "layers");
    session->metric("loss", 0.0085, "relative");
    session->metric("loss", std::nan(""));
    session->checkpoint(1, 2, 300);
    session->artifact("OUT/report.json", "report");
    session->warning("zh: 简仪 \xff");
  }
  const auto events = place.read();
  ASSERT_EQ(events.size(), 6u);
  const std::vector<std::string> kinds = {"progress", "metric", "metric", "checkpoint", "artifact", "warning"};
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].seq, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(events[i].attempt, 3);
    EXPECT_EQ(events[i].time, "2026-03-01T09:30:05.250Z");
    EXPECT_EQ(events[i].kind, kinds[i]);
    EXPECT_EQ(events[i].fields["v"], 1);
  }
  EXPECT_EQ(events[0].fields["total"], 30);
  EXPECT_EQ(events[1].fields["value"], 0.0085);
  EXPECT_TRUE(events[2].fields["value"].is_null());
  EXPECT_EQ(events[4].fields["path"], "OUT/report.json");
  EXPECT_EQ(place.shown(), "warning: zh: 简仪 \xff\n") << "warnings reach a person as well, progress does not";
}

TEST(Session, progress_is_thinned_and_the_end_of_a_stage_is_always_told) {
  Place place;
  auto session = Session::start(place.options());
  ASSERT_TRUE(session.ok());
  for (int i = 0; i <= 1000; ++i) {
    session->progress("read", i, 1000, "files");
    place.clock.advance_seconds(0.001);
  }
  session->progress("write", 0, 2, "files");
  session->progress("write", 2, 2, "files");
  session->progress("write", 2, 2, "files");
  const auto events = place.read();
  ASSERT_EQ(events.size(), 8u);
  EXPECT_EQ(events[5].fields["done"], 1000);
  EXPECT_EQ(events[2].fields["left_s"], 0.6);
  EXPECT_EQ(events[7].fields["done"], 2);
}

TEST(Session, a_clock_set_back_does_not_disturb_order_or_rate) {
  Place place;
  auto session = Session::start(place.options());
  ASSERT_TRUE(session.ok());
  session->progress("a", 0, 10, "x");
  place.clock.advance_seconds(1);
  place.clock.set_wall_ns(0);
  session->progress("a", 1, 10, "x");
  const auto events = place.read();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_LT(events[1].time, events[0].time);
  EXPECT_GT(events[1].seq, events[0].seq);
  EXPECT_EQ(events[1].fields["left_s"], 9.0);
}

TEST(Session, many_threads_may_speak) {
  Place place;
  {
    auto session = Session::start(place.options());
    ASSERT_TRUE(session.ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) session->metric("m", i);
      });
    for (std::thread& thread : threads) thread.join();
  }
  const auto events = place.read();
  ASSERT_EQ(events.size(), 400u);
  for (size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i].seq, static_cast<int64_t>(i) + 1);
}

TEST(Session, a_torn_last_line_is_closed_and_the_sequence_goes_on) {
  Place place;
  {
    auto session = Session::start(place.options(2));
    ASSERT_TRUE(session.ok());
    session->metric("m", 1);
    session->metric("m", 2);
  }
  // An earlier run was killed in the middle of a line.
  std::string text = *read_file(place.events);
  ASSERT_TRUE(write_file_atomic(place.events, text + text.substr(0, 40)).ok());
  EventReader reader(place.events);
  ASSERT_EQ(std::move(reader.poll()).take().size(), 2u) << "a torn line waits for its end";
  {
    auto session = Session::start(place.options(2));
    ASSERT_TRUE(session.ok());
    session->metric("m", 3);
  }
  const auto more = std::move(reader.poll()).take();
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].seq, 3);
  EXPECT_EQ(reader.torn_lines(), 1);
  auto next_attempt = Session::start(place.options(3));
  ASSERT_TRUE(next_attempt.ok());
  next_attempt->metric("m", 4);
  EXPECT_EQ(std::move(reader.poll()).take()[0].seq, 1) << "each attempt counts from 1";
}

TEST(Events, readers_take_what_they_know_and_pass_over_the_rest) {
  Place place;
  std::ofstream(place.events) << R"({"v":1,"seq":1,"attempt":1,"time":"t","kind":"new_kind","more":{"a":1}})" << "\n"
                              << R"({"v":2,"seq":2,"attempt":1,"kind":"metric"})" << "\n\n"
                              << "[1]\n"
                              << std::string(200000, 'x') << "\n"
                              << R"({"v":1,"seq":"3","attempt":1,"kind":"metric"})" << "\n"
                              << R"({"v":1,"seq":4,"attempt":1,"kind":"metric"})";
  EventReader reader(place.events);
  const auto events = std::move(reader.poll()).take();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "new_kind");
  EXPECT_EQ(events[0].fields["more"]["a"], 1);
  EXPECT_EQ(reader.torn_lines(), 4);
  std::ofstream(place.events, std::ios::app) << "\n";
  EXPECT_EQ(std::move(reader.poll()).take().size(), 1u);
  EXPECT_TRUE(std::move(EventReader("/no/such/file").poll()).take().empty());
  EXPECT_FALSE(EventReader(place.folder.path()).poll().ok());
}

TEST(Session, an_events_file_that_cannot_be_written_is_said_once_and_the_work_goes_on) {
  Place place;
  auto options = place.options();
  options.environment->events = "/dev/full";
  auto session = Session::start(options);
  ASSERT_TRUE(session.ok());
  session->metric("m", 1);
  session->metric("m", 2);
  EXPECT_EQ(
      place.shown(),
      "warning: can't write an event: No space left on device (/dev/full): free some space, or choose a folder on "
      "another disk, and start again\n");
}

TEST(Session, an_events_file_that_cannot_be_opened_is_refused) {
  Place place;
  auto options = place.options();
  options.environment->events = place.folder.path() / "none" / "events";
  const auto session = Session::start(options);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().kind, ErrorKind::not_found);
  EXPECT_EQ(session.error().what, "can't open the events file: No such file or directory");
}

TEST(Session, without_events_a_log_gets_plain_lines_now_and_then) {
  Place place;
  auto session = Session::start(place.screen_options());
  ASSERT_TRUE(session.ok());
  for (int i = 0; i <= 40; ++i) {
    session->progress("quantise", i, 40, "layers");
    place.clock.advance_seconds(1);
  }
  EXPECT_EQ(place.shown(),
            "quantise: 0 of 40 layers\nquantise: 15 of 40 layers, 25 s left\nquantise: 30 of 40 layers, 10 s left\n"
            "quantise: 40 of 40 layers, 0.0 s left\n");
}

TEST(Session, quiet_and_json_leave_the_screen_to_others) {
  Place place;
  auto options = place.screen_options();
  options.json = true;
  auto session = Session::start(options);
  ASSERT_TRUE(session.ok());
  session->progress("a", 0, 2, "x");
  session->warning("mind \"this\"");
  EXPECT_EQ(place.shown(), "{\"warning\":\"mind \\\"this\\\"\"}\n");
}

TEST(Session, a_terminal_gets_a_bar) {
  int master = -1, slave = -1;
  winsize size{24, 60, 0, 0};
  ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, &size), 0);
  Descriptor master_end(master), slave_end(slave);
  Place place;
  auto options = place.screen_options();
  options.screen_fd = slave;
  {
    auto session = Session::start(options);
    ASSERT_TRUE(session.ok());
    session->progress("quantise", 1, 4, "layers");
    session->warning("careful");
    session->progress("quantise", 4, 4, "layers");
  }
  slave_end = Descriptor();  // with the last writer gone, reading ends when everything has come
  std::string shown;
  char text[4096];
  for (ssize_t n = 0; (n = ::read(master, text, sizeof text)) > 0;) shown.append(text, static_cast<size_t>(n));
  EXPECT_NE(shown.find("\rquantise [=======>"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\r\033[Kwarning: careful\r\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("4/4 layers"), std::string::npos) << shown;
}

TEST(Environment, wrong_variables_are_refused_by_name) {
  struct Unset {
    ~Unset() {
      ::unsetenv("TORQUETUM_ATTEMPT");
      ::unsetenv("TORQUETUM_STOP_SECONDS");
    }
  } unset;
  ::setenv("TORQUETUM_ATTEMPT", "7", 1);
  ::setenv("TORQUETUM_STOP_SECONDS", "2.5", 1);
  ASSERT_TRUE(task_environment().ok());
  EXPECT_EQ(task_environment()->attempt, 7);
  EXPECT_EQ(task_environment()->stop_seconds, 2.5);
  for (const char* wrong : {"0", "-1", "x", "1x", "99999999999999999999"}) {
    ::setenv("TORQUETUM_ATTEMPT", wrong, 1);
    ASSERT_FALSE(task_environment().ok()) << wrong;
    EXPECT_EQ(task_environment().error().where, "TORQUETUM_ATTEMPT");
    EXPECT_EQ(task_environment().error().what,
              "\"" + std::string(wrong) + "\" is no number that this variable may have");
  }
  ::setenv("TORQUETUM_ATTEMPT", "1", 1);
  ::setenv("TORQUETUM_STOP_SECONDS", "nan", 1);
  EXPECT_FALSE(task_environment().ok());
}

TEST(Environment, the_report_goes_where_it_is_asked_to) {
  TaskEnvironment environment;
  EXPECT_EQ(report_place(environment, "", "OUT-report").json(), "OUT-report/report.json");
  environment.report = "/job/report";
  environment.attempt = 4;
  EXPECT_EQ(report_place(environment, "", "OUT-report").folder, "/job/report");
  EXPECT_EQ(report_place(environment, "mine", "OUT-report").folder, "mine");
  EXPECT_EQ(report_place(environment, "mine", "OUT-report").attempt, 4);
}

// A process of its own with a Session; says "ready" by one byte, then runs body.
struct Worker {
  pid_t pid = -1;
  Descriptor ready;
  explicit Worker(double stop_seconds, const std::function<int(Session&)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    pid = ::fork();
    if (pid == 0) {
      SessionOptions options;
      options.environment = TaskEnvironment{};
      options.environment->stop_seconds = stop_seconds;
      auto session = Session::start(options);
      if (!session || ::write(ends[1], "r", 1) != 1) ::_exit(99);
      ::_exit(body(*session));
    }
    ::close(ends[1]);
    ready = Descriptor(ends[0]);
    char byte = 0;
    if (::read(ready.get(), &byte, 1) != 1) std::abort();
  }
  int wait() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
};

int work_until_stopped(Session& session) {
  while (true) {
    if (const Status status = session.check_stop(); !status) return exit_code(status.error().kind);
    ::usleep(1000);
  }
}

int work_for_ever(Session&) {
  while (true) ::usleep(1000);
}

TEST(Stop, both_signals_ask_and_the_work_ends_with_75) {
  for (int number : {SIGTERM, SIGINT}) {
    Worker worker(10, work_until_stopped);
    ::kill(worker.pid, number);
    EXPECT_EQ(worker.wait(), 75);
  }
}

TEST(Stop, work_that_does_not_listen_ends_with_75_when_the_grace_is_over) {
  Worker worker(0.05, work_for_ever);
  ::kill(worker.pid, SIGTERM);
  EXPECT_EQ(worker.wait(), 75);
}

TEST(Stop, a_second_signal_ends_at_once) {
  Worker worker(1000, work_for_ever);
  int status = 0;
  // Signals close together are one request, so a few are needed; how many does not matter.
  while (::waitpid(worker.pid, &status, WNOHANG) == 0) {
    ::kill(worker.pid, SIGTERM);
    ::usleep(20000);
  }
  EXPECT_EQ(WEXITSTATUS(status), 75);
}

TEST(Stop, not_asked_is_not_stopped) {
  Place place;
  auto session = Session::start(place.options());
  ASSERT_TRUE(session.ok());
  EXPECT_TRUE(session->check_stop().ok());
  EXPECT_EQ(session->grace_left_seconds(), 10);
  ::raise(SIGTERM);
  EXPECT_TRUE(session->stop_requested());
  EXPECT_EQ(session->check_stop().error().message(),
            "stopped on request: start the same command again to go on from the last checkpoint");
  EXPECT_LE(session->grace_left_seconds(), 10);
}

}  // namespace
}  // namespace tqm::task
