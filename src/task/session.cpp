#include "task/session.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <signal.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "task/events.hpp"

namespace tqm::task {
namespace {

constexpr int kStoppedCode = 75;
constexpr int64_t kEventEveryNs = 200'000'000;
constexpr int64_t kBarEveryNs = 100'000'000;
constexpr int64_t kLineEveryNs = 15'000'000'000;
// A terminal's Ctrl-C and a supervisor's SIGTERM often come together: signals this close to the first are one request.
constexpr int64_t kSameRequestNs = 300'000'000;

// What the signal handlers touch: lock-free atomics and a timer, nothing else.
std::atomic<int64_t> stop_asked_ns{0};  // 0: not asked
std::atomic<bool> session_lives{false};
timer_t grace_timer;
itimerspec grace_time;
static_assert(std::atomic<int64_t>::is_always_lock_free);

int64_t now_for_signals() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec + 1;  // never 0
}

void on_stop(int) {
  const int saved = errno;
  const int64_t now = now_for_signals();
  int64_t first = 0;
  if (stop_asked_ns.compare_exchange_strong(first, now))
    ::timer_settime(grace_timer, 0, &grace_time, nullptr);
  else if (now - first > kSameRequestNs)
    ::_exit(kStoppedCode);
  errno = saved;
}

void on_grace_over(int) {
  ::_exit(kStoppedCode);
}

// Where an earlier run of the same attempt left the sequence, and whether the file ends in the middle of a line.
struct Tail {
  int64_t last_seq = 0;
  bool torn = false;
};

Result<Tail> tail_of(int fd, const std::filesystem::path& path, int64_t attempt) {
  Tail tail;
  struct stat info{};
  if (::fstat(fd, &info) != 0) return system_error("can't read the events file", path, errno);
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return tail;
  const off_t length = std::min<off_t>(info.st_size, off_t{4} * kLongestEventLine);
  std::string end(static_cast<size_t>(length), '\0');
  const ssize_t n = ::pread(fd, end.data(), end.size(), info.st_size - length);
  if (n < 0) return system_error("can't read the events file", path, errno);
  end.resize(static_cast<size_t>(n));
  tail.torn = !end.empty() && end.back() != '\n';
  for (const std::string& line : split(end, '\n'))
    if (auto event = parse_event(line); event && event->attempt == attempt)
      tail.last_seq = std::max(tail.last_seq, event->seq);
  return tail;
}

}  // namespace

struct Session::State {
  std::mutex mutex;
  SessionOptions options;
  TaskEnvironment environment;
  const Clock* clock = nullptr;

  Descriptor events;
  int64_t seq = 0;
  bool line_is_torn = false;   // the next line starts with a line end, so that it is not joined to half of another
  bool events_failed = false;  // said once

  bool on_terminal = false;
  bool bar_shown = false;
  std::string stage;
  int64_t stage_done = -1, stage_total = 0;
  RateMeter rate;
  int64_t last_event_ns = 0, last_screen_ns = 0;

  struct sigaction old_term{}, old_int{}, old_alarm{};
  bool handlers_set = false;

  ~State() {
    if (bar_shown) put("\n");
    if (!handlers_set) return;
    ::sigaction(SIGTERM, &old_term, nullptr);
    ::sigaction(SIGINT, &old_int, nullptr);
    ::timer_delete(grace_timer);
    ::sigaction(SIGALRM, &old_alarm, nullptr);
    session_lives = false;
  }

  void put(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(options.screen_fd, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;  // nobody looks; the work goes on
      text.remove_prefix(static_cast<size_t>(n));
    }
  }

  void put_line(const std::string& text) {
    put((bar_shown ? "\r\033[K" : "") + text + "\n");
    bar_shown = false;
  }

  void say_warning(std::string_view text) {
    if (options.json)
      put_line(dump_json(Json{{"warning", text}}, -1));
    else
      put_line("warning: " + std::string(text));
  }

  // One write a line. An events file that can't be written does not end the work: that is said once.
  void emit(std::string_view kind, const Json& fields) {
    if (!events) return;
    Json event;
    event["v"] = kEventVersion;
    event["seq"] = ++seq;
    event["attempt"] = environment.attempt;
    event["time"] = utc_text(clock->wall_ns());
    event["kind"] = kind;
    for (const auto& [key, value] : fields.items()) event[key] = value;
    std::string line = dump_json(event, -1) + "\n";
    if (line_is_torn) line.insert(line.begin(), '\n');
    ssize_t n = -1;
    do n = ::write(events.get(), line.data(), line.size());
    while (n < 0 && errno == EINTR);
    if (n == static_cast<ssize_t>(line.size())) {
      line_is_torn = false;
      return;
    }
    const int error_number = n < 0 ? errno : ENOSPC;
    if (n > 0) line_is_torn = true;
    if (!std::exchange(events_failed, true))
      say_warning(system_error("can't write an event", environment.events, error_number).message());
  }

