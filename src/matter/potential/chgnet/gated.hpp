// A gated pair of small networks, SiLU(norm(core)) · σ(norm(gate)), with its backward pass. Core and gate stand side by
// side in one tensor of twice the width until their second layers part them.
#pragma once

#include <ATen/core/Tensor.h>
#include <string>
#include <vector>

namespace tqm::matter::chgnet {

inline constexpr int64_t kWidth = 64;

struct Half {
  at::Tensor second, second_bias;  // [64, 64] as stored (out, in), [64]; undefined: a single layer
  at::Tensor norm, norm_bias;      // [64]; undefined: no normalisation
};

struct Gated {
  std::vector<at::Tensor> first;  // of each part of the input: [128, width], core above gate
  at::Tensor bias;                // [128]
  Half core, gate;
};

// What the backward pass needs again.
struct GatedTape {
  at::Tensor input;             // of the first activation, [rows, 128]; where there are two layers
  at::Tensor core_in, gate_in;  // of the norms, [rows, 64]
  at::Tensor core_mean, core_rate, gate_mean, gate_rate;
  at::Tensor core_normed, core, gate;  // SiLU's input, its output, the gate
};

// sum: the first layer's output, bias included. Gives core · gate.
at::Tensor run_gated(const Gated& gated, const at::Tensor& sum, GatedTape& tape);
// From dE/d(core · gate) to dE/d(sum).
at::Tensor run_gated_back(const Gated& gated, const at::Tensor& rate, const GatedTape& tape);

}  // namespace tqm::matter::chgnet
