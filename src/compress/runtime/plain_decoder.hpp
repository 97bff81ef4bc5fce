// The plain path: the decoder as the papers write it, in ATen, on any LibTorch device, one block at a time. Quantised
// weights are dequantised, activations quantised only where the format says so. Verdicts and calibration stand on it;
// the fast kernels (runtime/fast) are compared with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"

namespace at {
class Tensor;
}

namespace tqm::compress {

struct PlainOptions {
  std::string device = "cpu";
  // Tokens that one block takes at a time (at least a window): bounds the activations' memory. More is no faster.
  int64_t rows_per_step = 2048;
};

// Sees the input of a linear layer, [tokens, in], just before it is applied: calibration collects from it.
using LinearTap = std::function<void(const std::string& name, const at::Tensor& input)>;

// One decoder block with its weights in f32 on the device. forward and replace throw what LibTorch throws (memory):
// call them inside tensor::guard.
class PlainBlock {
 public:
  static Result<PlainBlock> load(const Model& model, int64_t layer, const PlainOptions& options);
  PlainBlock(PlainBlock&&) noexcept;
  PlainBlock& operator=(PlainBlock&&) noexcept;
  ~PlainBlock();
  // hidden [windows, length, hidden] in, the same shape out; positions begin at 0. Attention is causal, so what stands
  // in a window before padding on its right comes out as without it. q, k and v share one input, as gate and up do: the
  // tap is called for each name with the same tensor.
  at::Tensor forward(const at::Tensor& hidden, const LinearTap& tap = {}) const;
  // forward's stages, in its order, for calibration that changes weights between them; the same shapes give the same
  // bits as forward. hidden, and what the stages make: [windows, length, …].
  at::Tensor attention_input(const at::Tensor& hidden) const;
  at::Tensor attention_context(const at::Tensor& input) const;  // what o reads
  at::Tensor add_attention(const at::Tensor& hidden, const at::Tensor& context) const;
  at::Tensor mlp_input(const at::Tensor& hidden) const;
  at::Tensor mlp_gated(const at::Tensor& input) const;  // what down reads
  at::Tensor add_mlp(const at::Tensor& hidden, const at::Tensor& gated) const;
  // Puts another weight (f32 [out, in]) in a linear layer's place; the activations' quantisation as given.
  void replace(const std::string& name, const Weight& weight);
  at::Tensor weight(const std::string& name) const;  // f32 [out, in]

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  PlainBlock();
};

// f32 [windows, longest, hidden]; shorter windows are padded on the right. A token id outside the vocabulary is
// bad_input.
Result<at::Tensor> embed(const Model& model, const std::vector<std::vector<int32_t>>& windows,
                         const PlainOptions& options);

// What one window of tokens scored: teacher-forced, each token but the first.
struct WindowScore {
  std::vector<float> nll;       // natural log, one a scored token
  std::vector<uint8_t> top1;    // 1 where the arg max was the token
  std::vector<int32_t> argmax;  // for agreement between two models
  std::vector<float> kl;        // KL(original ‖ this), one a scored token; filled by score_windows_pair only
};

// (blocks done, blocks); an error (stopped) ends the work.
using BlockProgress = std::function<Status(int64_t, int64_t)>;

// Streams the blocks once over all windows (their lengths may differ; each is scored on its own). Memory: one block,
// the hidden states of all windows, a few tens of MB of logits. A loss that is not a number is a breakdown.
Result<std::vector<WindowScore>> score_windows(const Model& model, const std::vector<std::vector<int32_t>>& windows,
                                               const PlainOptions& options, const BlockProgress& progress = {});

// The final norm and the output layer alone, for hidden states that were carried through the blocks by hand.
class PlainHead {
 public:
  static Result<PlainHead> load(const Model& model, const PlainOptions& options);
  PlainHead(PlainHead&&) noexcept;
  PlainHead& operator=(PlainHead&&) noexcept;
  ~PlainHead();
  // reference and each of hidden [windows, longest, hidden], as embed lays windows out: each one's scores, with kl =
  // KL(reference ‖ hidden). progress: (rows of hidden done, rows).
  Result<std::vector<std::vector<WindowScore>>> scores(const std::vector<at::Tensor>& hidden,
                                                       const at::Tensor& reference,
                                                       const std::vector<std::vector<int32_t>>& windows,
                                                       const BlockProgress& progress = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  PlainHead();
};

// Both models over the same windows; compressed's scores hold kl as well. progress counts the blocks of both.
struct PairScores {
  std::vector<WindowScore> original, compressed;
};
Result<PairScores> score_windows_pair(const Model& original, const Model& compressed,
                                      const std::vector<std::vector<int32_t>>& windows, const PlainOptions& options,
                                      const BlockProgress& progress = {});

// Logits of one window, f32 [length, vocab].
Result<tensor::HostTensor> logits(const Model& model, const std::vector<int32_t>& window, const PlainOptions& options);

}  // namespace tqm::compress
