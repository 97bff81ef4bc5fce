// The service's real decisions over a real store in a simulated world, from one seed: hosts fail and are cut off,
// messages are lost, doubled, late and out of order, the wall clock jumps, the service dies at any point and comes
// back. After every step what it touched is compared with the truth, every 100 steps and at the end everything is:
//
//   the ledger balances, and each organisation's money is where the truth says
//   no second is billed that was not run, none twice, and none is lost of those that were acknowledged
//   no job runs twice at the same time, and none ends twice
//   no quota, hold, paid_until, time limit or number of retries is passed
//   nothing is drawn from a voucher that has expired; prices are those of the order
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/operate/decide.hpp"

namespace tqm::fleet {

struct SimulationOptions {
  uint64_t seed = 1;
  int steps = 200;
  std::string address = ":memory:";  // of an empty database
  int organisations = 0;             // 0: by the seed, 3 to 12, and 1,000 for every 50th seed
  Decide decide;
};

struct SimulationResult {
  int64_t steps = 0, jobs = 0, attempts = 0, lost_attempts = 0, restarts = 0, accounts = 0, transactions = 0,
          seconds = 0;
  std::string fault;  // the first one; empty: none
};

// An Error only where the store itself can't be opened.
Result<SimulationResult> simulate(const SimulationOptions& options);

}  // namespace tqm::fleet
