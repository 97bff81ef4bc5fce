#include "matter/dynamics/dynamics.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "matter/dynamics/velocities.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

constexpr double kFarthestMove = 1;  // Å within one step

constexpr std::pair<Ensemble, std::string_view> kNames[] = {{Ensemble::nve, "nve"},
                                                            {Ensemble::csvr, "csvr"},
                                                            {Ensemble::nose_hoover, "nose-hoover"},
                                                            {Ensemble::langevin, "langevin"}};

// A sum of so many squares of standard normal variables: twice a gamma variable of half the count, by Marsaglia and
// Tsang, ACM Trans. Math. Softw. 26, 363 (2000).
double sum_of_squares(int64_t count, Random& random) {
  if (count <= 0) return 0;
  if (count == 1) {
    const double one = random.normal();
    return one * one;
  }
  const double d = static_cast<double>(count) / 2 - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v <= 0) continue;
    if (std::log(1 - random.uniform()) < x * x / 2 + d * (1 - v + std::log(v))) return 2 * d * v;
  }
}

Status positive(double value, const char* what) {
  if (std::isfinite(value) && value > 0) return {};
  return Error{ErrorKind::usage, fmt::format("{} of {}", what, value), "", "give a number above zero"};
}

}  // namespace

std::string_view name(Ensemble ensemble) {
  for (const auto& [kind, text] : kNames)
    if (kind == ensemble) return text;
  return "";
}

std::optional<Ensemble> ensemble_by_name(std::string_view text) {
  for (const auto& [kind, name_of_kind] : kNames)
    if (name_of_kind == text) return kind;
  return {};
}

Dynamics::Dynamics(Structure structure, Potential& potential, const DynamicsOptions& options, const Random& random)
    : structure_(std::move(structure)), potential_(&potential), options_(options), random_(random) {
  for (const int number : structure_.numbers) masses_.push_back(atomic_mass(number) * kMassVelocitySquared);
}

Result<Dynamics> Dynamics::start(Structure structure, Potential& potential, const DynamicsOptions& options,
                                 const Random& random) {
  TRY(positive(options.timestep_fs, "a timestep"));
  if (options.ensemble != Ensemble::nve) {
    TRY(positive(options.temperature_k, "a temperature"));
    TRY(positive(options.relaxation_fs, "a relaxation time"));
  }
  if (structure.size() < 2) {
    return Error{ErrorKind::bad_input, "molecular dynamics of fewer than two atoms", "", "repeat the cell"};
  }
  Dynamics dynamics(std::move(structure), potential, options, random);
  dynamics.structure_.velocities.resize(dynamics.structure_.size());
  remove_drift(dynamics.structure_);
  TRY(potential.evaluate(dynamics.structure_, dynamics.evaluation_));
  TRY(check_finite(dynamics.evaluation_, potential.name()));
  return dynamics;
}

double Dynamics::kinetic() const {
  return kinetic_energy(structure_);
}

double Dynamics::conserved() const {
  double energy = evaluation_.energy + kinetic() - given_;
  if (options_.ensemble != Ensemble::nose_hoover) return energy;
  const double kt = kBoltzmann * options_.temperature_k;
  const double square = options_.relaxation_fs * options_.relaxation_fs;
  const auto freedom = static_cast<double>(degrees_of_freedom(structure_));
  for (size_t k = 0; k < kChain; ++k) {
    const double share = k == 0 ? freedom : 1;
    energy += share * kt * (square * speed_[k] * speed_[k] / 2 + place_[k]);
  }
  return energy;
}

// Half a step of acceleration.
void Dynamics::kick() {
  for (size_t i = 0; i < masses_.size(); ++i) {
    structure_.velocities[i] += evaluation_.forces[i] * (options_.timestep_fs / 2 / masses_[i]);
  }
}

Status Dynamics::drift(double share) {
  const double time = share * options_.timestep_fs;
  for (size_t i = 0; i < masses_.size(); ++i) {
    const Vec3 move = structure_.velocities[i] * time;
    if (!(dot(move, move) <= kFarthestMove * kFarthestMove)) {
      return Error{ErrorKind::breakdown,
                   fmt::format("atom {} ({}) moves by {:.3g} Å within step {}", i + 1, symbol(structure_.numbers[i]),
                               norm(move), steps_ + 1),
                   potential_->name(), "take a shorter timestep, or relax the structure first"};
    }
    structure_.positions[i] += move;
  }
  return {};
}

