// The calls of BANG C that a kernel for the MLU370 (mtp_372) may make.
//
// They are those of Cambricon's 3.0 headers that hold on 3xx (zhourunyu/llvm-mlu at d712988), and those that mlu-ops
// makes for the 372 in its last revision that was built for it (34391869^). Between the two toolchains some calls
// changed their names: a name of neither list that stands for one of them is an alias.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tqm::port::dialect {

bool is_call_of_372(std::string_view name);

// What to write for a name of another toolchain; none where it is no alias.
std::optional<std::string_view> call_for_alias(std::string_view name);

// Whether a name has the form of a BANG call at all: __bang_, __memcpy, __sync, …
bool looks_like_bang_call(std::string_view name);

// All that is_call_of_372 knows, in order.
std::vector<std::string_view> calls_of_372();

}  // namespace tqm::port::dialect
