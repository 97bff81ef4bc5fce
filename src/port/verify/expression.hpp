// The small integer expressions of a harness: "cdiv(n, 256) * 2".
//
// Numbers, names of sizes, + - * / % with C's meaning and C's precedence, brackets, and min(a, b), max(a, b),
// cdiv(a, b) (division rounded up), align(a, b) (a rounded up to a multiple of b). 64 bits; what does not fit is
// refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm::port {

using Sizes = std::map<std::string, std::int64_t>;

// where: the file and line to name in a refusal.
Result<std::int64_t> evaluate(std::string_view text, const Sizes& sizes, const std::string& where);

}  // namespace tqm::port
