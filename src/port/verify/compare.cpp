#include "port/verify/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/result.hpp"

namespace tqm::port {
namespace {

// Floats that differ by this much of their size between orders of blocks were not rounded otherwise: another block
// wrote them.
constexpr double kOrderShare = 1e-3;
constexpr double kOrderShareOfLargest = 1e-5;

constexpr std::size_t kAround = 256;      // elements
constexpr double kShareOfLargest = 1e-6;  // of a buffer's largest value: what is left after the largest inputs cancel

enum class Sort { finite, nan, positive_infinity, negative_infinity };

Sort sort_of(double value) {
  if (std::isnan(value)) return Sort::nan;
  if (!std::isinf(value)) return Sort::finite;
  return value > 0 ? Sort::positive_infinity : Sort::negative_infinity;
}

class Judge {
 public:
  Judge(const BufferRuns& runs, Bytes result, const Tolerance& tolerance)
      : runs_(runs), result_(result), tolerance_(tolerance), width_(bytes_of(runs.element)) {}

  Comparison run() {
    out_.elements = runs_.reference.size() / width_;
    if (is_floating(runs_.element)) find_largest();
    if (is_floating(runs_.element) && !runs_.threads.empty()) find_around();
    if (is_floating(runs_.element) && !runs_.roundings.empty()) find_usual_rounding();
    for (std::size_t i = 0; i < out_.elements; ++i) element(i);
    if (reference_sum_ > 0) out_.diff1 = difference_sum_ / reference_sum_;
    if (reference_squares_ > 0) out_.diff2 = std::sqrt(difference_squares_ / reference_squares_);
    if (is_floating(runs_.element)) judge_means();
    return out_;
  }

 private:
  std::uint64_t bits(Bytes bytes, std::size_t i) const { return bits_at(runs_.element, bytes.data() + i * width_); }
  double value(Bytes bytes, std::size_t i) const { return value_at(runs_.element, bytes.data() + i * width_); }

  void find_largest() {
    for (std::size_t i = 0; i < out_.elements; ++i) {
      const double size = std::fabs(value(runs_.reference, i));
      if (std::isfinite(size)) largest_ = std::max(largest_, size);
    }
  }

  void element(std::size_t i) {
    const std::uint64_t reference = bits(runs_.reference, i);
    if (!runs_.other_poison.empty() && bits(runs_.other_poison, i) != reference) return;  // never written
    if (runs_.before.empty() || bits(runs_.before, i) != reference) ++out_.changed;
    const bool steady = is_floating(runs_.element) ? float_is_steady(i) : integer_is_steady(i, reference);
    if (!steady) {
      ++out_.order_dependent;
      if (!out_.first_order_dependent) out_.first_order_dependent = i;
      return;
    }
    ++out_.compared;
    if (is_floating(runs_.element))
      compare_float(i);
    else if (bits(result_, i) != reference)
      differs(i, 0, "integers are compared to the bit");
  }

  bool integer_is_steady(std::size_t i, std::uint64_t reference) const {
    return std::all_of(runs_.orders.begin(), runs_.orders.end(),
                       [&](Bytes other) { return bits(other, i) == reference; });
  }

  bool is_rounding(double apart, double reference) const {
    return apart <= kOrderShare * std::fabs(reference) || apart <= kOrderShareOfLargest * largest_;
  }

  bool float_is_steady(std::size_t i) const {
    const double reference = value(runs_.reference, i);
    for (const Bytes other : runs_.orders) {
      const double there = value(other, i);
      if (sort_of(there) != sort_of(reference)) return false;
      if (!std::isfinite(reference)) continue;
      const double apart = std::fabs(there - reference);
      if (tolerance_.moved_only && apart != 0) return false;
      if (!is_rounding(apart, reference)) return false;
    }
    // Contraction alone may decide between a large number and infinity; then neither can be asked for.
    return std::all_of(runs_.contractions.begin(), runs_.contractions.end(),
                       [&](Bytes other) { return sort_of(value(other, i)) == sort_of(reference); });
  }

  // Each element may be well and all of them off the same way.
  void judge_means() {
    const double coarse = std::ldexp(2.0 * tolerance_.ulps, -float_shape(runs_.element).precision);
    const double allowed = std::max(tolerance_.mean, coarse) + tolerance_.relative;
    if (out_.differing > 0 || (out_.diff1 <= allowed && out_.diff2 <= allowed)) return;
    differs(farthest_, 0,
            fmt::format("diff1 is {:.3g} and diff2 is {:.3g} over the buffer, and {:.3g} is allowed", out_.diff1,
                        out_.diff2, allowed));
  }

