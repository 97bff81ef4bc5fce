#include "compress/runtime/plain_block.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

// Layers that read the same tensor share its quantised form, made when the first of them asks.
class LinearInput {
 public:
  LinearInput(const at::Tensor& plain, const LinearTap& tap) : plain_(plain), tap_(tap) {}

  at::Tensor apply(const Linear& layer) {
    if (tap_) tap_(layer.name, plain_.reshape({-1, plain_.size(-1)}));
    if (layer.quantize_activations && !quantized_.defined()) quantized_ = fake_quantize_tokens(plain_);
    return at::linear(layer.quantize_activations ? quantized_ : plain_, layer.weight, layer.bias);
  }

 private:
  const at::Tensor& plain_;
  at::Tensor quantized_;
  const LinearTap& tap_;
};

// x [windows, length, heads, head_dim], turned in place.
void apply_rope(at::Tensor& x, const RopeTable& rope, int64_t from) {
  const int64_t half = x.size(3) / 2;
  const at::Tensor cosine = rope.cosine.narrow(0, from, x.size(1)), sine = rope.sine.narrow(0, from, x.size(1));
  at::Tensor first = x.narrow(3, 0, half), second = x.narrow(3, half, half);
  const at::Tensor turned = at::mul(first, sine);
  first.mul_(cosine).addcmul_(second, sine, -1);
  second.mul_(cosine).add_(turned);
}

void append(KeyValueCache& cache, const at::Tensor& keys, const at::Tensor& values) {
  const int64_t needed = cache.length + keys.size(2);
  const int64_t capacity = cache.keys.defined() ? cache.keys.size(2) : 0;
  if (needed > capacity) {
    const int64_t grown = std::max({needed, 2 * capacity, int64_t{256}});
    for (auto [held, like] : {std::pair{&cache.keys, &keys}, std::pair{&cache.values, &values}}) {
      at::Tensor larger = at::empty({1, like->size(1), grown, like->size(3)}, like->options());
      if (cache.length > 0) larger.narrow(2, 0, cache.length).copy_(held->narrow(2, 0, cache.length));
      *held = larger;
    }
  }
  cache.keys.narrow(2, cache.length, keys.size(2)).copy_(keys);
  cache.values.narrow(2, cache.length, values.size(2)).copy_(values);
  cache.length = needed;
}

// [windows, kv_heads, length, head_dim], each head as often as queries share it.
at::Tensor repeat_heads(const at::Tensor& x, int64_t times) {
  if (times == 1) return x;
  return x.unsqueeze(2)
      .expand({x.size(0), x.size(1), times, x.size(2), x.size(3)})
      .reshape({x.size(0), x.size(1) * times, x.size(2), x.size(3)});
}

}  // namespace

Result<Linear> load_linear(const Model& model, const std::string& name, const std::vector<int64_t>& shape,
                           c10::Device device) {
  Linear linear{name, {}, {}, false};
  {
    const Weight weight = TRY(model.weights->load(name));
    if (const auto* quantized = std::get_if<QuantTensor>(&weight))
      linear.quantize_activations = quantized->spec.quantize_activations;
    TRY(tensor::guard("loading " + name, [&] { linear.weight = tensor::to_torch(plain(weight), device); }));
  }
  model.weights->release(name);
  if (linear.weight.sizes() != at::IntArrayRef(shape))
    return Error{ErrorKind::bad_input,
                 "the tensor is " + tensor::shape_text(linear.weight.sizes().vec()) + ", the configuration asks for " +
                     tensor::shape_text(shape),
                 name, "the weights and the configuration must belong together"};
  return linear;
}

Result<at::Tensor> load_plain(const Model& model, const std::string& name, const std::vector<int64_t>& shape,
                              c10::Device device) {
  Linear loaded = TRY(load_linear(model, name, shape, device));
  return std::move(loaded.weight);
}

at::Tensor fake_quantize_tokens(const at::Tensor& x) {
  const at::Tensor range = x.abs().amax(-1, true).div_(127.5);
  const at::Tensor scale = range.masked_fill(range.eq(0), std::numeric_limits<float>::epsilon());
  return x.div(scale).clamp_(-128, 127).round_().mul_(scale);
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor inverse = x.square().mean(-1, true).add_(eps).rsqrt_();
  return at::mul(x, inverse).mul_(weight);
}

RopeTable make_rope_table(const std::vector<float>& inverse_frequencies, int64_t positions, c10::Device device) {
  const at::Tensor frequencies = tensor::to_torch(
      tensor::HostTensor::of_floats({static_cast<int64_t>(inverse_frequencies.size())}, inverse_frequencies),
      c10::Device(c10::DeviceType::CPU));
  const at::Tensor angles = at::outer(at::arange(positions, frequencies.options()), frequencies).unsqueeze(1);
  return {angles.cos().to(device), angles.sin().to(device)};
}

