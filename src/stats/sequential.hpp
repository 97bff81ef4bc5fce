// A group-sequential test of the sign of a mean: look at the numbers as they arrive, stop as soon as they decide, and
// still be wrong no more often than was promised. Looking at an ordinary 95 % interval again and again is wrong far
// more often than 5 %: a mean of exactly 0 would be declared negative in 24 % of runs looked at every 25 windows.
//
// Each bound (the upper that accepts, the lower that rejects) may err with probability alpha over all looks together.
// How much of it a look may spend follows a function of the information fraction n / cap (K. K. G. Lan and D. L.
// DeMets, Biometrika 70 (1983) 659): of O'Brien-Fleming kind, alpha(t) = 2 - 2 Phi(z[alpha/2] / sqrt(t)), almost
// nothing early; or of Pocock kind, alpha(t) = alpha ln(1 + (e - 1) t). The boundaries come out of the exact joint
// distribution of the looks by the recursion of P. Armitage, C. K. McPherson and B. C. Rowe (JRSS A 132 (1969) 235),
// integrated numerically.
//
// The variance is not known but estimated, so each look's boundary is turned into Student's t at the same tail
// probability (S. J. Pocock, Biometrika 64 (1977) 191). Skewed numbers make t lean: each bound is the wider of
// Student's and that after P. Hall's transformation, which removes skewness (JRSS B 54 (1992) 221, formula 3.1).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tqm::stats {

enum class SpendingKind { obrien_fleming, pocock };

struct SequentialPlan {
  int64_t cap = 1000;  // numbers at most
  int64_t first_look =
      50;  // numbers before the first look; below 20 the t approximation is not to be trusted, and refused
  int64_t look_every = 10;  // numbers between looks; the last look is always at the cap
  double alpha = 0.05;      // of each bound, over all looks: 0.05 is "the upper 95 % bound"
  SpendingKind kind = SpendingKind::obrien_fleming;
};

// accept: the upper bound is below 0. reject: the lower bound is above 0. undecided: neither, and the cap is reached.
enum class Decision { go_on, accept, reject, undecided };

std::string_view name(Decision decision);

// What the last look taken saw. low and high bound the mean, each with confidence 1 - alpha whatever the looks before:
// the repeated confidence interval of C. Jennison and B. W. Turnbull (JRSS B 51 (1989) 305). Before the first look they
// are infinite.
struct SequentialLook {
  Decision decision = Decision::go_on;
  int64_t looks = 0;  // taken so far
  int64_t count = 0;  // numbers used by the last of them
  double mean = 0;
  double standard_error = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

class SequentialTest {
 public:
  // Refuses a plan that can't be carried out. Some ten milliseconds of integration; copy the test rather than make it
  // anew.
  static Result<SequentialTest> create(const SequentialPlan& plan);

  // All the numbers so far, in the order they came, which must be random or otherwise exchangeable. Every planned look
  // among them is taken in turn, up to the first that decides: the answer depends on the numbers alone, not on how
  // often we were called. What comes after a decision or the cap is ignored. A number that is not finite is refused.
  Result<SequentialLook> look(std::span<const double> values) const;

  // The numbers that the next look needs, or 0 when count has reached the cap.
  int64_t next_look(int64_t count) const;

  const SequentialPlan& plan() const { return plan_; }
  // One for each planned look: how many numbers, and the boundary of each bound as a normal quantile (infinite: can't
  // decide yet).
  const std::vector<int64_t>& counts() const { return counts_; }
  const std::vector<double>& boundaries() const { return boundaries_; }

 private:
  SequentialPlan plan_;
  std::vector<int64_t> counts_;
  std::vector<double> boundaries_;
  std::vector<double> t_boundaries_;
};

// The cumulative alpha that may be spent up to an information fraction 0 < t <= 1.
double spent_alpha(SpendingKind kind, double alpha, double fraction);

// The boundaries b_k, as normal quantiles, for looks at rising information: under mean 0, the first crossing above b_k
// happens at look k with probability spent(t_k) - spent(t_k-1), and below -b_k likewise. fractions rise to at most 1.
std::vector<double> sequential_boundaries(std::span<const double> fractions, double alpha, SpendingKind kind);

}  // namespace tqm::stats
