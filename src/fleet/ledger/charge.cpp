#include "fleet/ledger/charge.hpp"

namespace tqm::fleet {
namespace {

__extension__ using Wide = __int128;

Micro percent_of(Micro amount, int percent) {
  return static_cast<Micro>(static_cast<Wide>(amount) * percent / 100);
}

}  // namespace

Status check_terms(const Terms& terms) {
  if (terms.price_hour < 0 || terms.price_hour > kMostMoney)
    return Error{ErrorKind::bad_input, "the price an hour must be from 0 to " + yuan_text(kMostMoney) + " yuan",
                 yuan_text(terms.price_hour), ""};
  for (int percent : {terms.domestic_percent, terms.sector_percent})
    if (percent < 0 || percent > 100)
      return Error{ErrorKind::bad_input, "a subsidy must be from 0 to 100 percent", std::to_string(percent), ""};
  return {};
}

Result<Charge> charge_of(const Terms& terms, int64_t seconds) {
  TRY(check_terms(terms));
  if (seconds < 0 || seconds > kMostSeconds)
    return Error{ErrorKind::bad_input, "the seconds must be from 0 to a hundred years", std::to_string(seconds), ""};
  const Wide gross = static_cast<Wide>(seconds) * terms.price_hour / 3600;
  if (gross > static_cast<Wide>(INT64_MAX))
    return Error{ErrorKind::bad_input, "the charge does not fit into 64 bits", std::to_string(seconds) + " s", ""};
  Charge charge;
  charge.gross = static_cast<Micro>(gross);
  charge.domestic = percent_of(charge.gross, terms.domestic_percent);
  charge.sector = percent_of(charge.gross - charge.domestic, terms.sector_percent);
  return charge;
}

Result<int64_t> seconds_for(const Terms& terms, Micro money, int64_t most) {
  TRY(check_terms(terms));
  if (money < 0) return int64_t{0};
  int64_t low = 0, high = most < kMostSeconds ? most : kMostSeconds;  // low is covered; nothing above high is asked for
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    const auto charge = charge_of(terms, middle);
    if (charge.ok() && charge->net() <= money) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace tqm::fleet
