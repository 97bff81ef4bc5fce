#include "matter/potential/chgnet/network.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "matter/potential/chgnet/gated.hpp"
#include "matter/potential/chgnet/rows.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::matter::chgnet {
namespace {

constexpr int kBlocks = 3;  // of atoms, bonds and angles; a fourth convolution of atoms follows

// Sines of a length, under a polynomial that ends smoothly at the cutoff; and their slope.
struct Radial {
  at::Tensor frequencies;
  double cutoff = 0;
  int power = 0;

  at::Tensor values(const at::Tensor& length, at::Tensor& slopes) const {
    const at::Tensor d = length.unsqueeze(1), x = d / cutoff;
    const double p = power, a = -(p + 1) * (p + 2) / 2, b = p * (p + 2), c = -p * (p + 1) / 2;
    const at::Tensor low = at::pow(x, p - 1), inside = x < 1;
    const at::Tensor zero = at::zeros({}, length.options());
    const at::Tensor envelope = at::where(inside, 1 + low * x * (a + x * (b + x * c)), zero);
    const at::Tensor slope = at::where(inside, low * (a * p + x * (b * (p + 1) + x * (c * (p + 2)))) / cutoff, zero);
    const at::Tensor phase = at::outer(length / cutoff, frequencies);
    const at::Tensor wave = at::sin(phase) / d;
    const double norm = std::sqrt(2 / cutoff);
    slopes = (wave * (slope - envelope / d) + envelope / d * at::cos(phase) * (frequencies / cutoff)) * norm;
    return wave * envelope * norm;
  }
};

struct Convolution {
  Gated gated;
  at::Tensor out, out_bias;  // [64, 64] as stored; [64] or undefined
};

// Convolutions' tapes, by block.
struct Tape {
  GatedTape gated;
  at::Tensor product;  // core · gate
};

at::Tensor part_of(const Gated& gated, size_t part, const at::Tensor& rows) {
  return at::mm(rows, gated.first[part].t());
}

}  // namespace

struct Network::Parts {
  c10::Device device = c10::kCPU;
  c10::ScalarType type = c10::kFloat;
  Radial far, near;
  at::Tensor references;  // [94] double, host
  at::Tensor elements, bond, weight_far, weight_near, angle, angle_frequencies;
  Convolution atoms[kBlocks + 1], bonds[kBlocks];
  Gated angles[kBlocks - 1];
  at::Tensor site, site_bias, readout_norm, readout_norm_bias;
  std::vector<at::Tensor> readout, readout_bias;

  at::Tensor lengths(const std::vector<double>& values) const {
    return at::from_blob(const_cast<double*>(values.data()), {static_cast<int64_t>(values.size())}, at::kDouble)
        .to(device, type, false, true);
  }
  void run(const Graph& graph, Outcome& out) const;
};

namespace {

std::vector<double> host(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kCPU, at::kDouble).contiguous().view({-1});
  const double* data = flat.const_data_ptr<double>();
  return {data, data + flat.numel()};
}

}  // namespace