void Dynamics::scale_velocities(double factor) {
  for (Vec3& velocity : structure_.velocities) velocity *= factor;
}

// The kinetic energy's own stochastic equation, solved exactly over a step (Bussi et al., appendix).
void Dynamics::rescale() {
  const double before = kinetic();
  if (before <= 0) return;
  const int64_t freedom = degrees_of_freedom(structure_);
  const double half_kt = kBoltzmann * options_.temperature_k / 2;
  const double keep = std::exp(-options_.timestep_fs / options_.relaxation_fs);
  const double along = random_.normal();
  const double across = sum_of_squares(freedom - 1, random_);
  const double root = std::sqrt(keep * before) + std::sqrt((1 - keep) * half_kt) * along;
  const double after = root * root + (1 - keep) * half_kt * across;
  scale_velocities((root < 0 ? -1 : 1) * std::sqrt(after / before));
  given_ += after - before;
}

// Half a step of the chain, in the seven parts of Suzuki and Yoshida's sixth order. Masses are kT τ², (3N − 3) kT τ² of
// the first, so they fall out of all but two lines.
void Dynamics::move_chain() {
  static constexpr double kOuter[] = {0.784513610477560, 0.235573213359357, -1.17767998417887};
  static constexpr double kParts[] = {kOuter[0], kOuter[1], kOuter[2], 1 - 2 * (kOuter[0] + kOuter[1] + kOuter[2]),
                                      kOuter[2], kOuter[1], kOuter[0]};
  const double kt = kBoltzmann * options_.temperature_k;
  const double square = options_.relaxation_fs * options_.relaxation_fs;
  const auto freedom = static_cast<double>(degrees_of_freedom(structure_));
  double twice_kinetic = 2 * kinetic(), factor = 1;
  const auto push = [&](size_t k) {
    if (k == 0) return (twice_kinetic / (freedom * kt) - 1) / square;
    const double weight = k == 1 ? freedom : 1;
    return weight * speed_[k - 1] * speed_[k - 1] - 1 / square;
  };
  for (const double part : kParts) {
    const double time = part * options_.timestep_fs / 2;
    const auto turn = [&](size_t k) {
      const double slow = k + 1 < kChain ? std::exp(-time / 4 * speed_[k + 1]) : 1;
      speed_[k] = (speed_[k] * slow + time / 2 * push(k)) * slow;
    };
    for (size_t k = kChain; k-- > 0;) turn(k);
    const double slow = std::exp(-time * speed_[0]);
    factor *= slow;
    twice_kinetic *= slow * slow;
    for (size_t k = 0; k < kChain; ++k) place_[k] += time * speed_[k];
    for (size_t k = 0; k < kChain; ++k) turn(k);
  }
  scale_velocities(factor);
}

// A step of friction and noise; taking off the drift leaves exactly the distribution without it.
void Dynamics::friction() {
  const double before = kinetic();
  const double keep = std::exp(-options_.timestep_fs / options_.relaxation_fs);
  const double noise = (1 - keep * keep) * kBoltzmann * options_.temperature_k;
  for (size_t i = 0; i < masses_.size(); ++i) {
    const double width = std::sqrt(noise / masses_[i]);
    for (size_t k = 0; k < 3; ++k) {
      structure_.velocities[i][k] = keep * structure_.velocities[i][k] + width * random_.normal();
    }
  }
  remove_drift(structure_);
  given_ += kinetic() - before;
}

Status Dynamics::step() {
  if (options_.ensemble == Ensemble::nose_hoover) move_chain();
  kick();
  if (options_.ensemble == Ensemble::langevin) {
    TRY(drift(0.5));
    friction();
    TRY(drift(0.5));
  } else {
    TRY(drift(1));
  }
  TRY(potential_->evaluate(structure_, evaluation_));
  TRY(check_finite(evaluation_, potential_->name()));
  kick();
  if (options_.ensemble == Ensemble::nose_hoover) move_chain();
  if (options_.ensemble == Ensemble::csvr) rescale();
  ++steps_;
  return {};
}

}  // namespace tqm::matter
