#include "matter/analyze/transport.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "matter/structure/element.hpp"
#include "matter/structure/units.hpp"

namespace tqm::matter {
namespace {

constexpr double kNarrow = 8;            // Å: ions meet their images in a narrower cell
constexpr double kSoftFramework = 2.25;  // Å²: a framework atom has gone (1.5 Å)²
constexpr double kBallistic = 1.5;       // logarithmic slope of the MSD
constexpr double kDenseFrames = 20;      // fs: currents are integrated up to this interval
constexpr size_t kPlotted = 60;          // lags of a curve

std::vector<size_t> plotted_lags(size_t points) {
  std::vector<size_t> lags;
  const double last = static_cast<double>(points / 2);
  for (size_t i = 0; i < kPlotted; ++i) {
    const auto lag = static_cast<size_t>(std::pow(last, static_cast<double>(i) / (kPlotted - 1)) + 0.5);
    if (lag >= 1 && (lags.empty() || lag > lags.back())) lags.push_back(lag);
  }
  return lags;
}

// Relative variance of an MSD over n windows: 2/3 of a Gaussian displacement, and the jumps' own.
Curve curve_of(const std::vector<double>& msd, const Track& track, double walkers, double jumps) {
  Curve curve;
  for (const size_t lag : plotted_lags(msd.size())) {
    const double windows = walkers * static_cast<double>(msd.size()) / static_cast<double>(lag);
    const double error = msd[lag] * std::sqrt(2 / (3 * std::max(1.0, windows)) + 1 / std::max(1.0, jumps));
    curve.lag_ps.push_back(static_cast<double>(lag) * track.step_fs / 1000);
    curve.msd.push_back(msd[lag]);
    curve.low.push_back(std::max(0.0, msd[lag] - 1.96 * error));
    curve.high.push_back(msd[lag] + 1.96 * error);
  }
  return curve;
}

Coordinates part_of(const Coordinates& whole, size_t begin, size_t end) {
  Coordinates part;
  for (const auto& series : whole)
    part.emplace_back(series.begin() + static_cast<std::ptrdiff_t>(begin),
                      series.begin() + static_cast<std::ptrdiff_t>(end));
  return part;
}

// Do the runs' first and second halves agree?
Result<bool> halves_agree(std::span<const Track> runs, const stats::DiffusionPlan& plan) {
  std::vector<stats::WalkSpectrum> first, second;
  for (const Track& run : runs) {
    const size_t middle = run.points() / 2;
    if (middle < 20) return true;
    first.push_back(TRY(stats::walk_spectrum(part_of(run.mobile, 0, middle + 1), run.step_fs)));
    second.push_back(TRY(stats::walk_spectrum(part_of(run.mobile, middle, run.points()), run.step_fs)));
  }
  const stats::Diffusion a = TRY(stats::diffusion(first, plan)), b = TRY(stats::diffusion(second, plan));
  return a.coefficient.low <= b.coefficient.high && b.coefficient.low <= a.coefficient.high;
}

struct Framework {
  bool melted = false, soft = false;
  std::string element;
  double msd = 0;
};

Framework judge_framework(const Track& run, double jump) {
  Framework worst;
  for (const auto& [number, coordinates] : run.framework) {
    const std::vector<double> msd = mean_square_displacement(coordinates);
    const size_t half = msd.size() / 2;
    const double slope = log_slope(msd, 0, half / 4, half);
    const bool melted = msd[half] > jump * jump && slope > 0.6;
    const bool soft = msd[half] > kSoftFramework;
    if ((melted && !worst.melted) || (soft && !worst.soft && !worst.melted)) {
      worst.melted = worst.melted || melted;
      worst.soft = worst.soft || soft;
      worst.element = symbol(number);
      worst.msd = msd[half];
    }
  }
  return worst;
}

stats::Interval scaled(stats::Interval interval, double factor) {
  interval.estimate *= factor, interval.low *= factor, interval.high *= factor;
  return interval;
}

// The quotient of two positive numbers whose intervals are taken as independent.
stats::Interval quotient(const stats::Interval& a, const stats::Interval& b) {
  const double middle = std::log(a.estimate / b.estimate);
  const double down = std::hypot(std::log(a.estimate / a.low), std::log(b.high / b.estimate));
  const double up = std::hypot(std::log(a.high / a.estimate), std::log(b.estimate / b.low));
  return {std::exp(middle), std::exp(middle - down), std::exp(middle + up), a.confidence};
}

void settle_standing(Transport& t, std::span<const Track> runs, const Track& longest, const Framework& framework,
                     bool agree) {
  const double effective = t.self.effective;
  if (framework.melted) {
    t.standing = Standing::refused;
    t.reasons.push_back(
        fmt::format("the framework melts: {} has gone {:.1f} Å² and goes on", framework.element, framework.msd));
    return;
  }
  if (effective < kJumpsForFlagged) {
    t.standing = Standing::upper_bound;
    t.reasons.push_back(fmt::format("{:.0f} effective jumps, fewer than {:.0f}", effective, kJumpsForFlagged));
    return;
  }
  if (t.log_slope > kBallistic) {
    t.standing = Standing::refused;
    t.reasons.push_back(fmt::format("no diffusive regime: the displacement grows as t^{:.2f}", t.log_slope));
    return;
  }
  // Spread that is not made of jumps is vibration which the run is too short to see the end of. Where ions jump more
  // than every twentieth frame, not all of it can be counted.
  double countable = 0;
  for (const Track& run : runs) countable += t.ions * static_cast<double>(run.points()) / 20;
  if (static_cast<double>(t.jumps.count) < 0.2 * std::min(effective, countable)) {
    t.standing = Standing::refused;
    t.reasons.push_back(fmt::format("no diffusive regime: the spread would be that of {:.0f} jumps, and {} are seen",
                                    effective, t.jumps.count));
    return;
  }
  if (t.self.forgotten_after > longest.span_fs() / 2) {
    t.standing = Standing::refused;
    t.reasons.push_back(fmt::format("no diffusive regime: ions still turn back after {:.3g} ps, half of the run",
                                    longest.span_fs() / 2000));
    return;
  }
  t.standing = Standing::value;
  if (effective < kJumpsForValue)
    t.reasons.push_back(fmt::format("{:.0f} effective jumps, fewer than {:.0f}", effective, kJumpsForValue));
  if (!agree) t.reasons.push_back("the halves of the run disagree: not in equilibrium");
  if (framework.soft)
    t.reasons.push_back(fmt::format("the framework is soft: {} has gone {:.1f} Å²", framework.element, framework.msd));
  for (const Track& run : runs)
    if (run.narrowest < kNarrow) {
      t.reasons.push_back(fmt::format("the cell is {:.1f} Å wide, less than {:.0f}", run.narrowest, kNarrow));
      break;
    }
  if (!t.reasons.empty()) t.standing = Standing::flagged;
}

// The mean of the running integral from one to two times the lag at which jumps are forgotten (at least 1 ps), where it
// has flattened; none where frames are too far apart or the run is too short for that.
std::optional<double> green_kubo_of(const Track& run, double forgotten_after) {
  const double step = run.current_step_fs;
  if (run.current.empty() || !(step > 0) || step > kDenseFrames) return {};
  const auto last = static_cast<size_t>(2 * std::max(1000.0, forgotten_after) / step);
  if (run.current.size() < 10 * last) return {};
  const std::vector<double> integral = green_kubo(run.current, step, last);
  double sum = 0;
  for (size_t m = last / 2; m <= last; ++m) sum += integral[m];
  return sum / static_cast<double>(last - last / 2 + 1) / static_cast<double>(run.ions());
}

}  // namespace

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::value:
      return "value";
    case Standing::flagged:
      return "flagged";
    case Standing::upper_bound:
      return "upper bound";
    case Standing::refused:
      return "refused";
  }
  return "";
}