  // Between the lowest and the highest of runs that give the same sort of value.
  double width(std::size_t i, const std::vector<Bytes>& others) const {
    double low = value(runs_.reference, i), high = low;
    for (const Bytes other : others) {
      const double there = value(other, i);
      if (!std::isfinite(there)) continue;
      low = std::min(low, there);
      high = std::max(high, there);
    }
    return high - low;
  }

  double spread(std::size_t i) const {
    double low = value(runs_.reference, i), high = low;
    for (const auto* others : {&runs_.orders, &runs_.contractions})
      for (const Bytes other : *others) {
        low = std::min(low, value(other, i));
        high = std::max(high, value(other, i));
      }
    return high - low;
  }

  // What other orders of atomics round otherwise; a value that they change is none of it.
  double of_atomics(std::size_t i) const {
    const double reference = value(runs_.reference, i);
    double widest = 0;
    if (!std::isfinite(reference)) return widest;
    for (const auto* others : {&runs_.threads, &runs_.orders})
      if (const double one = width(i, *others); is_rounding(one, reference)) widest = std::max(widest, one);
    return widest;
  }

  void find_around() {
    around_.assign(out_.elements / kAround + 1, 0);
    for (std::size_t i = 0; i < out_.elements; ++i)
      around_[i / kAround] = std::max(around_[i / kAround], of_atomics(i));
  }

