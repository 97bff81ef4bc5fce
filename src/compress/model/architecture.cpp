#include "compress/model/architecture.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace tqm::compress {
namespace {

constexpr std::array kArchitectures = {
    Architecture{Family::llama, "llama", "LlamaForCausalLM", "llama", true, 0, 0, 2048, 0, false, false, true, true,
                 false},
    Architecture{Family::mistral, "mistral", "MistralForCausalLM", "llama", true, 8, 0, 131072, 4096, false, false,
                 false, false, false},
    Architecture{Family::qwen2, "qwen2", "Qwen2ForCausalLM", "qwen2", false, 32, 0, 32768, 4096, true, true, false,
                 false, false},
    Architecture{Family::qwen3, "qwen3", "Qwen3ForCausalLM", "qwen3", false, 32, 128, 32768, 4096, true, false, true,
                 false, true},
};

// Reads keys of one JSON object; the first that is wrong is kept as the error.
class Keys {
 public:
  Keys(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  bool has(const char* key) const {
    const auto it = json_.find(key);
    return it != json_.end() && !it->is_null();
  }
  int64_t integer(const char* key, int64_t otherwise) {
    if (!has(key)) return otherwise;
    const Json& value = json_[key];
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT32_MAX) ||
        value.get<int64_t>() < 0 || value.get<int64_t>() > INT32_MAX)
      return wrong(key, "a whole number"), otherwise;
    return value.get<int64_t>();
  }
  int64_t required(const char* key) {
    if (!has(key)) missing(key);
    return integer(key, 0);
  }
  double number(const char* key, double otherwise) {
    if (!has(key)) return otherwise;
    if (!json_[key].is_number()) return wrong(key, "a number"), otherwise;
    return json_[key].get<double>();
  }
  double required_number(const char* key) {
    if (!has(key)) missing(key);
    return number(key, 1);
  }
  bool flag(const char* key, bool otherwise) {
    if (!has(key)) return otherwise;
    if (!json_[key].is_boolean()) return wrong(key, "true or false"), otherwise;
    return json_[key].get<bool>();
  }
  std::string text(const char* key, const std::string& otherwise) {
    if (!has(key)) return otherwise;
    if (!json_[key].is_string()) return wrong(key, "a string"), otherwise;
    return json_[key].get<std::string>();
  }
  void wrong(const char* key, const char* wanted) {
    fail(ErrorKind::bad_input, std::string("the key \"") + key + "\" is not " + wanted, "mend config.json");
  }
  void missing(const char* key) {
    fail(ErrorKind::bad_input, std::string("the key \"") + key + "\" is missing", "is config.json whole?");
  }
  void refuse(const std::string& what, const std::string& next) { fail(ErrorKind::unsupported, what, next); }
  void fail(ErrorKind kind, const std::string& what, const std::string& next) {
    if (status_) status_ = Error{kind, what, where_, next};
  }
  Status status() const { return status_; }

 private:
  const Json& json_;
  std::string where_;
  Status status_;
};

Status read_rope(const Json& json, const std::string& where, ModelConfig& config) {
  const bool new_form = json.contains("rope_parameters") && !json["rope_parameters"].is_null();
  Keys top(json, where);
  config.rope_theta = top.number("rope_theta", config.rope_theta);
  TRY(top.status());
  const char* key = new_form ? "rope_parameters" : "rope_scaling";
  if (!top.has(key)) return {};
  const Json& rope = json[key];
  if (!rope.is_object())
    return Error{ErrorKind::bad_input, std::string("\"") + key + "\" is not an object", where, "mend config.json"};
  Keys keys(rope, where);
  config.rope_theta = keys.number("rope_theta", config.rope_theta);
  if (keys.number("partial_rotary_factor", 1) != 1)
    keys.refuse("rope over a part of the head (\"partial_rotary_factor\") is not known", "choose another model");
  const std::string type = keys.text("rope_type", keys.text("type", "default"));
  if (type == "linear") {
    config.linear_rope_factor = keys.required_number("factor");
    if (!(config.linear_rope_factor >= 1)) keys.wrong("factor", "at least 1");
  } else if (type == "llama3") {
    Llama3Rope llama3;
    llama3.factor = keys.required_number("factor");
    llama3.low_freq_factor = keys.required_number("low_freq_factor");
    llama3.high_freq_factor = keys.required_number("high_freq_factor");
    llama3.original_max_position = keys.required("original_max_position_embeddings");
    if (!(llama3.factor >= 1)) keys.wrong("factor", "at least 1");
    if (!(llama3.high_freq_factor > llama3.low_freq_factor && llama3.low_freq_factor > 0))
      keys.wrong("high_freq_factor", "above low_freq_factor");
    if (llama3.original_max_position < 1) keys.wrong("original_max_position_embeddings", "at least 1");
    config.llama3_rope = llama3;
  } else if (type != "default") {
    keys.refuse("the rope scaling \"" + type + "\" is not known", "known are: default, linear, llama3");
  }
  return keys.status();
}

