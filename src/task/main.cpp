#include "task/main.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <signal.h>

#include "base/json.hpp"

namespace tqm::task {
namespace {

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc && std::strcmp(argv[i], "--") != 0; ++i)
    if (std::strcmp(argv[i], "--json") == 0) return true;
  return false;
}

Result<int> guarded(int argc, char** argv, const std::function<Result<int>(int, char**)>& body) {
  try {
    Result<int> result = body(argc, argv);
    if (!result) return result;
    std::cout.flush();
    if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout)) {
      const int error_number = errno;
      // A reader that has seen enough ("| head") is no failure of ours.
      if (error_number == EPIPE) return result;
      return Error{ErrorKind::environment, "can't write the output: " + std::string(std::strerror(error_number)),
                   "standard output", "free some space, or write it elsewhere"};
    }
    return result;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::environment, "out of memory", "", "close other programs, or take a smaller input"};
  } catch (const std::exception& e) {
    return Error{ErrorKind::internal, e.what(), "", "this is a bug of ours: please report it with the command line"};
  } catch (...) {
    return Error{ErrorKind::internal, "an exception of an unknown kind", "",
                 "this is a bug of ours: please report it with the command line"};
  }
}

}  // namespace

std::string error_text(std::string_view program, const Error& error, bool json) {
  if (json) {
    Json fields;
    fields["kind"] = name(error.kind);
    fields["what"] = error.what;
    fields["where"] = error.where;
    fields["next"] = error.next;
    fields["exit_code"] = exit_code(error.kind);
    return dump_json(Json{{"error", fields}}, -1) + "\n";
  }
  std::string text = std::string(program) + ": " + error.what;
  if (!error.where.empty()) text += " (" + error.where + ")";
  text += "\n";
  if (!error.next.empty()) text += "  " + error.next + "\n";
  return text;
}

void restore_default_signals() {
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
}

int run_program(std::string_view name, int argc, char** argv, const std::function<Result<int>(int, char**)>& body) {
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe or a full quota is an error that a write returns, not our end
  ::signal(SIGXFSZ, SIG_IGN);
  const Result<int> result = guarded(argc, argv, body);
  if (result) return *result;
  std::fflush(stdout);
  std::fputs(error_text(name, result.error(), asks_for_json(argc, argv)).c_str(), stderr);
  return exit_code(result.error().kind);
}

}  // namespace tqm::task
