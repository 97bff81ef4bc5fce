#include "matter/analyze/arrhenius.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "matter/structure/units.hpp"
#include "stats/gamma.hpp"

namespace tqm::matter {
namespace {

constexpr double kNormal = 1.959963984540054;

// How much larger the errors are than the points say: 1 as long as chi² is within its own 95 %.
double stretch_of(const stats::Line& line) {
  const auto degrees = static_cast<double>(line.degrees);
  if (line.degrees == 0 || line.chi_square <= 2 * stats::gamma_quantile(degrees / 2, 0.95)) return 1;
  return std::sqrt(line.chi_square / degrees);
}

}  // namespace

ArrheniusPoint point_of(const Transport& t) {
  return {t.temperature, t.standing, t.conductivity, t.conductivity_upper};
}

double Arrhenius::conductivity_at(double temperature) const {
  return std::exp(line->at(1 / (kBoltzmann * temperature))) / temperature;
}

stats::Interval Arrhenius::interval_at(double temperature) const {
  const double x = 1 / (kBoltzmann * temperature);
  const double half = kNormal * stretch * line->error_at(x);
  return {conductivity_at(temperature), std::exp(line->at(x) - half) / temperature,
          std::exp(line->at(x) + half) / temperature, 0.95};
}

Result<Arrhenius> arrhenius(std::span<const ArrheniusPoint> points, double target_temperature) {
  Arrhenius a;
  a.target_temperature = target_temperature;
  std::vector<double> x, y, error;
  bool flagged = false;
  double bound = 0, bound_temperature = 0;
  size_t bounds = 0, refused = 0;
  for (const ArrheniusPoint& point : points) {
    if (point.standing == Standing::refused) {
      ++refused;
    } else if (point.standing == Standing::upper_bound) {
      ++bounds;
      const double product = point.upper * point.temperature;
      if (point.temperature >= target_temperature && (bound == 0 || product < bound)) {
        bound = product;
        bound_temperature = point.temperature;
      }
    } else {
      flagged = flagged || point.standing == Standing::flagged;
      x.push_back(1 / (kBoltzmann * point.temperature));
      y.push_back(std::log(point.conductivity.low * point.conductivity.high) / 2 + std::log(point.temperature));
      error.push_back(std::log(point.conductivity.high / point.conductivity.low) / (2 * kNormal));
    }
  }
  if (x.size() >= 2) {
    a.line = TRY(stats::fit_line(x, y, error));
    a.stretch = stretch_of(*a.line);
    const double half = kNormal * a.stretch * a.line->slope_error;
    a.activation_ev = {-a.line->slope, -a.line->slope - half, -a.line->slope + half, 0.95};
    a.conductivity = a.interval_at(target_temperature);
    a.standing = Standing::value;
    if (flagged) a.reasons.push_back("a temperature is flagged");
    if (x.size() < 3) a.reasons.push_back(fmt::format("{} temperatures with values, fewer than 3", x.size()));
    if (bounds > 0)
      a.reasons.push_back(fmt::format("{} temperatures are only bounded, and left out of the line", bounds));
    if (refused > 0) a.reasons.push_back(fmt::format("{} temperatures are refused", refused));
    if (a.stretch > 1)
      a.reasons.push_back(
          fmt::format("the points scatter {:.1f} times as far from the line as they should", a.stretch));
    if (a.activation_ev.low <= 0) a.reasons.push_back("the activation energy may be zero");
    if (!a.reasons.empty()) a.standing = Standing::flagged;
    return a;
  }
  if (bound > 0) {
    a.standing = Standing::upper_bound;
    a.upper = bound / target_temperature;
    a.reasons.push_back(fmt::format("σT at {:.0f} K is below this, and does not rise on cooling", bound_temperature));
    return a;
  }
  a.reasons.push_back(fmt::format("{} temperatures with values; two make a line", x.size()));
  return a;
}

}  // namespace tqm::matter
