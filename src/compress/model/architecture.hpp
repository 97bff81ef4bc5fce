// The families that are known, one row each, and what a configuration of them asks for. Adding a family is one row
// here, as long as its decoder is made of the parts that ModelConfig names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/model/model.hpp"

namespace tqm::compress {

// Defaults are those of the transformers class, for keys that config.json leaves out.
struct Architecture {
  Family family;
  std::string_view model_type;  // config.json
  std::string_view class_name;  // config.json "architectures"
  std::string_view gguf_name;   // general.architecture
  bool gguf_permutes;           // q and k rows stand in pair order there
  int64_t default_kv_heads;     // 0: as many as heads
  int64_t default_head_dim;     // 0: hidden / heads
  int64_t default_max_position;
  int64_t default_sliding_window;  // 0: none
  bool window_needs_flag;          // active only with "use_sliding_window"
  bool qkv_bias;                   // always there, whatever the config says
  bool attention_bias;             // the key "attention_bias" puts one on q, k, v and o
  bool mlp_bias;                   // the key "mlp_bias" is obeyed
  bool qk_norm;
};

const Architecture& architecture_of(Family family);
std::string known_families();  // for messages: "llama (Llama 2 and 3, …), mistral, …"

// config.json's keys, of transformers 4 and 5. Refuses by name what the plain decoder can't compute.
Result<ModelConfig> config_from_huggingface(const Json& json, const std::string& where);
// The config.json that makes transformers build the same model; dtype "bfloat16".
Json config_to_huggingface(const ModelConfig& config);
// Refuses sizes that can't be, or that would overflow.
Status check_config(const ModelConfig& config, const std::string& where);

struct TensorShape {
  std::string name;
  std::vector<int64_t> shape;
};
// Every tensor of the model, in the order it runs: embedding, blocks, last norm, head (where it isn't tied).
std::vector<TensorShape> expected_tensors(const ModelConfig& config);

// Divisors of the rope frequencies, head_dim / 2 of them, that Llama 3's scaling amounts to (transformers'
// _compute_llama3_parameters; llama.cpp keeps them as rope_freqs.weight).
std::vector<float> llama3_frequency_factors(const ModelConfig& config, const Llama3Rope& rope);

}  // namespace tqm::compress
