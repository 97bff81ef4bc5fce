// A language model opened from any of its file forms, in one canonical shape: Hugging Face's tensor names and layouts
// ("model.layers.0.self_attn.q_proj.weight" [out, in], q and k rows in rotate-half order).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/model/quant.hpp"
#include "compress/tokenizer/tokenizer.hpp"
#include "tensor/host_tensor.hpp"

namespace tqm::compress {

enum class Family { llama, mistral, qwen2, qwen3 };

struct Llama3Rope {  // "rope_type": "llama3"
  double factor = 8, low_freq_factor = 1, high_freq_factor = 4;
  int64_t original_max_position = 8192;
};

struct ModelConfig {
  Family family = Family::llama;
  int64_t vocab = 0, hidden = 0, intermediate = 0, layers = 0, heads = 0, kv_heads = 0, head_dim = 0;
  int64_t max_position = 2048;
  double rms_norm_eps = 1e-5, rope_theta = 10000;
  std::optional<Llama3Rope> llama3_rope;
  double linear_rope_factor = 1;  // "rope_type": "linear"; 1 is none
  bool tied_embeddings = false;
  bool qkv_bias = false, o_bias = false, mlp_bias = false, qk_norm = false;
  std::vector<float> rope_frequency_factors;  // GGUF rope_freqs.weight, head_dim / 2 divisors; empty: none
};

// One linear layer's weight as the file holds it: plain, or quantised (then QuantTensor says how to compute with it).
using Weight = std::variant<tensor::HostTensor, QuantTensor>;
tensor::HostTensor plain(const Weight& weight);  // f32

// A weight as ggml's blocks of 32 hold it, with nothing rounded: w = code · scale, or (code + 8) · scale + minimum.
struct BlockWeight {
  QuantTensor codes;            // 8 or 4 bits, groups of 32, symmetric; its scales are any float16s
  std::vector<float> minimums;  // rows × groups, float16s; empty: none
};

struct TensorInfo {
  std::string name;  // canonical
  std::vector<int64_t> shape;
  std::string stored_as;  // "F32", "BF16", "Q4_1", "int4 g64", …
  uint64_t stored_bytes = 0;
};

// Where weights come from. Reads map files, so that one block at a time is in memory; a name it lacks is not_found.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  virtual bool has(const std::string& name) const = 0;
  virtual Result<Weight> load(const std::string& name) const = 0;  // NaN or infinity: bad_input naming the tensor
  // The same weight in its file's own blocks, for whoever multiplies with them; none where it stands in no such blocks.
  virtual Result<std::optional<BlockWeight>> load_blocks(const std::string& name) const;
  virtual void release(const std::string& name) const = 0;  // its pages may leave memory
};

struct OpenOptions {
  std::filesystem::path tokenizer;  // for forms without one inside (llama2.c); the others refuse it; empty: none
  bool need_tokenizer = true;
};

struct Model {
  std::filesystem::path path;
  std::string form;  // "huggingface", "gguf", "llama2.c"
  ModelConfig config;
  std::shared_ptr<WeightSource> weights;
  std::shared_ptr<const Tokenizer> tokenizer;  // null where none was asked for
  Json huggingface_config;    // config.json, read or made from the other forms' keys, without quantization_config
  Json generation_config;     // may be null
  std::string chat_template;  // Jinja; may be empty
  std::string name, license;  // for the model card; may be empty
  std::vector<std::filesystem::path> side_files;  // tokenizer files and the like, to be carried to the written folder
  uint64_t stored_bytes = 0;                      // weights as the files hold them
};

Result<Model> open_model(const std::filesystem::path& path, const OpenOptions& options = {});

// Names of one decoder block's linear layers, canonical, in the order they run: q, k, v, o, gate, up, down.
std::vector<std::string> linear_names(const ModelConfig& config, int64_t layer);

}  // namespace tqm::compress
