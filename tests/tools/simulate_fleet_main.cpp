// usage: simulate_fleet [--seed N] [--seeds COUNT] [--steps N] [--organisations N] [--database postgresql-address]
// Runs seeds N, N+1, …; a fault ends it with the seed that replays it and exit code 2. A database is given for one
// seed.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fleet/simulate/simulation.hpp"

int main(int count, char** words) {
  tqm::fleet::SimulationOptions options;
  uint64_t seeds = 1;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string word = words[i];
    const char* value = words[i + 1];
    if (word == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (word == "--seeds") seeds = std::strtoull(value, nullptr, 10);
    if (word == "--steps") options.steps = std::atoi(value);
    if (word == "--organisations") options.organisations = std::atoi(value);
    if (word == "--database") options.address = value;
  }
  tqm::fleet::SimulationResult all;
  for (uint64_t i = 0; i < seeds; ++i, ++options.seed) {
    auto run = tqm::fleet::simulate(options);
    if (!run) {
      std::fprintf(stderr, "%s\n", run.error().message().c_str());
      return 1;
    }
    if (!run->fault.empty()) {
      std::printf("seed %llu: %s\nreplay with: simulate_fleet --seed %llu --steps %d\n",
                  static_cast<unsigned long long>(options.seed), run->fault.c_str(),
                  static_cast<unsigned long long>(options.seed), options.steps);
      return 2;
    }
    all.steps += run->steps, all.jobs += run->jobs, all.attempts += run->attempts,
        all.lost_attempts += run->lost_attempts;
    all.restarts += run->restarts, all.accounts += run->accounts, all.transactions += run->transactions,
        all.seconds += run->seconds;
  }
  const auto number = [](int64_t value) { return static_cast<long long>(value); };
  std::printf(
      "%llu seeds, no fault: %lld steps, %lld jobs, %lld attempts (%lld lost), %lld restarts, %lld ledger accounts, "
      "%lld transactions, %lld seconds billed\n",
      static_cast<unsigned long long>(seeds), number(all.steps), number(all.jobs), number(all.attempts),
      number(all.lost_attempts), number(all.restarts), number(all.accounts), number(all.transactions),
      number(all.seconds));
}
