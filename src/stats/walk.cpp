#include "stats/walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "stats/gamma.hpp"

namespace tqm::stats {
namespace {

constexpr double kNoMemory = 0.02, kTurnsBack = 0.78, kAnyMemory = 0.2;  // prior weights
constexpr double kImprobable = 20;    // log likelihoods so far below the largest are left out
constexpr size_t kParts = 31;         // of the gamma variable's distribution
constexpr double kMostFreedom = 240;  // a component: beyond, the grids would be too coarse

struct Mode {
  double cosine = 0, weight = 0, power = 0;
};
struct Run {
  double step = 0, span = 0, freedom = 0;
  std::vector<Mode> modes;
};

// A memory: B and τ, or the correlation c of successive jumps, from which both follow for each D.
struct Memory {
  enum class Kind { none, turns_back, any } kind = Kind::none;
  double correlation = 0;
  double amount = 0, time = 0;  // B a direction, τ
  double prior = 0;
};
struct Term {
  double amount = 0, time = 1;
};

struct Problem {
  std::vector<Run> runs;
  double jump = 3;
  int directions = 3;
  double walker_time = 0;  // Σ walkers × span

  Term term(const Memory& m, double d) const {
    if (m.kind == Memory::Kind::any) return {m.amount, m.time};
    if (m.kind == Memory::Kind::none) return {};
    const double c = m.correlation, squared = jump * jump / directions;
    const double rate = 2 * d * (1 + c) / ((1 - c) * squared);
    return {squared * 2 * c / ((1 + c) * (1 + c)), 1 / ((1 + c) * rate)};
  }
};

struct Node {
  double log_likelihood = 0, vibration = 0;
};

// The likelihood at D and a memory, at the vibration that makes it largest; start: a guess of it.
Node node(const Problem& problem, double d, const Term& term, double start, std::vector<double>& base) {
  base.clear();
  for (const Run& run : problem.runs) {
    const double rho = std::exp(-run.step / term.time);
    const double part = term.amount / 2 * (1 - rho * rho);
    for (const Mode& mode : run.modes)
      base.push_back(2 * d * run.step + mode.weight * part / (1 - 2 * rho * mode.cosine + rho * rho));
  }
  double vibration = start;
  for (int i = 0; i < 8; ++i) {
    double slope = 0, curvature = 0;
    size_t at = 0;
    for (const Run& run : problem.runs) {
      double run_slope = 0, run_curvature = 0;
      for (const Mode& mode : run.modes) {
        const double inverse = 1 / (base[at++] + vibration * mode.weight);
        const double ratio = mode.weight * inverse;
        run_slope += ratio * (mode.power * inverse - 1);
        run_curvature += ratio * ratio;
      }
      slope += run.freedom * run_slope;
      curvature += run.freedom * run_curvature;
    }
    const double next = std::max(vibration + slope / curvature, 1e-3 * vibration);
    const bool there = std::abs(next - vibration) < 1e-4 * vibration;
    vibration = next;
    if (there) break;
  }
  Node result{0, vibration};
  size_t at = 0;
  for (const Run& run : problem.runs) {
    double sum = 0, product = 1;  // a logarithm of products: it would cost the most
    size_t factors = 0;
    for (const Mode& mode : run.modes) {
      const double lambda = base[at++] + vibration * mode.weight;
      product *= lambda;
      sum += mode.power / lambda;
      if (++factors % 8 == 0) {
        sum += std::log(product);
        product = 1;
      }
    }
    sum += std::log(product);
    result.log_likelihood -= run.freedom / 2 * sum;
  }
  return result;
}

std::vector<double> spaced(double low, double high, size_t count) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1);
  return values;
}

struct Ranges {
  double log_d[2], correlation[2], log_amount[2], log_time[2];
};

struct Grid {
  std::vector<double> d;
  std::vector<Memory> memories;
  std::vector<Node> nodes;  // memories × d
  double most = 0;          // largest log posterior

  const Node& at(size_t memory, size_t i) const { return nodes[memory * d.size() + i]; }
  double mass(size_t memory, size_t i) const {
    return std::exp(at(memory, i).log_likelihood - most) * memories[memory].prior;
  }
};

