// What a job will cost, frozen when it is ordered; and chips side by side before that.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fleet/catalogue/node_type.hpp"
#include "fleet/ledger/charge.hpp"

namespace tqm::fleet {

// Kept with the order: later prices do not touch it.
struct Quote {
  std::string node_type;
  int64_t nodes = 1;
  int64_t price_from_ms = 0;  // which version of the price
  Micro node_hour = 0;        // of one node, before subsidies
  Terms terms;                // of all nodes
  int64_t made_ms = 0;
  bool operator==(const Quote&) const = default;
};

// sector: the organisation is a university or state-owned. Refuses nodes outside 1 to 10,000.
Result<Quote> make_quote(const NodeType& type, int64_t nodes, bool sector, int64_t now_ms);

// The quote on a chip that has been committed to for a year: its hours are paid for, so they cost nothing more.
Result<Quote> committed(Quote quote);

// A commitment pays from how many hours a year on? By list prices; not_found where the type has no yearly price.
Result<double> commitment_pays_from_hours(const PriceVersion& price);

// One row of a comparison: so much work on nodes of this type.
struct Candidate {
  NodeType type;
  int64_t nodes = 1;
  double rate = 0;          // units of work a second, all nodes together
  std::string rate_source;  // where the rate comes from: an address, "measured: …", "claimed: …"
};
struct Compared {
  std::string node_type;
  int64_t nodes = 1;
  int64_t seconds = 0;  // rounded up
  double rate = 0;
  Micro node_hour = 0;
  Charge charge;
  double list_share = 0, net_share = 0;  // of the first row's net cost; before and after this row's subsidies
  PriceSource price_source;
  std::string rate_source;
};

// `work` units on each candidate at the prices of a time. The first row is what the others are compared with.
Result<std::vector<Compared>> compare(double work, std::span<const Candidate> candidates, bool sector, int64_t now_ms);

// The arithmetic of each row written out, line by line.
std::string arithmetic(double work, std::span<const Compared> rows);

// A comparison from a file of catalog/scenarios: a title, work in units, and rates with their sources.
struct Scenario {
  std::string title, unit;
  double work = 0;
  std::vector<Candidate> candidates;
};
Result<Scenario> load_scenario(const std::filesystem::path& file, std::span<const NodeType> types);

}  // namespace tqm::fleet
