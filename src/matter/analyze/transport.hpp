// From tracks to diffusion coefficients, conductivities and their standing: a value, a flagged value, an upper bound,
// or a refusal with its reason.
//
// D of the ions comes with an interval from stats/walk. How many jumps it rests on decides what may be said (X. He et
// al., npj Comput. Mater. 4 (2018) 18): effective jumps = 6 D T ions / jump²; from 100 a value, from 30 a flagged one,
// below only a bound.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matter/analyze/track.hpp"
#include "stats/walk.hpp"

namespace tqm::matter {

enum class Standing { value, flagged, upper_bound, refused };
std::string_view name(Standing standing);  // "upper bound"

inline constexpr double kJumpsForValue = 100, kJumpsForFlagged = 30;

struct TransportOptions {
  int mobile = 3;                   // atomic number
  double charge = 1;                // e, of an ion
  double jump = 3;                  // Å
  double target_temperature = 300;  // K, that an Arrhenius line is carried on to
};

// S/cm of so many ions in a volume (Å³) that diffuse by d (Å²/fs), by Nernst and Einstein: n z² e² D / (V kB T).
double conductivity(double ions, double volume, double charge, double temperature, double d);
// cm²/s of Å²/fs.
inline constexpr double kSquareCentimetresPerSecond = 0.1;

struct Curve {
  std::vector<double> lag_ps, msd, low, high;  // Å²; bounds: 95 % of a walk of so many jumps
};

struct Transport {  // at one temperature
  double temperature = 0;
  std::vector<std::string> files;
  double ions = 0, volume = 0, simulated_ps = 0;  // ps: of all runs together
  Standing standing = Standing::refused;
  std::vector<std::string> reasons;          // for the standing; empty for a value
  stats::Diffusion self;                     // Å²/fs
  std::optional<stats::Diffusion> together;  // of the ions' centre of charge, times their number
  stats::Interval conductivity;              // S/cm, Nernst–Einstein
  double conductivity_upper = 0;             // S/cm, one-sided 97.5 %
  std::optional<stats::Interval> collective_conductivity, haven;
  std::optional<double> green_kubo_conductivity;  // S/cm, where frames have velocities often enough
  Jumps jumps;                                    // counted one by one
  double log_slope = 0;                           // of the MSD from a tenth to half of the run
  Curve ions_curve;
  std::vector<std::pair<int, Curve>> framework_curves;  // by element
};

// Of runs at one temperature (seeds). Errors only where the tracks can't be judged at all.
Result<Transport> transport(std::span<const Track> runs, double temperature, const TransportOptions& options);

}  // namespace tqm::matter