void Network::Parts::run(const Graph& graph, Outcome& out) const {
  const auto atom_count = static_cast<int64_t>(graph.numbers.size()),
             bond_count = static_cast<int64_t>(graph.length.size()),
             short_count = static_cast<int64_t>(graph.short_bonds.size());
  const bool has_angles = !graph.cosine.empty();
  const RowIndex centre(graph.centre, atom_count, device), neighbour(graph.neighbour, atom_count, device),
      bond_of(graph.bond, bond_count, device), short_of(graph.short_bonds, bond_count, device),
      angle_centre(graph.angle_centre, atom_count, device), first(graph.first, short_count, device),
      second(graph.second, short_count, device);

  // Bases and embeddings.
  std::vector<double> short_lengths, theta, theta_rate;
  for (const int64_t b : graph.short_bonds) short_lengths.push_back(graph.length[static_cast<size_t>(b)]);
  constexpr double kShrink = 1 - 1e-6;  // the model's own, so that acos has a slope
  for (const double cosine : graph.cosine) {
    const double c = cosine * kShrink;
    theta.push_back(std::acos(c));
    theta_rate.push_back(-kShrink / std::sqrt(1 - c * c));
  }
  at::Tensor far_slopes, near_slopes;
  const at::Tensor far_values = far.values(lengths(graph.length), far_slopes);
  const at::Tensor near_values = near.values(lengths(short_lengths), near_slopes);
  const at::Tensor phase = at::outer(lengths(theta), angle_frequencies);
  const at::Tensor sine = at::sin(phase), cosine = at::cos(phase);
  const double root_pi = std::sqrt(std::numbers::pi);
  const at::Tensor angle_values =
      at::cat({at::full({phase.size(0), 1}, std::sqrt(0.5), phase.options()), sine, cosine}, 1) / root_pi;

  std::vector<int64_t> element;
  for (const int64_t number : graph.numbers) element.push_back(number - 1);
  at::Tensor a = RowIndex(element, 94, device).gather(elements);
  at::Tensor b = at::mm(far_values, bond.t());
  const at::Tensor w_far = at::mm(far_values, weight_far.t()), w_near = at::mm(near_values, weight_near.t());
  at::Tensor t = at::mm(angle_values, angle.t());

  // The outer bias that version 0.2.0 adds to every bond of a structure with angles.
  at::Tensor bias_rows;
  if (has_angles && bonds[0].out_bias.defined()) {
    std::vector<double> with(static_cast<size_t>(bond_count), 0);
    std::vector<bool> angled(graph.first_atom.size() - 1, false);
    const auto structure_of = [&](int64_t atom) {
      return std::upper_bound(graph.first_atom.begin(), graph.first_atom.end(), static_cast<size_t>(atom)) -
             graph.first_atom.begin() - 1;
    };
    for (const int64_t atom : graph.angle_centre) angled[static_cast<size_t>(structure_of(atom))] = true;
    for (size_t k = 0; k < with.size(); ++k) {
      with[k] = angled[static_cast<size_t>(structure_of(graph.centre[graph.forward[k]]))] ? 1 : 0;
    }
    bias_rows = lengths(with).unsqueeze(1);
  }

  Tape atom_tapes[kBlocks + 1], bond_tapes[kBlocks], angle_tapes[kBlocks - 1];
  at::Tensor moments;
  for (int block = 0; block <= kBlocks; ++block) {
    const Convolution& of_atoms = atoms[block];
    Tape& tape = atom_tapes[block];
    const at::Tensor sum = gathered_sum({at::addmm(of_atoms.gated.bias, a, of_atoms.gated.first[0].t()),
                                         part_of(of_atoms.gated, 1, b), part_of(of_atoms.gated, 2, a)},
                                        {&centre, &bond_of, &neighbour});
    tape.product = run_gated(of_atoms.gated, sum, tape.gated);
    at::Tensor update = at::mm(centre.sum(tape.product * bond_of.gather(w_far)), of_atoms.out.t());
    if (of_atoms.out_bias.defined()) update = update + of_atoms.out_bias;
    a = a + update;
    if (block == kBlocks) break;
    if (block == kBlocks - 1) moments = at::addmm(site_bias, a, site.t()).abs();
    if (!has_angles) continue;

    const Convolution& of_bonds = bonds[block];
    Tape& bond_tape = bond_tapes[block];
    const at::Tensor short_b = short_of.gather(b);
    const at::Tensor bond_sum = gathered_sum({at::addmm(of_bonds.gated.bias, short_b, of_bonds.gated.first[0].t()),
                                              part_of(of_bonds.gated, 1, short_b), part_of(of_bonds.gated, 3, a)},
                                             {&first, &second, &angle_centre})
                                    .add_(part_of(of_bonds.gated, 2, t));
    bond_tape.product = run_gated(of_bonds.gated, bond_sum, bond_tape.gated);
    const at::Tensor message = bond_tape.product * first.gather(w_near) * second.gather(w_near);
    b = b + short_of.sum(at::mm(first.sum(message), of_bonds.out.t()));
    if (bias_rows.defined()) b = b + bias_rows * of_bonds.out_bias;
    if (block == kBlocks - 1) continue;  // nothing reads angles after this

    const Gated& of_angles = angles[block];
    Tape& angle_tape = angle_tapes[block];
    const at::Tensor new_b = short_of.gather(b);
    const at::Tensor angle_sum = gathered_sum({at::addmm(of_angles.bias, new_b, of_angles.first[0].t()),
                                               part_of(of_angles, 1, new_b), part_of(of_angles, 3, a)},
                                              {&first, &second, &angle_centre})
                                     .add_(part_of(of_angles, 2, t));
    angle_tape.product = run_gated(of_angles, angle_sum, angle_tape.gated);
    t = t + angle_tape.product;
  }

  // Readout.
  at::Tensor mean, rate, x = a;
  if (readout_norm.defined()) {
    auto [normed, mean_out, rate_out] = at::native_layer_norm(a, {kWidth}, readout_norm, readout_norm_bias, 1e-5);
    x = normed, mean = mean_out, rate = rate_out;
  }
  std::vector<at::Tensor> inputs;  // of each activation
  for (size_t k = 0; k < readout.size(); ++k) {
    x = at::addmm(readout_bias[k], x, readout[k].t());
    if (k + 1 == readout.size()) break;
    inputs.push_back(x);
    x = at::silu(x);
  }
  out.site_energies = host(x);
  const double* reference = references.const_data_ptr<double>();
  for (size_t i = 0; i < element.size(); ++i) out.site_energies[i] += reference[element[i]];
  out.moments = host(moments);

  // Back, in the opposite order. x, then a, b, t: what the energy changes with each.
  x = at::ones({atom_count, 1}, a.options());
  for (size_t k = readout.size(); k-- > 0;) {
    x = at::mm(x, readout[k]);
    if (k > 0) x = at::silu_backward(x, inputs[k - 1]);
  }
  if (readout_norm.defined()) {
    x = std::get<0>(at::native_layer_norm_backward(x, a, {kWidth}, mean, rate, readout_norm, readout_norm_bias,
                                                   std::array<bool, 3>{true, false, false}));
  }
  at::Tensor a_rate = x, b_rate = at::zeros_like(b), t_rate, w_far_rate = at::zeros_like(b), w_near_rate;
  for (int block = kBlocks; block >= 0; --block) {
    if (block < kBlocks && has_angles) {
      if (block < kBlocks - 1) {
        const Gated& of_angles = angles[block];
        const at::Tensor z = run_gated_back(of_angles, t_rate, angle_tapes[block].gated);
        b_rate =
            b_rate + short_of.sum(at::mm(first.sum(z), of_angles.first[0]) + at::mm(second.sum(z), of_angles.first[1]));
        a_rate = a_rate + at::mm(angle_centre.sum(z), of_angles.first[3]);
        t_rate = t_rate + at::mm(z, of_angles.first[2]);
      }
      const Convolution& of_bonds = bonds[block];
      const at::Tensor message_rate = first.gather(at::mm(short_of.gather(b_rate), of_bonds.out));
      const at::Tensor w_first = first.gather(w_near), w_second = second.gather(w_near);
      const at::Tensor of_product = message_rate * bond_tapes[block].product;
      const at::Tensor of_near = first.sum(of_product * w_second) + second.sum(of_product * w_first);
      w_near_rate = w_near_rate.defined() ? w_near_rate + of_near : of_near;
      const at::Tensor z = run_gated_back(of_bonds.gated, message_rate * w_first * w_second, bond_tapes[block].gated);
      b_rate = b_rate + short_of.sum(at::mm(first.sum(z), of_bonds.gated.first[0]) +
                                     at::mm(second.sum(z), of_bonds.gated.first[1]));
      a_rate = a_rate + at::mm(angle_centre.sum(z), of_bonds.gated.first[3]);
      const at::Tensor of_t = at::mm(z, of_bonds.gated.first[2]);
      t_rate = t_rate.defined() ? t_rate + of_t : of_t;
    }
    const Convolution& of_atoms = atoms[block];
    const at::Tensor message_rate = centre.gather(at::mm(a_rate, of_atoms.out));
    w_far_rate = w_far_rate + bond_of.sum(message_rate * atom_tapes[block].product);
    const at::Tensor z = run_gated_back(of_atoms.gated, message_rate * bond_of.gather(w_far), atom_tapes[block].gated);
    b_rate = b_rate + at::mm(bond_of.sum(z), of_atoms.gated.first[1]);
    if (block > 0) {
      a_rate =
          a_rate + at::mm(centre.sum(z), of_atoms.gated.first[0]) + at::mm(neighbour.sum(z), of_atoms.gated.first[2]);
    }
  }
  at::Tensor of_length = ((at::mm(b_rate, bond) + at::mm(w_far_rate, weight_far)) * far_slopes).sum(1, true);
  out.of_cosine.clear();
  if (has_angles) {
    of_length = of_length + short_of.sum((at::mm(w_near_rate, weight_near) * near_slopes).sum(1, true));
    const int64_t count = angle_frequencies.size(0);
    const at::Tensor values_rate = at::mm(t_rate, angle) / root_pi;
    const at::Tensor of_theta =
        ((values_rate.narrow(1, 1, count) * cosine - values_rate.narrow(1, 1 + count, count) * sine) *
         angle_frequencies)
            .sum(1);
    out.of_cosine = host(of_theta);
    for (size_t r = 0; r < theta.size(); ++r) out.of_cosine[r] *= theta_rate[r];
  }
  out.of_length = host(of_length);
}