Result<DecoderBlock> DecoderBlock::load(const Model& model, int64_t layer, c10::Device device) {
  const ModelConfig& config = model.config;
  const int64_t queries = config.heads * config.head_dim, keys = config.kv_heads * config.head_dim;
  const std::array<std::array<int64_t, 2>, parts> shapes{{{queries, config.hidden},
                                                          {keys, config.hidden},
                                                          {keys, config.hidden},
                                                          {config.hidden, queries},
                                                          {config.intermediate, config.hidden},
                                                          {config.intermediate, config.hidden},
                                                          {config.hidden, config.intermediate}}};
  const std::vector<std::string> names = linear_names(config, layer);
  ASSERT(names.size() == parts);

  DecoderBlock block{config, {}, {}, {}, {}, {}};
  const bool biased[parts] = {config.qkv_bias, config.qkv_bias, config.qkv_bias, config.o_bias,
                              config.mlp_bias, config.mlp_bias, config.mlp_bias};
  for (size_t i = 0; i < parts; ++i) {
    const auto [out, in] = shapes[i];
    block.linear[i] = TRY(load_linear(model, names[i], {out, in}, device));
    if (!biased[i]) continue;
    const std::string bias = names[i].substr(0, names[i].rfind('.')) + ".bias";
    block.linear[i].bias = TRY(load_plain(model, bias, {out}, device));
  }
  const std::string prefix = "model.layers." + std::to_string(layer) + ".";
  block.input_norm = TRY(load_plain(model, prefix + "input_layernorm.weight", {config.hidden}, device));
  block.post_attention_norm =
      TRY(load_plain(model, prefix + "post_attention_layernorm.weight", {config.hidden}, device));
  if (config.qk_norm) {
    block.q_norm = TRY(load_plain(model, prefix + "self_attn.q_norm.weight", {config.head_dim}, device));
    block.k_norm = TRY(load_plain(model, prefix + "self_attn.k_norm.weight", {config.head_dim}, device));
  }
  return block;
}

at::Tensor DecoderBlock::attention_input(const at::Tensor& hidden) const {
  return rms_norm(hidden, input_norm, config.rms_norm_eps);
}

at::Tensor DecoderBlock::attention_context(const at::Tensor& x, const RopeTable& rope, KeyValueCache* cache,
                                           const LinearTap& tap) const {
  const int64_t windows = x.size(0), length = x.size(1), past = cache ? cache->length : 0;
  LinearInput input(x, tap);
  at::Tensor queries = input.apply(linear[q]).view({windows, length, config.heads, config.head_dim});
  at::Tensor keys = input.apply(linear[k]).view({windows, length, config.kv_heads, config.head_dim});
  at::Tensor values = input.apply(linear[v]).view({windows, length, config.kv_heads, config.head_dim}).transpose(1, 2);
  if (config.qk_norm) {
    queries = rms_norm(queries, q_norm, config.rms_norm_eps);
    keys = rms_norm(keys, k_norm, config.rms_norm_eps);
  }
  apply_rope(queries, rope, past);
  apply_rope(keys, rope, past);
  queries = queries.transpose(1, 2);
  keys = keys.transpose(1, 2);
  if (cache) {
    append(*cache, keys, values);
    keys = cache->keys.narrow(2, 0, cache->length);
    values = cache->values.narrow(2, 0, cache->length);
  }
  const int64_t times = config.heads / config.kv_heads;
  // Several new tokens after old ones: row i sees the past + i + 1 first columns. One token sees all.
  std::optional<at::Tensor> mask;
  if (past > 0 && length > 1)
    mask = at::ones({length, past + length}, x.options().dtype(c10::ScalarType::Bool)).tril(past);
  at::Tensor mixed = at::scaled_dot_product_attention(queries, repeat_heads(keys, times), repeat_heads(values, times),
                                                      mask, 0.0, past == 0);
  return mixed.transpose(1, 2).reshape({windows, length, config.heads * config.head_dim});
}

at::Tensor DecoderBlock::add_attention(const at::Tensor& hidden, const at::Tensor& context,
                                       const LinearTap& tap) const {
  return LinearInput(context, tap).apply(linear[o]).add_(hidden);
}

at::Tensor DecoderBlock::mlp_input(const at::Tensor& hidden) const {
  return rms_norm(hidden, post_attention_norm, config.rms_norm_eps);
}

at::Tensor DecoderBlock::mlp_gated(const at::Tensor& x, const LinearTap& tap) const {
  LinearInput input(x, tap);
  at::Tensor wide = input.apply(linear[gate]);
  at::silu_(wide);
  return wide.mul_(input.apply(linear[up]));
}

at::Tensor DecoderBlock::add_mlp(const at::Tensor& hidden, const at::Tensor& gated, const LinearTap& tap) const {
  return LinearInput(gated, tap).apply(linear[down]).add_(hidden);
}

at::Tensor DecoderBlock::forward(const at::Tensor& hidden, const RopeTable& rope, KeyValueCache* cache,
                                 const LinearTap& tap) const {
  const at::Tensor x = add_attention(hidden, attention_context(attention_input(hidden), rope, cache, tap), tap);
  return add_mlp(x, mlp_gated(mlp_input(x), tap), tap);
}

}  // namespace tqm::compress