Grid fill(const Problem& problem, const Ranges& r, size_t d_count, size_t c_count, size_t any_count) {
  Grid grid;
  for (const double log_d : spaced(r.log_d[0], r.log_d[1], d_count)) grid.d.push_back(std::exp(log_d));
  grid.memories.push_back({Memory::Kind::none, 0, 0, 1, kNoMemory});
  // A finer grid over a part of the range has this part's share of the prior.
  const double c_share = (r.correlation[1] - r.correlation[0]) / 1.25 / static_cast<double>(c_count);
  for (const double c : spaced(r.correlation[0], r.correlation[1], c_count))
    grid.memories.push_back({Memory::Kind::turns_back, c, 0, 0, kTurnsBack * c_share});
  const double any_share = static_cast<double>(any_count * any_count);
  for (const double amount : spaced(r.log_amount[0], r.log_amount[1], any_count))
    for (const double time : spaced(r.log_time[0], r.log_time[1], any_count))
      grid.memories.push_back({Memory::Kind::any, 0, std::exp(amount), std::exp(time), kAnyMemory / any_share});
  std::vector<double> base;
  double guess = 0;
  for (const Mode& mode : problem.runs.front().modes)
    guess = std::max(guess, 1e-9 * mode.power + mode.power / mode.weight / 100);
  grid.most = -1e300;
  size_t peak = 0;  // of the memory before: most of the grid is improbable, and is not looked at
  for (const Memory& memory : grid.memories) {
    const size_t row = grid.nodes.size();
    grid.nodes.resize(row + d_count, Node{-1e300, guess});
    const size_t start = peak;
    double best = -1e300;
    const auto look = [&](size_t i, size_t neighbour) {
      const double d = grid.d[i];
      const double from = std::max(grid.nodes[row + neighbour].vibration, 1e-3 * guess);
      const Node& found = grid.nodes[row + i] = node(problem, d, problem.term(memory, d), from, base);
      grid.most = std::max(grid.most, found.log_likelihood);
      if (found.log_likelihood > best) best = found.log_likelihood, peak = i;
      return found.log_likelihood;
    };
    double last = look(start, start);
    for (size_t i = start + 1; i < d_count; ++i) {
      const double now = look(i, i - 1);
      if (now < last && now < grid.most - kImprobable) break;
      last = now;
    }
    last = grid.nodes[row + start].log_likelihood;
    for (size_t i = start; i-- > 0;) {
      const double now = look(i, i + 1);
      if (now < last && now < grid.most - kImprobable) break;
      last = now;
    }
  }
  return grid;
}

// The part of a coarse grid's axis that holds all but a little of the posterior, one place more on each side.
void narrow(double (&range)[2], std::vector<double> places, const std::vector<double>& mass, double least) {
  const double most = *std::max_element(mass.begin(), mass.end());
  if (most <= 0) return;
  size_t first = 0, last = places.size() - 1;
  while (mass[first] < least * most) ++first;
  while (mass[last] < least * most) --last;
  range[0] = places[first > 0 ? first - 1 : 0];
  range[1] = places[std::min(last + 1, places.size() - 1)];
}

Ranges narrowed(const Grid& grid, Ranges r, size_t c_count, size_t any_count) {
  std::vector<double> d(grid.d.size()), c(c_count), amount(any_count), time(any_count), log_d(grid.d.size());
  for (size_t m = 0; m < grid.memories.size(); ++m)
    for (size_t i = 0; i < grid.d.size(); ++i) {
      const double mass = grid.mass(m, i);
      d[i] += mass;
      if (m == 0) continue;
      if (m <= c_count) {
        c[m - 1] += mass;
      } else {
        amount[(m - 1 - c_count) / any_count] += mass;
        time[(m - 1 - c_count) % any_count] += mass;
      }
    }
  for (size_t i = 0; i < log_d.size(); ++i) log_d[i] = std::log(grid.d[i]);
  const Ranges whole = r;
  narrow(r.log_d, log_d, d, 1e-6);
  narrow(r.correlation, spaced(whole.correlation[0], whole.correlation[1], c_count), c, 1e-4);
  narrow(r.log_amount, spaced(whole.log_amount[0], whole.log_amount[1], any_count), amount, 1e-3);
  narrow(r.log_time, spaced(whole.log_time[0], whole.log_time[1], any_count), time, 1e-3);
  return r;
}

// Quantiles of gamma variables with scale 1 in the middle of equally likely parts; rows for shapes 0.5 … e^12.
struct GammaTable {
  static constexpr size_t kRows = 160;
  static constexpr double kFirst = -0.7, kStep = 0.08;
  std::array<std::array<double, kParts>, kRows> rows;
  GammaTable() {
    for (size_t row = 0; row < kRows; ++row)
      for (size_t part = 0; part < kParts; ++part)
        rows[row][part] = gamma_quantile(std::exp(kFirst + kStep * static_cast<double>(row)),
                                         (static_cast<double>(part) + 0.5) / static_cast<double>(kParts));
  }
  const std::array<double, kParts>& at(double shape) const {
    const double place = std::clamp((std::log(shape) - kFirst) / kStep, 0.0, static_cast<double>(kRows - 1));
    return rows[static_cast<size_t>(place + 0.5)];
  }
};

