#include "base/result.hpp"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace tqm {
namespace {

struct Row {
  ErrorKind kind;
  std::string_view name;
  int exit_code;
  int http_status;
};

constexpr Row kRows[] = {
    {ErrorKind::bad_input, "bad_input", 1, 422},     {ErrorKind::usage, "usage", 1, 400},
    {ErrorKind::not_found, "not_found", 1, 404},     {ErrorKind::unsupported, "unsupported", 1, 422},
    {ErrorKind::permission, "permission", 1, 403},   {ErrorKind::unauthenticated, "unauthenticated", 1, 401},
    {ErrorKind::conflict, "conflict", 1, 409},       {ErrorKind::payment, "payment", 1, 402},
    {ErrorKind::environment, "environment", 1, 507}, {ErrorKind::unavailable, "unavailable", 1, 503},
    {ErrorKind::breakdown, "breakdown", 1, 500},     {ErrorKind::check_failed, "check_failed", 2, 409},
    {ErrorKind::stopped, "stopped", 75, 503},        {ErrorKind::internal, "internal", 70, 500},
};

const Row& row(ErrorKind kind) {
  for (const Row& r : kRows)
    if (r.kind == kind) return r;
  return kRows[std::size(kRows) - 1];
}

}  // namespace

int exit_code(ErrorKind kind) {
  return row(kind).exit_code;
}
int http_status(ErrorKind kind) {
  return row(kind).http_status;
}
std::string_view name(ErrorKind kind) {
  return row(kind).name;
}

std::string Error::message() const {
  std::string text = what;
  if (!where.empty()) text += " (" + where + ")";
  if (!next.empty()) text += ": " + next;
  return text;
}

void assert_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "torquetum: internal error at %s:%d: %s does not hold. Please report this line.\n", file, line,
               condition);
  std::fflush(stderr);
  _exit(70);
}

}  // namespace tqm