Network::Network(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;
double Network::cutoff() const {
  return parts_->far.cutoff;
}
double Network::angle_cutoff() const {
  return parts_->near.cutoff;
}

Status Network::run(const Graph& graph, Outcome& out) const {
  if (graph.numbers.empty()) return out = {}, Status();
  return tensor::guard("CHGNet", [&] { parts_->run(graph, out); });
}

namespace {

// Takes tensors out of a checkpoint and checks their shapes.
class Taker {
 public:
  Taker(const Checkpoint& checkpoint, c10::Device device, c10::ScalarType type)
      : checkpoint_(checkpoint), device_(device), type_(type) {}

  bool has(const std::string& name) const { return checkpoint_.tensors.count(name) != 0; }
  // A width of −1 fits any. What is missing or of another shape is noted, and an empty tensor of the shape returned.
  at::Tensor take(const std::string& name, const std::vector<int64_t>& shape) {
    const auto found = checkpoint_.tensors.find(name);
    bool fits = found != checkpoint_.tensors.end() && found->second.shape.size() == shape.size();
    for (size_t d = 0; fits && d < shape.size(); ++d) fits = shape[d] < 0 || shape[d] == found->second.shape[d];
    if (!fits) {
      if (fault_.empty()) fault_ = name;
      return at::zeros({1}, at::kFloat);
    }
    return tensor::to_torch(found->second, c10::kCPU).to(device_, type_);
  }
  at::Tensor take_if_there(const std::string& name, const std::vector<int64_t>& shape) {
    return has(name) ? take(name, shape) : at::Tensor();
  }

  Half half(const std::string& name, const std::string& norm, bool two_layers) {
    Half half;
    if (two_layers) {
      half.second = take(name + ".layers.3.weight", {kWidth, kWidth});
      half.second_bias = take(name + ".layers.3.bias", {kWidth});
    }
    half.norm = take_if_there(norm + ".weight", {kWidth});
    half.norm_bias = take_if_there(norm + ".bias", {kWidth});
    return half;
  }
  Gated gated(const std::string& name, int64_t parts, bool two_layers) {
    Gated gated;
    gated.core = half(name + ".mlp_core", name + ".bn1", two_layers);
    gated.gate = half(name + ".mlp_gate", name + ".bn2", two_layers);
    const std::string layer = two_layers ? ".layers.0" : ".layers.1";
    const at::Tensor core = take(name + ".mlp_core" + layer + ".weight", {kWidth, parts * kWidth});
    const at::Tensor gate = take(name + ".mlp_gate" + layer + ".weight", {kWidth, parts * kWidth});
    const at::Tensor core_bias = take(name + ".mlp_core" + layer + ".bias", {kWidth});
    const at::Tensor gate_bias = take(name + ".mlp_gate" + layer + ".bias", {kWidth});
    if (!fault_.empty()) return gated;
    for (int64_t part = 0; part < parts; ++part) {
      gated.first.push_back(
          at::cat({core.narrow(1, part * kWidth, kWidth), gate.narrow(1, part * kWidth, kWidth)}, 0).contiguous());
    }
    gated.bias = at::cat({core_bias, gate_bias}, 0);
    return gated;
  }
  Convolution convolution(const std::string& name, const std::string& pair, int64_t parts) {
    Convolution convolution;
    convolution.gated = gated(name + pair, parts, true);
    convolution.out = take(name + ".mlp_out.layers.1.weight", {kWidth, kWidth});
    convolution.out_bias = take_if_there(name + ".mlp_out.layers.1.bias", {kWidth});
    return convolution;
  }
  const std::string& fault() const { return fault_; }

 private:
  const Checkpoint& checkpoint_;
  c10::Device device_;
  c10::ScalarType type_;
  std::string fault_;
};

double argument(const Checkpoint& checkpoint, const char* name) {
  const auto found = checkpoint.arguments.find(name);
  return found != checkpoint.arguments.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

Result<Network> Network::make(const Checkpoint& checkpoint, const std::string& where, const std::string& device,
                              bool float64) {
  auto parts = std::make_unique<Parts>();
  parts->device = TRY(tensor::open_device(device));
  parts->type = float64 ? c10::kDouble : c10::kFloat;
  const auto other = [&](const std::string& what) {
    return Error{ErrorKind::unsupported, "the checkpoint is no CHGNet that is known: " + what, where,
                 "CHGNet 0.2.0, 0.3.0 and r2SCAN of the package chgnet 0.4.2 are"};
  };
  const double far = argument(checkpoint, "atom_graph_cutoff"), near = argument(checkpoint, "bond_graph_cutoff"),
               power = argument(checkpoint, "cutoff_coeff");
  if (!(far > 0 && far <= 20 && near > 0 && near <= far && power >= 1 && power <= 20)) return other("its cutoffs");
  if (argument(checkpoint, "n_conv") != kBlocks + 1) return other("it has another number of convolutions");
  std::optional<Taker> held;
  TRY(tensor::guard("CHGNet's weights", [&] {
    held.emplace(checkpoint, parts->device, parts->type);
    Taker& taker = *held;
    parts->references = taker.take("composition_model.fc.weight", {1, 94}).to(c10::kCPU, c10::kDouble).contiguous();
    parts->elements = taker.take("atom_embedding.embedding.weight", {94, kWidth});
    parts->far = {taker.take("bond_basis_expansion.rbf_expansion_ag.frequencies", {-1}), far, static_cast<int>(power)};
    parts->near = {taker.take("bond_basis_expansion.rbf_expansion_bg.frequencies", {-1}), near,
                   static_cast<int>(power)};
    const int64_t radial = parts->far.frequencies.size(0);
    parts->bond = taker.take("bond_embedding.weight", {kWidth, radial});
    parts->weight_far = taker.take("bond_weights_ag.weight", {kWidth, radial});
    parts->weight_near = taker.take("bond_weights_bg.weight", {kWidth, parts->near.frequencies.size(0)});
    parts->angle_frequencies = taker.take("angle_basis_expansion.fourier_expansion.frequencies", {-1});
    parts->angle = taker.take("angle_embedding.weight", {kWidth, 2 * parts->angle_frequencies.size(0) + 1});
    for (int k = 0; k <= kBlocks; ++k) {
      parts->atoms[k] = taker.convolution("atom_conv_layers." + std::to_string(k), ".twoBody_atom", 3);
    }
    for (int k = 0; k < kBlocks; ++k) {
      parts->bonds[k] = taker.convolution("bond_conv_layers." + std::to_string(k), ".twoBody_bond", 4);
    }
    for (int k = 0; k < kBlocks - 1; ++k) {
      parts->angles[k] = taker.gated("angle_layers." + std::to_string(k) + ".twoBody_bond", 4, false);
    }
    parts->site = taker.take("site_wise.weight", {1, kWidth});
    parts->site_bias = taker.take("site_wise.bias", {1});
    parts->readout_norm = taker.take_if_there("readout_norm.weight", {kWidth});
    parts->readout_norm_bias = taker.take_if_there("readout_norm.bias", {kWidth});
    for (int k = 0; k < 12; ++k) {
      const std::string layer = "mlp.layers." + std::to_string(k);
      if (!taker.has(layer + ".weight")) continue;
      const bool last = checkpoint.tensors.at(layer + ".weight").shape.at(0) == 1;
      parts->readout.push_back(taker.take(layer + ".weight", {last ? 1 : kWidth, kWidth}));
      parts->readout_bias.push_back(taker.take(layer + ".bias", {last ? 1 : kWidth}));
    }
  }));
  if (!held->fault().empty()) return other("the tensor " + held->fault() + " is missing or of another shape");
  if (parts->readout.empty() || parts->readout.back().size(0) != 1) return other("its readout");
  return Network(std::move(parts));
}

}  // namespace tqm::matter::chgnet
