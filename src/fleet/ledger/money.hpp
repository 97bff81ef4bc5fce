// Money is whole micro-yuan in 64 bits: a millionth of a yuan, a ten-thousandth of a fen. Nothing here is a float, and
// what does not fit is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm::fleet {

using Micro = int64_t;
constexpr Micro kYuan = 1'000'000;
constexpr Micro kFen = 10'000;
constexpr Micro kMostMoney = 1'000'000'000 * kYuan;  // the largest single amount; sums of 9,000 of them still fit

// "12", "12.5", "0.000001"; at most six digits after the point, never negative, at most kMostMoney.
Result<Micro> parse_yuan(std::string_view text);
// "12.50", "0.000001", "-3.00": two digits after the point, more where there is more.
std::string yuan_text(Micro amount);

Result<Micro> add_money(Micro a, Micro b);  // refuses an overflow
Result<Micro> check_amount(Micro amount);   // above 0 and at most kMostMoney; the amount itself

}  // namespace tqm::fleet
