#include "matter/potential/chgnet/gated.hpp"

#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <array>

namespace tqm::matter::chgnet {
namespace {

constexpr double kEpsilon = 1e-5;

at::Tensor normed(const Half& half, const at::Tensor& in, at::Tensor& mean, at::Tensor& rate) {
  if (!half.norm.defined()) return in;
  auto [out, mean_out, rate_out] = at::native_layer_norm(in, {kWidth}, half.norm, half.norm_bias, kEpsilon);
  mean = mean_out;
  rate = rate_out;
  return out;
}

at::Tensor normed_back(const Half& half, const at::Tensor& out_rate, const at::Tensor& in, const at::Tensor& mean,
                       const at::Tensor& rate) {
  if (!half.norm.defined()) return out_rate;
  return std::get<0>(at::native_layer_norm_backward(out_rate, in, {kWidth}, mean, rate, half.norm, half.norm_bias,
                                                    std::array<bool, 3>{true, false, false}));
}

}  // namespace

at::Tensor run_gated(const Gated& gated, const at::Tensor& sum, GatedTape& tape) {
  if (gated.core.second.defined()) {
    tape.input = sum;
    const at::Tensor active = at::silu(sum);
    tape.core_in = at::addmm(gated.core.second_bias, active.narrow(1, 0, kWidth), gated.core.second.t());
    tape.gate_in = at::addmm(gated.gate.second_bias, active.narrow(1, kWidth, kWidth), gated.gate.second.t());
  } else {
    tape.core_in = sum.narrow(1, 0, kWidth).contiguous();
    tape.gate_in = sum.narrow(1, kWidth, kWidth).contiguous();
  }
  tape.core_normed = normed(gated.core, tape.core_in, tape.core_mean, tape.core_rate);
  tape.core = at::silu(tape.core_normed);
  tape.gate = at::sigmoid(normed(gated.gate, tape.gate_in, tape.gate_mean, tape.gate_rate));
  return at::mul(tape.core, tape.gate);
}

at::Tensor run_gated_back(const Gated& gated, const at::Tensor& rate, const GatedTape& tape) {
  const at::Tensor core = normed_back(gated.core, at::silu_backward(at::mul(rate, tape.gate), tape.core_normed),
                                      tape.core_in, tape.core_mean, tape.core_rate);
  const at::Tensor gate = normed_back(gated.gate, at::sigmoid_backward(at::mul(rate, tape.core), tape.gate),
                                      tape.gate_in, tape.gate_mean, tape.gate_rate);
  if (!gated.core.second.defined()) return at::cat({core, gate}, 1);
  const at::Tensor active = at::cat({at::mm(core, gated.core.second), at::mm(gate, gated.gate.second)}, 1);
  return at::silu_backward(active, tape.input);
}

}  // namespace tqm::matter::chgnet
