// One source parsed in a child process, within bounds of time and memory.
#pragma once

#include "port/frontend/program.hpp"

namespace tqm::port {

inline constexpr double kParseSeconds = 120;
inline constexpr uint64_t kParseBytes = uint64_t{6} << 30;  // of address space

// An Error where the child ended by a signal, or ran out of a bound: it says which.
Result<Program> extract_in_child(const ParseOptions& options);

// The child's side: options as JSON in, the program as JSON out.
Result<std::string> extract_from_json(const std::string& options);

}  // namespace tqm::port
