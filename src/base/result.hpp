// Result<T>: a value or an Error, and TRY, which hands an error up. A dropped Result does not compile.
// An Error says what is wrong, where, and what to do next; its kind decides the exit code and the HTTP status.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>

namespace tqm {

enum class ErrorKind {
  bad_input,        // a file or a value that can't be used
  usage,            // flags or words on the command line
  not_found,        // what was named does not exist
  unsupported,      // understood, and refused by name
  permission,       // not allowed to
  unauthenticated,  // not known who asks
  conflict,         // somebody else holds it, or it exists already
  payment,          // credit, quota or spending limit
  environment,      // disk full, no memory, a missing program
  unavailable,      // a service that does not answer now
  breakdown,        // the computation itself broke down (NaN, no convergence)
  check_failed,     // the check against the original failed; the work was rolled back
  stopped,          // stopped on request; can be resumed
  internal,         // our own bug
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string what;   // what is wrong, one sentence without a full stop
  std::string where;  // file, tensor, flag; may be empty
  std::string next;   // what to do next; may be empty

  // "what (where): next", on one line.
  std::string message() const;
};

int exit_code(ErrorKind kind);    // 1, 2, 70 or 75: see docs/task-contract.md
int http_status(ErrorKind kind);  // the status of the problem document
std::string_view name(ErrorKind kind);

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : held_(std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Error error) : held_(tl::make_unexpected(std::move(error))) {}
  explicit operator bool() const { return held_.has_value(); }
  bool ok() const { return held_.has_value(); }
  T& operator*() & { return *held_; }
  const T& operator*() const& { return *held_; }
  T* operator->() { return &*held_; }
  const T* operator->() const { return &*held_; }
  T take() && { return std::move(*held_); }
  const Error& error() const& { return held_.error(); }
  Error error() && { return std::move(held_.error()); }

 private:
  tl::expected<T, Error> held_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  bool ok() const { return !error_; }
  void take() && {}
  const Error& error() const& { return *error_; }
  Error error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace tqm

// auto x = TRY(f()); hands f's error to our caller. Not nested, never around co_await (see CO_TRY).
#define TRY(...)                                                   \
  __extension__({                                                  \
    auto tqm_try_result = (__VA_ARGS__);                           \
    if (!tqm_try_result) return std::move(tqm_try_result).error(); \
    std::move(tqm_try_result).take();                              \
  })

#define TQM_CONCAT_2(a, b) a##b
#define TQM_CONCAT(a, b) TQM_CONCAT_2(a, b)

// CO_TRY(auto x, co_await f()); in a coroutine that returns a Result.
#define CO_TRY(declaration, ...) CO_TRY_2(TQM_CONCAT(tqm_co_try_, __LINE__), declaration, __VA_ARGS__)
#define CO_TRY_2(held, declaration, ...)        \
  auto held = __VA_ARGS__;                      \
  if (!held) co_return std::move(held).error(); \
  declaration = std::move(held).take()

// Our own bugs only, on in release; input never reaches one. Exit code 70.
#define ASSERT(condition)                                   \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::tqm::assert_failed(#condition, __FILE__, __LINE__); \
  } while (false)

namespace tqm {
[[noreturn]] void assert_failed(const char* condition, const char* file, int line);
}
