// What every program's main does around its work: errors become a message on stderr and the contract's exit code.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm::task {

// Runs body and returns the exit code. An Error is printed as
//   torquetum compress: what is wrong (where)
//     what to do next
// or, where --json stands among the arguments, as one line {"error": {"kind", "what", "where", "next", "exit_code"}}.
// A stray exception is internal (70), std::bad_alloc is environment (1), standard output that can't be written is
// environment. body gives the exit code for what is no error: 0, or 2 where the check failed and the report is written.
int run_program(std::string_view name, int argc, char** argv,
                const std::function<Result<int>(int argc, char** argv)>& body);

// Before an exec: run_program ignores SIGPIPE and SIGXFSZ, which the next program would inherit.
void restore_default_signals();

// The message of an error as run_program prints it, with the line's end.
std::string error_text(std::string_view program, const Error& error, bool json);

}  // namespace tqm::task