// A distribution of log D as a histogram.
class Spread {
 public:
  Spread(double low, double high) : low_(low), width_((high - low) / static_cast<double>(kBins)), bins_(kBins) {}
  void add(double log_d, double mass) {
    const double place = std::clamp((log_d - low_) / width_, 0.0, static_cast<double>(kBins - 1));
    bins_[static_cast<size_t>(place)] += mass;
    total_ += mass;
  }
  double quantile(double p) const {
    double sum = 0;
    for (size_t i = 0; i < kBins; ++i) {
      if (sum + bins_[i] >= p * total_ && bins_[i] > 0)
        return std::exp(low_ + width_ * (static_cast<double>(i) + (p * total_ - sum) / bins_[i]));
      sum += bins_[i];
    }
    return std::exp(low_ + width_ * static_cast<double>(kBins));
  }

 private:
  static constexpr size_t kBins = 2000;
  double low_, width_;
  std::vector<double> bins_;
  double total_ = 0;
};

// How many counts a D stands for: as many as its jumps where they are independent; fewer where they turn back, both
// because fewer get away and because how many do is learnt from the jumps themselves. The exponent was found on
// synthetic walks.
double counts_of(double jumps, double effective) {
  if (effective >= jumps) return jumps;
  const double f = effective / jumps;
  return std::max(effective / 2, jumps * std::pow(f, 1.3));
}

}  // namespace

Result<WalkSpectrum> walk_spectrum(std::span<const std::vector<double>> coordinates, double step, int directions,
                                   size_t most) {
  const size_t points = coordinates.empty() ? 0 : coordinates.front().size();
  if (points < 9)
    return Error{ErrorKind::bad_input, "a walk needs at least 9 points", std::to_string(points) + " given",
                 "give a longer trajectory"};
  const size_t stride = (points - 1 + most - 1) / most;
  const size_t count = (points - 1) / stride;
  WalkSpectrum spectrum;
  spectrum.step = step * static_cast<double>(stride);
  spectrum.directions = directions;
  spectrum.walkers = static_cast<double>(coordinates.size()) / directions;
  spectrum.power.assign(count, 0);
  std::vector<double> sines(2 * (count + 1));
  for (size_t i = 0; i < sines.size(); ++i)
    sines[i] = std::sin(std::numbers::pi * static_cast<double>(i) / static_cast<double>(count + 1));
  std::vector<double> increments(count);
  for (const std::vector<double>& points_of : coordinates) {
    if (points_of.size() != points)
      return Error{ErrorKind::bad_input, "coordinates of a walk must be equally long",
                   std::to_string(points) + " and " + std::to_string(points_of.size()), ""};
    for (size_t i = 0; i < count; ++i) {
      increments[i] = points_of[(i + 1) * stride] - points_of[i * stride];
      if (!std::isfinite(increments[i]))
        return Error{ErrorKind::breakdown, "a point of a walk is not finite", "point " + std::to_string(i * stride),
                     "look where it came from"};
    }
    for (size_t q = 1; q <= count; ++q) {
      double sum = 0;
      size_t at = 0;
      for (size_t i = 0; i < count; ++i) {
        at += q;
        if (at >= sines.size()) at -= sines.size();
        sum += increments[i] * sines[at];
      }
      spectrum.power[q - 1] += sum * sum * 2 / static_cast<double>(count + 1);
    }
  }
  for (double& power : spectrum.power) power /= static_cast<double>(coordinates.size());
  return spectrum;
}

