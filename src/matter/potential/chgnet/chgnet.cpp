#include "matter/potential/chgnet/chgnet.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "matter/potential/chgnet/graph.hpp"
#include "matter/potential/chgnet/network.hpp"
#include "matter/potential/neighbours/neighbours.hpp"
#include "matter/structure/element.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::matter {
namespace {

constexpr int kMostNumber = 94;

class Chgnet : public Potential {
 public:
  Chgnet(chgnet::Network network, std::string name, std::string softening, const PotentialOptions& options)
      : network_(std::move(network)),
        name_(std::move(name)),
        softening_(std::move(softening)),
        skin_(options.skin_angstrom),
        team_(1) {}
  std::string name() const override { return name_; }
  std::string softening() const override { return softening_; }
  double cutoff_angstrom() const override { return network_.cutoff(); }
  bool has_magnetic_moments() const override { return true; }

  Status evaluate(const Structure& structure, Evaluation& out) override {
    std::vector<Evaluation> one(1);
    std::swap(one[0], out);
    TRY(evaluate_batch({&structure, 1}, one));
    std::swap(one[0], out);
    return {};
  }

  Status evaluate_batch(std::span<const Structure> structures, std::vector<Evaluation>& out) override {
    while (lists_.size() < structures.size()) lists_.emplace_back(network_.cutoff(), skin_);
    opposites_.resize(lists_.size());
    graph_.clear();
    for (size_t s = 0; s < structures.size(); ++s) {
      const Structure& structure = structures[s];
      TRY(require_ordered(structure));
      for (const int number : structure.numbers) {
        if (number > kMostNumber) {
          return Error{ErrorKind::unsupported, name_ + " does not know " + std::string(symbol(number)), "",
                       "it knows hydrogen to plutonium"};
        }
      }
      lists_[s].update(structure, team_);
      opposites_[s].update(lists_[s], structure.size());
      size_t lonely = 0;
      if (!chgnet::add_structure(structure, lists_[s], opposites_[s], network_.cutoff(), network_.angle_cutoff(),
                                 graph_, lonely)) {
        return Error{ErrorKind::bad_input,
                     "atom " + std::to_string(lonely + 1) + " (" + std::string(symbol(structure.numbers[lonely])) +
                         ") has no neighbour within " + fixed_text(network_.cutoff(), 0) + " Å",
                     structure.name, name_ + " can't describe a lonely atom; use another potential"};
      }
    }
    TRY(network_.run(graph_, outcome_));
    chgnet::add_forces(graph_, outcome_.of_length, outcome_.of_cosine, forces_, virials_);
    out.resize(structures.size());
    for (size_t s = 0; s < structures.size(); ++s) {
      const auto from = static_cast<std::ptrdiff_t>(graph_.first_atom[s]),
                 to = static_cast<std::ptrdiff_t>(graph_.first_atom[s + 1]);
      Evaluation& one = out[s];
      one.forces.assign(forces_.begin() + from, forces_.begin() + to);
      one.site_energies.assign(outcome_.site_energies.begin() + from, outcome_.site_energies.begin() + to);
      one.magnetic_moments.assign(outcome_.moments.begin() + from, outcome_.moments.begin() + to);
      one.energy = 0;
      for (const double energy : one.site_energies) one.energy += energy;
      one.stress = {};
      const auto& periodic = structures[s].periodic;
      if (periodic[0] && periodic[1] && periodic[2]) one.stress = stress_of(virials_[s] * (1 / volume(structures[s])));
      TRY(check_finite(one, name_));
    }
    return {};
  }

  const std::vector<Vec3>& list_positions() const override {
    static const std::vector<Vec3> kNone;
    return lists_.empty() ? kNone : lists_[0].positions();
  }
  void rebuild_list(const Structure& structure) override {
    if (lists_.empty()) lists_.emplace_back(network_.cutoff(), skin_);
    lists_[0].rebuild(structure, team_);
  }

 private:
  chgnet::Network network_;
  std::string name_, softening_;
  double skin_;
  Team team_;
  std::vector<NeighbourList> lists_;  // of each structure of a batch
  std::vector<chgnet::Opposites> opposites_;
  chgnet::Graph graph_;
  chgnet::Outcome outcome_;
  std::vector<Vec3> forces_;
  std::vector<Mat3> virials_;
};

}  // namespace

Result<std::unique_ptr<Potential>> make_chgnet(const Checkpoint& checkpoint, const std::string& where, std::string name,
                                               std::string softening, const PotentialOptions& options) {
  tensor::set_threads(options.threads);
  auto network = TRY(chgnet::Network::make(checkpoint, where, options.device, options.float64));
  return std::unique_ptr<Potential>(new Chgnet(std::move(network), std::move(name), std::move(softening), options));
}

Result<std::unique_ptr<Potential>> open_chgnet(const std::filesystem::path& weights, std::string name,
                                               std::string softening, const PotentialOptions& options) {
  const Checkpoint checkpoint = TRY(read_checkpoint(weights));
  return make_chgnet(checkpoint, weights.string(), std::move(name), std::move(softening), options);
}

}  // namespace tqm::matter