  double around(std::size_t i) const {
    const std::size_t at = i / kAround, first = at == 0 ? 0 : at - 1, last = std::min(at + 1, around_.size() - 1);
    return *std::max_element(around_.begin() + static_cast<std::ptrdiff_t>(first),
                             around_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  }

  // Rounding up and rounding down may meet by chance at one element: the middle one of those around it, as a share of
  // the value, is granted in any case.
  void find_usual_rounding() {
    usual_.assign(out_.elements / kAround + 1, 0);
    std::vector<double> shares;
    for (std::size_t block = 0; block < usual_.size(); ++block) {
      shares.clear();
      for (std::size_t i = block * kAround; i < std::min((block + 1) * kAround, out_.elements); ++i) {
        const double reference = std::fabs(value(runs_.reference, i));
        if (std::isfinite(reference) && reference > 0) shares.push_back(width(i, runs_.roundings) / reference);
      }
      if (shares.empty()) continue;
      const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
      std::nth_element(shares.begin(), middle, shares.end());
      usual_[block] = *middle;
    }
  }

  double rounding_at(std::size_t i, double reference) const {
    const double own = width(i, runs_.roundings);
    return usual_.empty() ? own : std::max(own, usual_[i / kAround] * std::fabs(reference));
  }

  // Of the largest numbers, a sum in another order may leave float's range on its way or not, and what is left after
  // they cancel is of no size.
  bool hangs_on_order(double reference, double result) const {
    if (runs_.roundings.empty() || !runs_.largest_inputs) return false;
    return sort_of(reference) != sort_of(result) || std::fabs(result - reference) <= kShareOfLargest * largest_;
  }

  void add_to_means(std::size_t i, double reference, double apart) {
    difference_sum_ += apart;
    reference_sum_ += std::fabs(reference);
    difference_squares_ += apart * apart;
    reference_squares_ += reference * reference;
    if (apart > farthest_apart_) {
      farthest_apart_ = apart;
      farthest_ = i;
    }
  }

  void compare_float(std::size_t i) {
    const double reference = value(runs_.reference, i), result = value(result_, i);
    const std::uint64_t reference_bits = bits(runs_.reference, i), result_bits = bits(result_, i);
    if (sort_of(reference) != sort_of(result)) {
      if (!hangs_on_order(reference, result)) return differs(i, 0, "NaN and infinity stand in the same places");
      ++out_.loose;
      return;
    }
    if (!std::isfinite(reference)) return;
    const double apart = std::fabs(result - reference);
    const double steps = static_cast<double>(steps_between(runs_.element, reference_bits, result_bits));
    out_.worst_ulps = std::max(out_.worst_ulps, steps);
    if (tolerance_.moved_only) {
      if (reference_bits != result_bits) differs(i, steps, "the kernel only moves it: compared to the bit");
      return;
    }
    const double ulp = ulp_of(runs_.element, reference);
    double own = std::max(spread(i), width(i, runs_.functions));
    if (!runs_.threads.empty()) own = std::max(own, around(i));
    const double rounding = rounding_at(i, reference);
    if (own > kOrderShare * std::fabs(reference) || rounding > kOrderShare * std::fabs(reference))
      ++out_.loose;
    else
      add_to_means(i, reference, apart);
    out_.largest_spread = std::max(out_.largest_spread, own / ulp);
    const double allowed = std::max(tolerance_.ulps * ulp, tolerance_.spread_factor * own) +
                           tolerance_.rounding_factor * rounding + tolerance_.relative * std::fabs(reference) +
                           tolerance_.absolute;
    if (steps > tolerance_.ulps && apart > allowed && !hangs_on_order(reference, result))
      differs(
          i, steps,
          fmt::format("off by {:.3g}, and {:.3g} is allowed: the CUDA side's own spread is {:.3g}, of rounding {:.3g}",
                      apart, allowed, own, rounding));
  }

  void differs(std::size_t i, double ulps, std::string why) {
    if (out_.differing++ > 0) return;
    out_.first = Difference{i, text_at(runs_.element, runs_.reference.data() + i * width_),
                            text_at(runs_.element, result_.data() + i * width_), ulps, std::move(why)};
  }

  const BufferRuns& runs_;
  Bytes result_;
  const Tolerance& tolerance_;
  std::size_t width_;
  std::vector<double> around_;  // the largest spread of atomics of each kAround elements
  std::vector<double> usual_;   // the middle share that rounding moves, of each kAround elements
  double largest_ = 0, farthest_apart_ = 0;
  std::size_t farthest_ = 0;
  double difference_sum_ = 0, reference_sum_ = 0, difference_squares_ = 0, reference_squares_ = 0;
  Comparison out_;
};

}  // namespace

Comparison compare(const BufferRuns& runs, Bytes result, const Tolerance& tolerance) {
  const std::size_t length = runs.reference.size();
  ASSERT(length % bytes_of(runs.element) == 0 && result.size() == length);
  for (const auto* others : {&runs.orders, &runs.contractions, &runs.functions, &runs.threads, &runs.roundings})
    for (const Bytes other : *others) ASSERT(other.size() == length);
  ASSERT(runs.before.empty() || runs.before.size() == length);
  ASSERT(runs.other_poison.empty() || runs.other_poison.size() == length);
  return Judge(runs, result, tolerance).run();
}

std::optional<std::size_t> first_unequal(Element element, Bytes reference, Bytes other, Bytes never_written_a,
                                         Bytes never_written_b) {
  const std::size_t width = bytes_of(element);
  ASSERT(reference.size() == other.size() && reference.size() % width == 0);
  const bool some_unwritten = !never_written_a.empty();
  ASSERT(!some_unwritten || (never_written_a.size() == reference.size() && never_written_b.size() == reference.size()));
  for (std::size_t at = 0; at < reference.size(); at += width) {
    if (some_unwritten &&
        bits_at(element, never_written_a.data() + at) != bits_at(element, never_written_b.data() + at))
      continue;
    const double a = value_at(element, reference.data() + at), b = value_at(element, other.data() + at);
    if (is_floating(element) && std::isnan(a) && std::isnan(b)) continue;
    if (bits_at(element, reference.data() + at) != bits_at(element, other.data() + at)) return at / width;
  }
  return std::nullopt;
}

std::optional<std::size_t> first_written_by_one(Element element, Bytes unwritten_a, Bytes unwritten_b, Bytes other_a,
                                                Bytes other_b) {
  const std::size_t width = bytes_of(element);
  ASSERT(unwritten_a.size() == unwritten_b.size() && other_a.size() == unwritten_a.size() &&
         other_b.size() == unwritten_a.size());
  for (std::size_t at = 0; at < unwritten_a.size(); at += width)
    if (bits_at(element, unwritten_a.data() + at) != bits_at(element, unwritten_b.data() + at) &&
        bits_at(element, other_a.data() + at) == bits_at(element, other_b.data() + at))
      return at / width;
  return std::nullopt;
}

}  // namespace tqm::port