Status check_windows(const Json& json, const Architecture& row, const std::string& where, const ModelConfig& config) {
  Keys keys(json, where);
  const bool written = json.contains("sliding_window");
  const int64_t window = keys.integer("sliding_window", written ? 0 : row.default_sliding_window);
  const bool used =
      row.default_sliding_window > 0 && (!row.window_needs_flag || keys.flag("use_sliding_window", false));
  bool active = used && window > 0 && window < config.max_position;
  if (keys.has("layer_types") && json["layer_types"].is_array())
    for (const Json& type : json["layer_types"]) active = active || (type.is_string() && type != "full_attention");
  if (active)
    keys.refuse("an active sliding window (" + std::to_string(window) + " of " + std::to_string(config.max_position) +
                    " positions) is not known",
                "choose a model whose attention is full, or set max_position_embeddings to the window");
  return keys.status();
}

}  // namespace

const Architecture& architecture_of(Family family) {
  for (const Architecture& row : kArchitectures)
    if (row.family == family) return row;
  ASSERT(false);
}

std::string known_families() {
  return "llama (Llama 2 and 3, SmolLM2, TinyLlama), mistral, qwen2 (and 2.5), qwen3, without mixtures of experts";
}

Status check_config(const ModelConfig& config, const std::string& where) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::bad_input, what, where, "is the file whole?"};
  };
  struct Side {
    const char* name;
    int64_t value, most;
  };
  constexpr int64_t kWide = int64_t{1} << 24;
  for (const Side& side :
       {Side{"vocabulary", config.vocab, kWide}, Side{"hidden size", config.hidden, kWide},
        Side{"feed-forward size", config.intermediate, kWide}, Side{"number of blocks", config.layers, 4096},
        Side{"number of heads", config.heads, 65536}, Side{"number of key heads", config.kv_heads, 65536},
        Side{"head size", config.head_dim, 65536}, Side{"number of positions", config.max_position, INT32_MAX}})
    if (side.value < 1 || side.value > side.most)
      return wrong("the " + std::string(side.name) + " is " + std::to_string(side.value));
  if (config.heads % config.kv_heads != 0)
    return wrong(std::to_string(config.heads) + " heads can't share " + std::to_string(config.kv_heads) +
                 " key heads evenly");
  if (config.head_dim % 2 != 0) return wrong("the head size " + std::to_string(config.head_dim) + " is odd");
  if (!(config.rms_norm_eps >= 0 && config.rms_norm_eps < 1)) return wrong("the norm's epsilon is not between 0 and 1");
  if (!(config.rope_theta > 0) || std::isinf(config.rope_theta)) return wrong("the rope base is not above 0");
  return {};
}

Result<ModelConfig> config_from_huggingface(const Json& json, const std::string& where) {
  if (!json.is_object())
    return Error{ErrorKind::bad_input, "config.json is not an object", where, "is it the right file?"};
  Keys keys(json, where);
  const std::string type = keys.text("model_type", "");
  const Architecture* row = nullptr;
  for (const Architecture& candidate : kArchitectures)
    if (candidate.model_type == type) row = &candidate;
  if (keys.has("architectures") && json["architectures"].is_array() && row)
    for (const Json& name : json["architectures"])
      if (name.is_string() && name != row->class_name)
        keys.refuse("the architecture \"" + name.get<std::string>() + "\" is not known",
                    "known are: " + known_families());
  if (!row) keys.refuse("the architecture \"" + type + "\" is not known", "known are: " + known_families());
  TRY(keys.status());

  ModelConfig config;
  config.family = row->family;
  config.vocab = keys.required("vocab_size");
  config.hidden = keys.required("hidden_size");
  config.intermediate = keys.required("intermediate_size");
  config.layers = keys.required("num_hidden_layers");
  config.heads = keys.required("num_attention_heads");
  TRY(keys.status());
  config.kv_heads = keys.integer("num_key_value_heads", row->default_kv_heads ? row->default_kv_heads : config.heads);
  config.head_dim = keys.integer("head_dim", row->default_head_dim);
  if (config.head_dim == 0 && config.heads > 0) {
    if (config.hidden % config.heads != 0)
      return Error{ErrorKind::bad_input,
                   "the hidden size " + std::to_string(config.hidden) + " is not divisible by " +
                       std::to_string(config.heads) + " heads",
                   where, "give \"head_dim\" in config.json"};
    config.head_dim = config.hidden / config.heads;
  }
  config.max_position = keys.integer("max_position_embeddings", row->default_max_position);
  config.rms_norm_eps = keys.number("rms_norm_eps", 1e-6);
  config.tied_embeddings = keys.flag("tie_word_embeddings", false);
  const bool attention_bias = row->attention_bias && keys.flag("attention_bias", false);
  config.qkv_bias = row->qkv_bias || attention_bias;
  config.o_bias = attention_bias;
  config.mlp_bias = row->mlp_bias && keys.flag("mlp_bias", false);
  config.qk_norm = row->qk_norm;
  if (const std::string act = keys.text("hidden_act", "silu"); act != "silu")
    keys.refuse("the activation \"" + act + "\" is not known", "known is: silu");
  if (keys.number("partial_rotary_factor", 1) != 1)
    keys.refuse("rope over a part of the head (\"partial_rotary_factor\") is not known", "choose another model");
  TRY(keys.status());
  TRY(read_rope(json, where, config));
  TRY(check_config(config, where));
  TRY(check_windows(json, *row, where, config));
  return config;
}

