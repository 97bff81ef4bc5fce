// The decisions that operations ask, as one table of functions. It is the real ones everywhere but in the simulation's
// tests, which put a faulty one in to see that it is found.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "fleet/account/limit.hpp"
#include "fleet/job/meter.hpp"
#include "fleet/job/reconcile.hpp"
#include "fleet/ledger/hold.hpp"

namespace tqm::fleet {

struct Decide {
  decltype(&fleet::grant_next) grant_next = fleet::grant_next;
  decltype(&fleet::claim) claim = fleet::claim;
  decltype(&fleet::renew) renew = fleet::renew;
  decltype(&fleet::check_write) check_write = fleet::check_write;
  decltype(&fleet::end) end_lease = fleet::end;
  decltype(&fleet::count) count = fleet::count;
  decltype(&fleet::extend) extend = fleet::extend;
  decltype(&fleet::paid_until) paid_until = fleet::paid_until;
  decltype(&fleet::redone) redone = fleet::redone;
  decltype(&fleet::hold) hold = fleet::hold;
  decltype(&fleet::charge) charge = fleet::charge;
  decltype(&fleet::release) release = fleet::release;
  decltype(&fleet::grant) grant = fleet::grant;
  decltype(&fleet::expire) expire = fleet::expire;
  decltype(&fleet::check_limits) check_limits = fleet::check_limits;
  decltype(&fleet::after_end) after_end = fleet::after_end;
  decltype(&fleet::reconcile) reconcile = fleet::reconcile;
};

}  // namespace tqm::fleet