  size_t terminal_columns() const {
    winsize size{};
    if (::ioctl(options.screen_fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) return size.ws_col - size_t{1};
    return 79;
  }
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::start(const SessionOptions& options) {
  auto state = std::make_unique<State>();
  State& s = *state;
  s.options = options;
  s.environment = options.environment ? *options.environment : TRY(task_environment());
  s.clock = options.clock ? options.clock : &system_clock();
  s.on_terminal = ::isatty(options.screen_fd) == 1;
  if (!s.environment.events.empty()) {
    s.events = Descriptor(::open(s.environment.events.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    if (!s.events) return system_error("can't open the events file", s.environment.events, errno);
    const Tail tail = TRY(tail_of(s.events.get(), s.environment.events, s.environment.attempt));
    s.seq = tail.last_seq;
    s.line_is_torn = tail.torn;
  }
  ASSERT(!session_lives.exchange(true));
  stop_asked_ns = 0;
  sigevent notice{};
  notice.sigev_notify = SIGEV_SIGNAL;
  notice.sigev_signo = SIGALRM;
  ASSERT(::timer_create(CLOCK_MONOTONIC, &notice, &grace_timer) == 0);
  const auto grace_ns = std::max<int64_t>(1, std::llround(s.environment.stop_seconds * 1e9));
  grace_time = {};
  grace_time.it_value.tv_sec = grace_ns / 1'000'000'000;
  grace_time.it_value.tv_nsec = grace_ns % 1'000'000'000;
  struct sigaction action{};
  ::sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_grace_over;
  ::sigaction(SIGALRM, &action, &s.old_alarm);
  action.sa_handler = on_stop;
  ::sigaction(SIGTERM, &action, &s.old_term);
  ::sigaction(SIGINT, &action, &s.old_int);
  s.handlers_set = true;
  return Session(std::move(state));
}

void Session::progress(std::string_view stage, int64_t done, int64_t total, std::string_view unit) {
  State& s = *state_;
  std::lock_guard lock(s.mutex);
  const int64_t now = s.clock->monotonic_ns();
  const bool new_stage = stage != s.stage || done < s.stage_done;
  if (new_stage) {
    s.stage = stage;
    s.rate = RateMeter();
  }
  s.rate.update(now, done);
  const bool finished =
      total > 0 && done >= total && (new_stage || s.stage_done < s.stage_total || s.stage_total != total);
  s.stage_done = done;
  s.stage_total = total;
  const ProgressView view{stage, done, total, unit, s.rate.per_second(), s.rate.seconds_left(total)};

  if (s.events) {
    if (!new_stage && !finished && now - s.last_event_ns < kEventEveryNs) return;
    s.last_event_ns = now;
    Json fields{{"stage", stage}, {"done", done}};
    if (total > 0) fields["total"] = total;
    fields["unit"] = unit;
    if (view.seconds_left) fields["left_s"] = std::round(*view.seconds_left * 10) / 10;
    s.emit("progress", fields);
    return;
  }
  if (s.options.quiet || (s.options.json && !s.on_terminal)) return;
  if (s.on_terminal) {
    if (!new_stage && !finished && now - s.last_screen_ns < kBarEveryNs) return;
    s.last_screen_ns = now;
    s.put("\r" + progress_bar(view, s.terminal_columns()) + "\033[K");
    s.bar_shown = true;
    if (finished) {
      s.put("\n");
      s.bar_shown = false;
    }
    return;
  }
  if (!finished && now - s.last_screen_ns < kLineEveryNs && !new_stage) return;
  s.last_screen_ns = now;
  s.put_line(progress_line(view));
}

void Session::metric(std::string_view name, double value, std::string_view unit) {
  std::lock_guard lock(state_->mutex);
  Json fields{{"name", name}};
  // JSON has no NaN and no infinity: those are null.
  fields["value"] = std::isfinite(value) ? Json(value) : Json();
  if (!unit.empty()) fields["unit"] = unit;
  state_->emit("metric", fields);
}

void Session::warning(std::string_view text) {
  std::lock_guard lock(state_->mutex);
  state_->emit("warning", Json{{"text", text.substr(0, kLongestEventLine / 8)}});
  state_->say_warning(text);
}

void Session::artifact(const std::filesystem::path& path, std::string_view kind) {
  std::lock_guard lock(state_->mutex);
  state_->emit("artifact", Json{{"path", path.string()}, {"type", kind}});
}

void Session::checkpoint(int64_t sequence, int64_t files, int64_t bytes) {
  std::lock_guard lock(state_->mutex);
  state_->emit("checkpoint", Json{{"sequence", sequence}, {"files", files}, {"bytes", bytes}});
}

bool Session::stop_requested() const {
  return stop_asked_ns.load() != 0;
}

Status Session::check_stop() const {
  if (!stop_requested()) return {};
  return Error{ErrorKind::stopped, "stopped on request", "",
               "start the same command again to go on from the last checkpoint"};
}

double Session::grace_left_seconds() const {
  const int64_t asked = stop_asked_ns.load();
  if (asked == 0) return state_->environment.stop_seconds;
  return std::max(0.0, state_->environment.stop_seconds - seconds_between(asked, now_for_signals()));
}

int64_t Session::attempt() const {
  return state_->environment.attempt;
}
const TaskEnvironment& Session::environment() const {
  return state_->environment;
}

}  // namespace tqm::task
