// GPTQ (Frantar et al., "GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers", arXiv
// 2210.17323, algorithm 1): columns are rounded one after another, and what rounding one of them lost is made good in
// those still to come, as far as the calibration inputs' second moments H = Xᵀ X tell. Order: falling diagonal of H
// ("activation order"), while each column keeps the scale of the group where it stands in the file, so that no index
// has to be stored.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "compress/model/quant.hpp"
#include "compress/quantize/round.hpp"

namespace at {
class Tensor;
}

namespace tqm::compress {

// H = Xᵀ X over every calibration token, f32 [in, in]. Only the blocks on and above the diagonal are multiplied out.
class Hessian {
 public:
  explicit Hessian(int64_t columns);
  ~Hessian();
  Hessian(Hessian&&) noexcept;
  void add(const at::Tensor& inputs);  // f32 [tokens, in]
  at::Tensor matrix() const;           // f32 [in, in], symmetric, divided by the number of tokens
  int64_t tokens() const;

 private:
  struct Sums;
  std::unique_ptr<Sums> sums_;
};

struct GptqOptions {
  ScaleRule scale_rule = ScaleRule::mse;
  bool activation_order = true;
  double damping = 0.01;  // of the mean diagonal, added to the diagonal; times ten as often as the factorisation fails
  int64_t block_columns = 128;
};

struct GptqResult {
  QuantTensor tensor;
  double damping = 0;        // what it took
  int64_t dead_columns = 0;  // never seen by the calibration: rounded to nearest, their weights unchanged by the others
  bool fell_back = false;    // no damping made H positive definite: rounded to nearest
  double relative_error = 0;  // |(W − Ŵ) X|² / |W X|² on the calibration inputs
  double nearest_error = 0;   // the same for round to nearest on the same grid
};

// weight f32 [out, in], contiguous, and hessian on the CPU. Factorises in f64. Deterministic at one thread count.
GptqResult gptq(const QuantSpec& spec, const at::Tensor& weight, const at::Tensor& hessian, const GptqOptions& options);

}  // namespace tqm::compress
