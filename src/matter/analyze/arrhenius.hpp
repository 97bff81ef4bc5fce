// The line ln(σT) = ln A - Ea/(kB T) through the conductivities at several temperatures, carried on to another one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "matter/analyze/transport.hpp"
#include "stats/line.hpp"

namespace tqm::matter {

struct ArrheniusPoint {
  double temperature = 0;
  Standing standing = Standing::value;
  stats::Interval conductivity;  // S/cm
  double upper = 0;              // S/cm
};
ArrheniusPoint point_of(const Transport& transport);

struct Arrhenius {
  std::optional<stats::Line> line;  // ln(σT) against 1/(kB T) in 1/eV; none below two temperatures with values
  double stretch = 1;  // errors are so many times those of the points: the points scatter more than they say
  stats::Interval activation_ev;
  double target_temperature = 300;
  Standing standing = Standing::refused;  // of what follows
  std::vector<std::string> reasons;
  stats::Interval conductivity;  // S/cm at the target; where there is a line
  double upper = 0;              // S/cm at the target: where standing is upper_bound

  double conductivity_at(double temperature) const;       // S/cm, on the line
  stats::Interval interval_at(double temperature) const;  // the line's 95 %
};

// Weighted by the intervals of ln σ (95 %, taken as normal). Where chi² is beyond its own 95 %, the errors grow by the
// root of chi² over its degrees (R. T. Birge, Phys. Rev. 40 (1932) 207). Bounds don't enter the line. Without a line
// but with bounds, the least bound of σT is one at any lower temperature, for σT does not rise on cooling.
Result<Arrhenius> arrhenius(std::span<const ArrheniusPoint> points, double target_temperature);

}  // namespace tqm::matter
