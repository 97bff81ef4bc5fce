#include "fleet/ledger/money.hpp"

#include <algorithm>

namespace tqm::fleet {
namespace {
Error not_money(std::string_view text) {
  return Error{ErrorKind::bad_input, "not an amount of money", std::string(text),
               "write yuan with at most six digits after the point, as in 12.50"};
}
}  // namespace

Result<Micro> parse_yuan(std::string_view text) {
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view part = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  const auto digits = [](std::string_view s) {
    return std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() || whole.size() > 10 || !digits(whole) || !digits(part) || part.size() > 6) return not_money(text);
  if (point != std::string_view::npos && part.empty()) return not_money(text);
  Micro amount = 0;
  for (char c : whole) amount = amount * 10 + (c - '0');
  for (size_t i = 0; i < 6; ++i) amount = amount * 10 + (i < part.size() ? part[i] - '0' : 0);
  if (amount > kMostMoney)
    return Error{ErrorKind::bad_input, "the amount is too large", std::string(text),
                 "at most " + yuan_text(kMostMoney) + " yuan at once"};
  return amount;
}

std::string yuan_text(Micro amount) {
  const bool negative = amount < 0;
  const auto size = negative ? uint64_t{0} - static_cast<uint64_t>(amount) : static_cast<uint64_t>(amount);
  std::string part = std::to_string(size % 1'000'000);
  part.insert(0, 6 - part.size(), '0');
  while (part.size() > 2 && part.back() == '0') part.pop_back();
  return (negative ? "-" : "") + std::to_string(size / 1'000'000) + "." + part;
}

Result<Micro> add_money(Micro a, Micro b) {
  Micro sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    return Error{ErrorKind::bad_input, "the sum of money does not fit into 64 bits",
                 yuan_text(a) + " + " + yuan_text(b), ""};
  return sum;
}

Result<Micro> check_amount(Micro amount) {
  if (amount > 0 && amount <= kMostMoney) return amount;
  return Error{ErrorKind::bad_input, "the amount must be above 0 and at most " + yuan_text(kMostMoney) + " yuan",
               yuan_text(amount), ""};
}

}  // namespace tqm::fleet
