// For tests: a model whose weights stand in memory.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compress/model/model.hpp"

namespace tqm::compress {

class MemoryWeights final : public WeightSource {
 public:
  void set(const std::string& name, Weight weight) {
    const tensor::HostTensor host = plain(weight);
    if (!weights_.contains(name)) infos_.push_back({name, host.shape, "F32", host.bytes.size()});
    weights_.insert_or_assign(name, std::move(weight));
  }
  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  bool has(const std::string& name) const override { return weights_.contains(name); }
  Result<Weight> load(const std::string& name) const override {
    const auto found = weights_.find(name);
    if (found == weights_.end()) return Error{ErrorKind::not_found, "no such tensor", name, ""};
    return found->second;
  }
  Result<std::optional<BlockWeight>> load_blocks(const std::string& name) const override {
    const auto found = blocks.find(name);
    return found == blocks.end() ? std::nullopt : std::optional(found->second);
  }
  void release(const std::string& name) const override { released.insert(name); }

  mutable std::set<std::string> released;
  std::map<std::string, BlockWeight> blocks;  // handed out beside the weights of the same names

 private:
  std::vector<TensorInfo> infos_;
  std::map<std::string, Weight> weights_;
};

inline tensor::HostTensor random_tensor(std::vector<int64_t> shape, float spread, float mean, std::mt19937& random) {
  std::normal_distribution<float> normal(mean, spread);
  std::vector<float> values(static_cast<size_t>(tensor::element_count(shape)));
  for (float& value : values) value = normal(random);
  return tensor::HostTensor::of_floats(std::move(shape), std::move(values));
}

// Every tensor that the configuration asks for, seeded.
inline std::pair<Model, std::shared_ptr<MemoryWeights>> random_model(const ModelConfig& config, unsigned seed = 1) {
  std::mt19937 random(seed);
  auto weights = std::make_shared<MemoryWeights>();
  const int64_t q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim;
  const auto add = [&](const std::string& name, std::vector<int64_t> shape, float spread, float mean = 0) {
    weights->set(name, random_tensor(std::move(shape), spread, mean, random));
  };
  add("model.embed_tokens.weight", {config.vocab, config.hidden}, 1);
  if (!config.tied_embeddings) add("lm_head.weight", {config.vocab, config.hidden}, 0.3F);
  add("model.norm.weight", {config.hidden}, 0.2F, 1);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string block = "model.layers." + std::to_string(layer) + ".";
    const auto linear = [&](const std::string& name, int64_t out, int64_t in, bool bias) {
      add(block + name + ".weight", {out, in}, 0.25F);
      if (bias) add(block + name + ".bias", {out}, 0.5F);
    };
    linear("self_attn.q_proj", q, config.hidden, config.qkv_bias);
    linear("self_attn.k_proj", kv, config.hidden, config.qkv_bias);
    linear("self_attn.v_proj", kv, config.hidden, config.qkv_bias);
    linear("self_attn.o_proj", config.hidden, q, config.o_bias);
    linear("mlp.gate_proj", config.intermediate, config.hidden, config.mlp_bias);
    linear("mlp.up_proj", config.intermediate, config.hidden, config.mlp_bias);
    linear("mlp.down_proj", config.hidden, config.intermediate, config.mlp_bias);
    add(block + "input_layernorm.weight", {config.hidden}, 0.2F, 1);
    add(block + "post_attention_layernorm.weight", {config.hidden}, 0.2F, 1);
    if (config.qk_norm) {
      add(block + "self_attn.q_norm.weight", {config.head_dim}, 0.2F, 1);
      add(block + "self_attn.k_norm.weight", {config.head_dim}, 0.2F, 1);
    }
  }
  Model model;
  model.path = "a model in memory";
  model.form = "memory";
  model.config = config;
  model.weights = weights;
  return {std::move(model), weights};
}

}  // namespace tqm::compress