Json config_to_huggingface(const ModelConfig& config) {
  const Architecture& row = architecture_of(config.family);
  Json json;
  json["architectures"] = Json::array({row.class_name});
  json["model_type"] = row.model_type;
  json["vocab_size"] = config.vocab;
  json["hidden_size"] = config.hidden;
  json["intermediate_size"] = config.intermediate;
  json["num_hidden_layers"] = config.layers;
  json["num_attention_heads"] = config.heads;
  json["num_key_value_heads"] = config.kv_heads;
  json["head_dim"] = config.head_dim;
  json["hidden_act"] = "silu";
  json["max_position_embeddings"] = config.max_position;
  json["rms_norm_eps"] = config.rms_norm_eps;
  json["rope_theta"] = config.rope_theta;
  json["rope_scaling"] = nullptr;
  if (config.linear_rope_factor != 1)
    json["rope_scaling"] = {{"rope_type", "linear"}, {"factor", config.linear_rope_factor}};
  if (config.llama3_rope)
    json["rope_scaling"] = {{"rope_type", "llama3"},
                            {"factor", config.llama3_rope->factor},
                            {"low_freq_factor", config.llama3_rope->low_freq_factor},
                            {"high_freq_factor", config.llama3_rope->high_freq_factor},
                            {"original_max_position_embeddings", config.llama3_rope->original_max_position}};
  if (row.attention_bias) json["attention_bias"] = config.o_bias;
  if (row.mlp_bias) json["mlp_bias"] = config.mlp_bias;
  if (row.default_sliding_window > 0) json["sliding_window"] = nullptr;
  if (row.window_needs_flag) json["use_sliding_window"] = false;
  json["tie_word_embeddings"] = config.tied_embeddings;
  json["torch_dtype"] = "bfloat16";
  json["use_cache"] = true;
  return json;
}

std::vector<TensorShape> expected_tensors(const ModelConfig& config) {
  const int64_t q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim;
  const int64_t hidden = config.hidden, wide = config.intermediate;
  std::vector<TensorShape> list;
  list.push_back({"model.embed_tokens.weight", {config.vocab, hidden}});
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string block = "model.layers." + std::to_string(layer) + ".";
    const auto add = [&](const char* name, std::vector<int64_t> shape) {
      list.push_back({block + name, std::move(shape)});
    };
    const auto linear = [&](const std::string& name, int64_t out, int64_t in, bool bias) {
      add((name + ".weight").c_str(), {out, in});
      if (bias) add((name + ".bias").c_str(), {out});
    };
    add("input_layernorm.weight", {hidden});
    linear("self_attn.q_proj", q, hidden, config.qkv_bias);
    linear("self_attn.k_proj", kv, hidden, config.qkv_bias);
    linear("self_attn.v_proj", kv, hidden, config.qkv_bias);
    if (config.qk_norm) {
      add("self_attn.q_norm.weight", {config.head_dim});
      add("self_attn.k_norm.weight", {config.head_dim});
    }
    linear("self_attn.o_proj", hidden, q, config.o_bias);
    add("post_attention_layernorm.weight", {hidden});
    linear("mlp.gate_proj", wide, hidden, config.mlp_bias);
    linear("mlp.up_proj", wide, hidden, config.mlp_bias);
    linear("mlp.down_proj", hidden, wide, config.mlp_bias);
  }
  list.push_back({"model.norm.weight", {hidden}});
  if (!config.tied_embeddings) list.push_back({"lm_head.weight", {config.vocab, hidden}});
  return list;
}

std::vector<float> llama3_frequency_factors(const ModelConfig& config, const Llama3Rope& rope) {
  std::vector<float> factors;
  const double original = static_cast<double>(rope.original_max_position);
  for (int64_t i = 0; i < config.head_dim / 2; ++i) {
    const double frequency =
        std::pow(config.rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(config.head_dim));
    const double wavelength = 2 * std::numbers::pi / frequency;
    double factor = 1;
    if (wavelength > original / rope.low_freq_factor) {
      factor = rope.factor;
    } else if (wavelength >= original / rope.high_freq_factor) {
      const double smooth =
          (original / wavelength - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
      factor = 1 / ((1 - smooth) / rope.factor + smooth);
    }
    factors.push_back(static_cast<float>(factor));
  }
  return factors;
}

}  // namespace tqm::compress
