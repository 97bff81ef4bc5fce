#include "stats/sequential.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "stats/distribution.hpp"
#include "stats/moments.hpp"

namespace tqm::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kReach = 12;          // the normal density beyond is below 1e-32
constexpr double kLeastSpend = 1e-30;  // a look with less to spend has no boundary

// Ten-point Gauss-Legendre on [-1, 1], one half of it.
constexpr std::array<double, 5> kNodes = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                          0.8650633666889845, 0.9739065285171717};
constexpr std::array<double, 5> kWeights = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
                                            0.1494513491505806, 0.0666713443086881};

// The part of the distribution of Z at one look that has crossed no boundary yet: points, and their weights times the
// density.
struct Survivors {
  std::vector<double> points;
  std::vector<double> mass;
};

// Points over (-boundary, boundary), rising, dense enough for features of the given width.
Survivors grid(double boundary, double width) {
  Survivors result;
  const double edge = std::min(boundary, kReach);
  const auto panels = static_cast<size_t>(std::ceil(2 * edge / (3 * width)));
  const double half = edge / static_cast<double>(panels);
  for (size_t i = 0; i < panels; ++i) {
    const double centre = -edge + half * static_cast<double>(2 * i + 1);
    for (size_t j = kNodes.size(); j-- > 0;) {
      result.points.push_back(centre - half * kNodes[j]);
      result.mass.push_back(half * kWeights[j]);
    }
    for (size_t j = 0; j < kNodes.size(); ++j) {
      result.points.push_back(centre + half * kNodes[j]);
      result.mass.push_back(half * kWeights[j]);
    }
  }
  return result;
}

// From one look to the next, Z' = ratio Z + width N(0, 1): the increments of information are independent.
struct Step {
  double ratio;
  double width;
};

// P(no crossing before, Z' > boundary)
double crossing(const Survivors& before, Step step, double boundary) {
  double sum = 0;
  for (size_t i = before.points.size(); i-- > 0;) {
    const double u = (boundary - step.ratio * before.points[i]) / step.width;
    if (u > kReach) break;
    sum += before.mass[i] * normal_tail(u);
  }
  return sum;
}