Result<Diffusion> diffusion(std::span<const WalkSpectrum> runs, const DiffusionPlan& plan) {
  Problem problem;
  problem.jump = plan.jump;
  double largest = 0, shortest_step = 1e300, longest_span = 0;
  for (const WalkSpectrum& spectrum : runs) {
    const size_t count = spectrum.power.size();
    if (count < 8)
      return Error{ErrorKind::bad_input, "a walk needs at least 8 increments", std::to_string(count) + " given",
                   "give a longer trajectory"};
    Run run;
    run.step = spectrum.step;
    run.span = spectrum.step * static_cast<double>(count);
    run.freedom = spectrum.walkers * spectrum.directions;
    double total = 0;
    for (size_t q = 1; q <= count; ++q) {
      const double cosine = std::cos(std::numbers::pi * static_cast<double>(q) / static_cast<double>(count + 1));
      run.modes.push_back({cosine, 2 - 2 * cosine, spectrum.power[q - 1]});
      total += spectrum.power[q - 1];
      largest = std::max(largest, spectrum.power[q - 1] / spectrum.step);
    }
    if (!(total > 0) || !std::isfinite(total))
      return Error{ErrorKind::bad_input, "nothing moves in a walk", "", "look where it came from"};
    problem.directions = spectrum.directions;
    problem.walker_time += spectrum.walkers * run.span;
    shortest_step = std::min(shortest_step, run.step);
    longest_span = std::max(longest_span, run.span);
    problem.runs.push_back(std::move(run));
  }
  if (problem.runs.empty()) return Error{ErrorKind::bad_input, "no run of a walk to judge", "", "give at least one"};
  for (Run& run : problem.runs) run.freedom = std::min(run.freedom, kMostFreedom);

  const double squared = plan.jump * plan.jump;
  const double one_jump = squared / (2 * problem.directions * problem.walker_time * plan.carriers);  // D of one jump
  const double cap = squared / problem.directions;
  Ranges ranges{{std::log(0.03 * one_jump), std::log(std::max(largest, 30 * one_jump))},
                {-0.3, 0.95},
                {std::log(0.05 * cap), std::log(0.5 * cap)},
                {std::log(shortest_step), std::log(std::max(longest_span / 4, 2 * shortest_step))}};
  Grid grid = fill(problem, ranges, 40, 26, 5);
  Ranges fine = narrowed(grid, ranges, 26, 5);
  grid = fill(problem, fine, 60, 40, 6);

  Diffusion result;
  // Walkers that move together: the spectrum scatters about its model more than so many independent ones would.
  size_t best = 0, best_d = 0;
  double best_mass = -1;
  for (size_t m = 0; m < grid.memories.size(); ++m)
    for (size_t i = 0; i < grid.d.size(); ++i)
      if (grid.mass(m, i) / grid.memories[m].prior > best_mass) {
        best_mass = grid.mass(m, i) / grid.memories[m].prior;
        best = m;
        best_d = i;
      }
  {
    const double d = grid.d[best_d], vibration = grid.at(best, best_d).vibration;
    const Term term = problem.term(grid.memories[best], d);
    double sum = 0, count = 0;
    for (const Run& run : problem.runs) {
      const double rho = std::exp(-run.step / term.time);
      for (const Mode& mode : run.modes) {
        const double jumps = 2 * d * run.step +
                             mode.weight * term.amount / 2 * (1 - rho * rho) / (1 - 2 * rho * mode.cosine + rho * rho);
        if (jumps < vibration * mode.weight && &mode >= &run.modes[8]) break;
        const double lambda = jumps + vibration * mode.weight;
        sum += (mode.power / lambda - 1) * (mode.power / lambda - 1) * run.freedom / 2;
        count += 1;
      }
    }
    // Of independent walkers it is 1 ± sqrt(2/count) and a little more.
    result.dispersion = sum / count;
    if (result.dispersion > 1 + 3.5 * std::sqrt(2 / count)) {
      for (Run& run : problem.runs) run.freedom /= result.dispersion;
      grid = fill(problem, ranges, 40, 26, 5);
      fine = narrowed(grid, ranges, 26, 5);
      grid = fill(problem, fine, 60, 40, 6);
    } else {
      result.dispersion = 1;
    }
  }

  static const GammaTable table;
  const double low = fine.log_d[0] - 8, high = fine.log_d[1] + 8;
  Spread spread(low, high), bound(low, high);
  double total = 0, jumps_sum = 0, vibration_sum = 0, memory_sum = 0, forgotten_sum = 0;
  for (size_t m = 0; m < grid.memories.size(); ++m)
    for (size_t i = 0; i < grid.d.size(); ++i) {
      const double mass = grid.mass(m, i);
      if (mass < 1e-9) continue;
      const double d = grid.d[i];
      const Term term = problem.term(grid.memories[m], d);
      const double undone = term.amount / term.time;  // B/τ a direction
      const double jumps = (2 * d + undone) / (2 * d) * d / one_jump;
      const double counts = counts_of(jumps, d / one_jump) / result.dispersion;
      const std::array<double, kParts>& middle = table.at(counts + 0.5);
      const std::array<double, kParts>& above = table.at(counts + 1);
      for (size_t part = 0; part < kParts; ++part) {
        spread.add(std::log(d * middle[part] / counts), mass);
        bound.add(std::log(d * above[part] / counts), mass);
      }
      total += mass;
      jumps_sum += mass * jumps;
      vibration_sum += mass * grid.at(m, i).vibration;
      memory_sum += mass * undone / (2 * d + undone);
      // B/τ e^(-t/τ) = 2 D / 10
      forgotten_sum += mass * (undone > 0.2 * d ? term.time * std::log(undone / (0.2 * d)) : 0);
    }
  const double tail = (1 - plan.confidence) / 2;
  result.coefficient = {spread.quantile(0.5), spread.quantile(tail), spread.quantile(1 - tail), plan.confidence};
  result.upper = bound.quantile(1 - tail);
  result.jumps = jumps_sum / total;
  result.effective = result.coefficient.estimate / one_jump;
  result.vibration = vibration_sum / total;
  result.memory = memory_sum / total;
  result.forgotten_after = forgotten_sum / total;
  return result;
}

}  // namespace tqm::stats
