// What the simulation knows by itself, and the comparison of the store with it. Prices are worked out anew here, not by
// the code that is tested.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fleet/operate/jobs.hpp"

namespace tqm::fleet {

struct TrueJob {
  std::string organisation;
  Terms terms;
  int64_t time_limit_s = 0, retries = 0;
  int64_t lost = 0;                       // attempts lost while it was to run
  std::map<int64_t, int64_t> checkpoint;  // by attempt: the last one that was accepted
  std::string ended_as;                   // the state that an accepted end gave it; empty: none yet
};

struct Truth {
  std::map<std::string, TrueJob> jobs;
  std::map<std::string, Micro> given, refunded;  // by organisation
  std::map<std::string, Micro> research;         // vouchers given
  std::map<std::string, Limits> limits;
  bool check_months = false;  // only where the wall clock stays in one month
};

// Net price of so many seconds, by long hand.
Micro true_price(const Terms& terms, int64_t seconds);

// Each gives the first difference in a sentence, or nothing.
Result<std::string> check_job(Connection& connection, const Truth& truth, const std::string& job);
Result<std::string> check_organisation(Connection& connection, const Truth& truth, const std::string& organisation,
                                       int64_t wall_ms);
Result<std::string> check_everything(Connection& connection, const Truth& truth, int64_t wall_ms);

}  // namespace tqm::fleet
