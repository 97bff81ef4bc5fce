// How fast walkers spread at long times, and how well that is known: the slope of a mean square displacement with an
// interval, from few and correlated steps.
//
// The model of a coordinate is a random walk, plus uncorrelated noise (vibration), plus a part that forgets (jumps back
// and forth): MSD(t) = 2 D t + 2 s² + B (1 - exp(-t/τ)) a direction. Values of an MSD at neighbouring lags are strongly
// correlated, which is what makes intervals of fitted lines too narrow; but the sine transform of type I of the
// increments of a walk with noise has independent components, exactly, of variance
//   λ(q) = 2 D dt + w(q) (s² + B/2 (1 - ρ²) / (1 - 2 ρ cos + ρ²)),   w = 2 - 2 cos, cos = cos(π q / (m + 1)),
// ρ = exp(-dt/τ) (the last term up to its ends). So the likelihood is a product over components, and the interval
// is that of D's posterior, over every memory that the data permit: none, that of a walker who turns back with a
// correlation c of successive jumps (A. D. Le Claire 1970: f = (1 - c) / (1 + c)), or any B and τ. Jumps are rare
// events on top of it: each D is multiplied by a gamma variable with as many counts as it stands for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "stats/interval.hpp"

namespace tqm::stats {

// What a run says: mean squared components of the sine transform of the increments of all its walkers' coordinates.
struct WalkSpectrum {
  double step = 0;                 // time between points
  double walkers = 0;              // independent ones
  int directions = 3;              // coordinates a walker
  std::vector<double> power = {};  // component q = 1, 2, …
};

// coordinates: one list of points a coordinate of a walker (directions a walker), all of one length; they are read at
// no more than most + 1 equally spaced points. At least 9 points.
Result<WalkSpectrum> walk_spectrum(std::span<const std::vector<double>> coordinates, double step, int directions = 3,
                                   size_t most = 100);

struct DiffusionPlan {
  double jump = 3;           // length of a jump, in the coordinates' unit
  double carriers = 1;       // a walker is the sum of so many jumping ones, divided by the root of their number
  double confidence = 0.95;  // of the interval; the one-sided bound has (1 + confidence) / 2
};

struct Diffusion {
  Interval coefficient;  // D, coordinates² / time; its estimate is the posterior's median
  double upper = 0;      // D is below, one-sided; also where nothing moved
  double jumps = 0;      // of all walkers together, that the estimate rests on, back and forth
  double effective = 0;  // 2 d D T walkers carriers / jump²: jumps of an uncorrelated walk that spread as far
  double vibration = 0;  // s²
  double memory = 0;     // (B/τ) / (2 D + B/τ): share of the jumps' spread that is undone later; negative: continued
  double forgotten_after = 0;  // lag beyond which the memory's part of the MSD's slope is below a tenth of 2 D
  double dispersion = 1;       // of the spectrum about its model; above 1: walkers move together, and count as fewer
};

// From runs of the same walk (seeds), each with at least 8 components.
Result<Diffusion> diffusion(std::span<const WalkSpectrum> runs, const DiffusionPlan& plan = {});

}  // namespace tqm::stats
