// A decoder block in ATen, as PlainBlock and PlainGenerator share it. Only this folder includes it.
#pragma once

#include <ATen/core/Tensor.h>
#include <array>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"
#include "compress/runtime/plain_decoder.hpp"

namespace tqm::compress {

struct Linear {
  std::string name;
  at::Tensor weight;  // f32 [out, in]
  at::Tensor bias;    // f32 [out]; undefined: none
  bool quantize_activations = false;
};

// A weight in f32 on the device, its shape checked; no bias yet. Its pages in the file are released.
Result<Linear> load_linear(const Model& model, const std::string& name, const std::vector<int64_t>& shape,
                           c10::Device device);
Result<at::Tensor> load_plain(const Model& model, const std::string& name, const std::vector<int64_t>& shape,
                              c10::Device device);

// x [..., width]: each token to int8 and back, symmetric, scale = absmax / 127.5 (machine epsilon where a token is all
// zero), code = rint(clamp(x / scale, −128, 127)): compressed-tensors' "token" strategy, dynamic, computed in f32.
at::Tensor fake_quantize_tokens(const at::Tensor& x);

// x / rms(x) · weight over the last dimension.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

struct RopeTable {
  at::Tensor cosine, sine;  // f32 [positions, 1, head_dim / 2]
};
RopeTable make_rope_table(const std::vector<float>& inverse_frequencies, int64_t positions, c10::Device device);

// Keys and values of the tokens read so far, one layer. Grows by doubling.
struct KeyValueCache {
  at::Tensor keys, values;  // f32 [1, kv_heads, capacity, head_dim]
  int64_t length = 0;
};

struct DecoderBlock {
  enum Part { q, k, v, o, gate, up, down, parts };

  ModelConfig config;
  std::array<Linear, parts> linear;
  at::Tensor input_norm, post_attention_norm;  // f32 [hidden]
  at::Tensor q_norm, k_norm;                   // f32 [head_dim]; undefined: none

  static Result<DecoderBlock> load(const Model& model, int64_t layer, c10::Device device);
  // hidden [windows, length, hidden]; rope holds at least cache->length + length positions. With a cache there is one
  // window, which goes on where the cache ends.
  at::Tensor forward(const at::Tensor& hidden, const RopeTable& rope, KeyValueCache* cache, const LinearTap& tap) const;

  // forward's stages, in its order; calibration stops between them.
  at::Tensor attention_input(const at::Tensor& hidden) const;  // normed
  at::Tensor attention_context(const at::Tensor& x, const RopeTable& rope, KeyValueCache* cache,
                               const LinearTap& tap) const;  // what o reads
  at::Tensor add_attention(const at::Tensor& hidden, const at::Tensor& context, const LinearTap& tap) const;
  at::Tensor mlp_input(const at::Tensor& hidden) const;                   // normed
  at::Tensor mlp_gated(const at::Tensor& x, const LinearTap& tap) const;  // what down reads
  at::Tensor add_mlp(const at::Tensor& hidden, const at::Tensor& gated, const LinearTap& tap) const;
};

}  // namespace tqm::compress