// The boundary that the wanted probability crosses. The logarithm of the crossing is close to a parabola: bisection on
// it is safe and, next to the integration, cheap.
double find_boundary(const Survivors& before, Step step, double wanted) {
  double low = 0;
  double high = kReach;
  if (crossing(before, step, high) >= wanted) return kInfinity;
  for (int i = 0; i < 50 && high - low > 1e-12; ++i) {
    const double middle = 0.5 * (low + high);
    (crossing(before, step, middle) > wanted ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// A look at one of the scheduled counts: t's bound and, where skewness makes it wider, Hall's, from the mean up (side =
// 1) or down.
double reach(const Moments& m, double boundary, double side) {
  const double per_root_n = boundary / std::sqrt(static_cast<double>(m.count()));
  const double plain = per_root_n;
  const double skewness = m.skewness() * side;
  double transformed = plain;
  if (std::abs(skewness) > 1e-6) {
    // Inverse of g(u) = u + γ u² / 3 + γ² u³ / 27 + γ / (6 n) at -boundary / sqrt(n), mirrored for the lower bound.
    const double inside = 1 + skewness * (-per_root_n - skewness / (6 * static_cast<double>(m.count())));
    transformed = -3 / skewness * (std::cbrt(inside) - 1);
  }
  return m.deviation() * std::max(plain, transformed);
}

Error plan_error(std::string what, int64_t value, std::string next) {
  return Error{ErrorKind::bad_input, std::move(what), std::to_string(value), std::move(next)};
}

}  // namespace

std::string_view name(Decision decision) {
  switch (decision) {
    case Decision::go_on:
      return "go on";
    case Decision::accept:
      return "accept";
    case Decision::reject:
      return "reject";
    case Decision::undecided:
      return "undecided";
  }
  ASSERT(false);
}

double spent_alpha(SpendingKind kind, double alpha, double fraction) {
  ASSERT(alpha > 0 && alpha < 1 && fraction > 0);
  const double t = std::min(fraction, 1.0);
  if (kind == SpendingKind::pocock) return alpha * std::log1p((std::numbers::e - 1) * t);
  return 2 * normal_tail(normal_tail_quantile(alpha / 2) / std::sqrt(t));
}

std::vector<double> sequential_boundaries(std::span<const double> fractions, double alpha, SpendingKind kind) {
  std::vector<double> boundaries;
  Survivors survivors;
  double spent = 0;
  for (size_t k = 0; k < fractions.size(); ++k) {
    ASSERT(fractions[k] > (k == 0 ? 0 : fractions[k - 1]) && fractions[k] <= 1 + 1e-12);
    const double allowed = spent_alpha(kind, alpha, fractions[k]);
    const double wanted = allowed - spent;
    const double next_width = k + 1 < fractions.size() ? std::sqrt(1 - fractions[k] / fractions[k + 1]) : 1;
    Step step{0, 1};
    double boundary = kInfinity;
    if (k == 0) {
      if (wanted >= kLeastSpend) boundary = normal_tail_quantile(wanted);
    } else {
      const double share = fractions[k - 1] / fractions[k];
      step = {std::sqrt(share), std::sqrt(1 - share)};
      if (wanted >= kLeastSpend) boundary = find_boundary(survivors, step, wanted);
    }
    // Where nothing could be spent, the next look may spend it.
    if (boundary < kInfinity) spent = allowed;
    boundaries.push_back(boundary);

    Survivors next = grid(boundary, std::min(step.width, next_width));
    for (size_t i = 0; i < next.points.size(); ++i) {
      double density = 0;
      if (k == 0) {
        density = normal_density(next.points[i]);
      } else {
        // Only points within 9 standard deviations of the step matter.
        const double from = (next.points[i] - 9 * step.width) / step.ratio;
        const double to = (next.points[i] + 9 * step.width) / step.ratio;
        auto j = static_cast<size_t>(std::lower_bound(survivors.points.begin(), survivors.points.end(), from) -
                                     survivors.points.begin());
        for (; j < survivors.points.size() && survivors.points[j] < to; ++j) {
          const double u = (next.points[i] - step.ratio * survivors.points[j]) / step.width;
          density += survivors.mass[j] * std::exp(-0.5 * u * u);
        }
        density /= step.width * std::sqrt(2 * std::numbers::pi);
      }
      next.mass[i] *= density;
    }
    survivors = std::move(next);
  }
  return boundaries;
}

Result<SequentialTest> SequentialTest::create(const SequentialPlan& plan) {
  if (plan.first_look < 20)
    return plan_error("the first look of a sequential test must have at least 20 numbers", plan.first_look,
                      "50 is usual");
  if (plan.cap < plan.first_look)
    return plan_error("a sequential test must be allowed at least as many numbers as its first look needs", plan.cap,
                      "give at least " + std::to_string(plan.first_look));
  if (plan.look_every < 1)
    return plan_error("the numbers between two looks must be at least 1", plan.look_every, "10 is usual");
  if ((plan.cap - plan.first_look) / plan.look_every > 1000)
    return plan_error("a sequential test may take at most 1000 looks", (plan.cap - plan.first_look) / plan.look_every,
                      "look less often");
  if (!(plan.alpha >= 1e-6 && plan.alpha <= 0.4))
    return Error{ErrorKind::bad_input, "alpha must lie between 1e-6 and 0.4", std::to_string(plan.alpha),
                 "0.05 is usual"};
  SequentialTest test;
  test.plan_ = plan;
  for (int64_t n = plan.first_look; n < plan.cap; n += plan.look_every) test.counts_.push_back(n);
  test.counts_.push_back(plan.cap);
  std::vector<double> fractions;
  for (int64_t n : test.counts_) fractions.push_back(static_cast<double>(n) / static_cast<double>(plan.cap));
  test.boundaries_ = sequential_boundaries(fractions, plan.alpha, plan.kind);
  for (size_t k = 0; k < test.counts_.size(); ++k) {
    const double boundary = test.boundaries_[k];
    test.t_boundaries_.push_back(boundary < kInfinity
                                     ? t_tail_quantile(normal_tail(boundary), static_cast<double>(test.counts_[k] - 1))
                                     : kInfinity);
  }
  return test;
}

Result<SequentialLook> SequentialTest::look(std::span<const double> values) const {
  SequentialLook result;
  Moments m;
  for (size_t k = 0; k < counts_.size() && counts_[k] <= static_cast<int64_t>(values.size()); ++k) {
    while (m.count() < counts_[k]) {
      const double value = values[static_cast<size_t>(m.count())];
      if (!std::isfinite(value))
        return Error{ErrorKind::breakdown, "a number to be tested is not finite", "number " + std::to_string(m.count()),
                     "look where it came from"};
      m.add(value);
    }
    result.looks = static_cast<int64_t>(k) + 1;
    result.count = m.count();
    result.mean = m.mean();
    result.standard_error = m.standard_error();
    if (t_boundaries_[k] < kInfinity) {
      result.high = result.mean + reach(m, t_boundaries_[k], 1);
      result.low = result.mean - reach(m, t_boundaries_[k], -1);
    } else {
      result.high = kInfinity;
      result.low = -kInfinity;
    }
    if (result.high < 0) {
      result.decision = Decision::accept;
      return result;
    }
    if (result.low > 0) {
      result.decision = Decision::reject;
      return result;
    }
  }
  if (result.count == plan_.cap) result.decision = Decision::undecided;
  return result;
}

int64_t SequentialTest::next_look(int64_t count) const {
  const auto next = std::upper_bound(counts_.begin(), counts_.end(), count);
  return next == counts_.end() ? 0 : *next;
}

}  // namespace tqm::stats