double conductivity(double ions, double volume, double charge, double temperature, double d) {
  // e/(V kB T) with kB T in eV, Å³ and Å²/fs into S/m, then into S/cm
  constexpr double elementary = 1.602176634e-19, per_cubic_metre = 1e30, square_metres = 1e-5;
  return elementary * per_cubic_metre * square_metres / 100 * ions / volume * charge * charge * d /
         (kBoltzmann * temperature);
}

Result<Transport> transport(std::span<const Track> runs, double temperature, const TransportOptions& options) {
  ASSERT(!runs.empty());
  Transport t;
  t.temperature = temperature;
  const Track* longest = &runs.front();
  std::vector<stats::WalkSpectrum> spectra, sums;
  for (const Track& run : runs) {
    if (run.ions() != runs.front().ions() || std::abs(run.volume / runs.front().volume - 1) > 0.02)
      return Error{ErrorKind::bad_input, fmt::format("runs at {:.0f} K are not of the same cell", temperature),
                   run.name, "give runs of one material at a time"};
    t.files.push_back(run.name);
    t.simulated_ps += run.span_fs() / 1000;
    t.volume += run.volume / static_cast<double>(runs.size());
    if (run.span_fs() > longest->span_fs()) longest = &run;
    spectra.push_back(TRY(stats::walk_spectrum(run.mobile, run.step_fs)));
    sums.push_back(TRY(stats::walk_spectrum(collective(run.mobile), run.step_fs)));
    const Jumps jumps = count_jumps(run.mobile, options.jump / 2);
    t.jumps.length = std::hypot(t.jumps.length * std::sqrt(static_cast<double>(t.jumps.count)),
                                jumps.length * std::sqrt(static_cast<double>(jumps.count)));
    t.jumps.count += jumps.count;
    t.jumps.back += jumps.back;
    t.jumps.length = t.jumps.count > 0 ? t.jumps.length / std::sqrt(static_cast<double>(t.jumps.count)) : 0;
  }
  t.ions = static_cast<double>(runs.front().ions());
  const stats::DiffusionPlan plan{.jump = options.jump};
  t.self = TRY(stats::diffusion(spectra, plan));
  const auto to_conductivity = [&](double d) { return conductivity(t.ions, t.volume, options.charge, temperature, d); };
  t.conductivity = scaled(t.self.coefficient, to_conductivity(1));
  t.conductivity_upper = to_conductivity(t.self.upper);
  if (t.self.effective >= kJumpsForFlagged) {
    // Relative to the centre of mass of ions alone, the sum of all displacements is nothing.
    if (auto together = stats::diffusion(sums, {.jump = options.jump, .carriers = t.ions});
        together && !runs.front().framework.empty()) {
      t.together = *together;
      t.collective_conductivity = scaled(together->coefficient, to_conductivity(1));
      t.haven = quotient(t.self.coefficient, together->coefficient);
    }
  }
  if (const auto d = green_kubo_of(*longest, t.self.forgotten_after); d && !longest->framework.empty())
    t.green_kubo_conductivity = to_conductivity(*d);

  const std::vector<double> msd = mean_square_displacement(longest->mobile);
  t.log_slope = log_slope(msd, 6 * t.self.vibration, msd.size() / 10, msd.size() / 2);
  t.ions_curve = curve_of(msd, *longest, t.ions, t.self.effective);
  for (const auto& [number, coordinates] : longest->framework)
    t.framework_curves.emplace_back(number, curve_of(mean_square_displacement(coordinates), *longest,
                                                     static_cast<double>(coordinates.size()) / 3, 1e9));
  Framework framework;
  for (const Track& run : runs) {
    const Framework found = judge_framework(run, options.jump);
    if (found.melted || (found.soft && !framework.soft)) framework = found;
    if (found.melted) break;
  }
  const bool agree = t.self.effective < kJumpsForFlagged || TRY(halves_agree(runs, plan));
  settle_standing(t, runs, *longest, framework, agree);
  return t;
}

}  // namespace tqm::matter
