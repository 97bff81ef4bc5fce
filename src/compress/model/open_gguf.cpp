#include <algorithm>
#include <charconv>
#include <cmath>

#include "compress/model/architecture.hpp"
#include "compress/model/open_forms.hpp"
#include "compress/model/tensor_table.hpp"

namespace tqm::compress {
namespace {

using tensor::DType;
using tensor::HostTensor;

Error refused(std::string what, const std::string& where, std::string next) {
  return Error{ErrorKind::unsupported, std::move(what), where, std::move(next)};
}

// Numbers of one architecture, "llama.block_count" and so on.
struct Numbers {
  const GgufFile& file;
  std::string prefix;

  Result<int64_t> required(const std::string& key) const {
    const auto value = TRY(file.integer(prefix + key));
    if (!value)
      return Error{ErrorKind::bad_input, "the key \"" + prefix + key + "\" is missing", file.where,
                   "is the file whole?"};
    return *value;
  }
  Result<int64_t> integer(const std::string& key, int64_t otherwise) const {
    return TRY(file.integer(prefix + key)).value_or(otherwise);
  }
  // A float's shortest decimal, as a double: 1e-5 again, not 9.99999974e-06.
  Result<double> number(const std::string& key, double otherwise) const {
    const double value = TRY(file.number(prefix + key)).value_or(otherwise);
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), static_cast<float>(value)).ptr;
    double decimal = value;
    std::from_chars(text, end, decimal);
    return decimal;
  }
};

Result<const Architecture*> architecture_in(const GgufFile& file) {
  const std::string name = TRY(file.text("general.architecture")).value_or("");
  for (Family family : {Family::llama, Family::qwen2, Family::qwen3})
    if (architecture_of(family).gguf_name == name) return &architecture_of(family);
  return refused("the architecture \"" + name + "\" is not known", file.where, "known are: " + known_families());
}

// Llama 3's scaling stands in GGUF as bare divisors. The parameters that give them, where they are Meta's (low 1, high
// 4; factors and lengths of Llama 3.1 to 3.3), so that the other forms can say it too.
std::optional<Llama3Rope> llama3_from_factors(const ModelConfig& config, const std::vector<float>& factors) {
  float largest = 1;
  for (float factor : factors) largest = std::max(largest, factor);
  for (int64_t original = 256; original <= 131072; original *= 2) {
    const Llama3Rope rope{largest, 1, 4, original};
    const std::vector<float> made = llama3_frequency_factors(config, rope);
    bool same = made.size() == factors.size() && largest > 1;
    for (size_t i = 0; same && i < made.size(); ++i) same = std::fabs(made[i] - factors[i]) <= 1e-4f * made[i];
    if (same) return rope;
  }
  return std::nullopt;
}

Result<std::vector<std::string>> strings(const GgufFile& file, const std::string& key) {
  const auto it = file.keys.find(key);
  if (it == file.keys.end()) return std::vector<std::string>();
  if (const auto* values = std::get_if<std::vector<std::string>>(&it->second)) return *values;
  return Error{ErrorKind::bad_input, "the key \"" + key + "\" is not a list of strings", file.where,
               "is the file whole?"};
}

Result<int32_t> token_id(const GgufFile& file, const std::string& key, int32_t otherwise, size_t count) {
  const int64_t id = TRY(file.integer("tokenizer.ggml." + key)).value_or(otherwise);
  // 2^32 − 1 stands for none in old files.
  if (id < 0 || id == UINT32_MAX) return -1;
  if (id >= static_cast<int64_t>(count))
    return Error{ErrorKind::bad_input,
                 "the key \"tokenizer.ggml." + key + "\" is " + std::to_string(id) + ", but there are " +
                     std::to_string(count) + " tokens",
                 file.where, "is the file whole?"};
  return static_cast<int32_t>(id);
}

struct Span {
  MappedFile file;
  GgufTensor tensor;
  std::span<const std::byte> bytes() const { return file.bytes().subspan(tensor.offset, tensor.size); }
};

// Plain types stay as they are, a view of the file where its rows need no moving; quantised ones become f32.
Result<Weight> load_span(const Span& span, int64_t heads_in_pairs, int64_t head_dim) {
  const GgmlType& type = *span.tensor.type;
  const bool plain_type = type.block_values == 1;
  HostTensor loaded;
  std::byte* data = nullptr;
  if (plain_type) {
    loaded.dtype = type.id == ggml::kF32 ? DType::f32 : type.id == ggml::kF16 ? DType::f16 : DType::bf16;
    loaded.shape = span.tensor.shape;
    loaded.bytes = span.bytes();
    loaded.keeper = std::make_shared<const MappedFile>(span.file);
  } else {
    loaded = HostTensor::zeros(DType::f32, span.tensor.shape, &data);
    type.decode(span.bytes().data(), loaded.count() / type.block_values, reinterpret_cast<float*>(data));
  }
  if (heads_in_pairs == 0) return Weight(std::move(loaded));
  HostTensor moved = HostTensor::zeros(loaded.dtype, loaded.shape, &data);
  to_rotate_half(loaded.bytes.data(), data, heads_in_pairs, head_dim,
                 loaded.bytes.size() / static_cast<size_t>(heads_in_pairs * head_dim));
  return Weight(std::move(moved));
}

template <class Value>
void rows_to_rotate_half(std::vector<Value>& values, int64_t rows, int64_t heads, int64_t head_dim) {
  std::vector<Value> moved(values.size());
  to_rotate_half(reinterpret_cast<const std::byte*>(values.data()), reinterpret_cast<std::byte*>(moved.data()), heads,
                 head_dim, values.size() / static_cast<size_t>(rows) * sizeof(Value));
  values = std::move(moved);
}

bool has_plain_blocks(const GgufTensor& tensor) {
  const uint32_t id = tensor.type->id;
  return tensor.shape.size() == 2 && (id == ggml::kQ8_0 || id == ggml::kQ4_0 || id == ggml::kQ4_1);
}

// Q8_0, Q4_0 and Q4_1 as they stand there.
BlockWeight load_blocks(const Span& span, int64_t heads_in_pairs, int64_t head_dim) {
  const GgmlType& type = *span.tensor.type;
  BlockWeight loaded;
  QuantTensor& codes = loaded.codes;
  codes.spec = {.bits = type.id == ggml::kQ8_0 ? 8 : 4, .group = 32};
  codes.rows = span.tensor.shape[0];
  codes.columns = span.tensor.shape[1];
  const auto blocks = static_cast<size_t>(codes.rows * codes.groups());
  codes.codes.resize(blocks * 32);
  codes.scales.resize(blocks);
  if (type.id == ggml::kQ4_1) loaded.minimums.resize(blocks);
  const std::byte* from = span.bytes().data();
  for (size_t block = 0; block < blocks; ++block, from += type.block_bytes) {
    int8_t* to = codes.codes.data() + block * 32;
    uint8_t nibbles[32];
    if (type.id == ggml::kQ8_0) {
      unpack_q8_0(from, &codes.scales[block], to);
      continue;
    }
    if (type.id == ggml::kQ4_0)
      unpack_q4_0(from, &codes.scales[block], nibbles);
    else
      unpack_q4_1(from, &codes.scales[block], &loaded.minimums[block], nibbles);
    for (int i = 0; i < 32; ++i) to[i] = static_cast<int8_t>(nibbles[i] - 8);
  }
  if (heads_in_pairs == 0) return loaded;
  rows_to_rotate_half(codes.codes, codes.rows, heads_in_pairs, head_dim);
  rows_to_rotate_half(codes.scales, codes.rows, heads_in_pairs, head_dim);
  if (!loaded.minimums.empty()) rows_to_rotate_half(loaded.minimums, codes.rows, heads_in_pairs, head_dim);
  return loaded;
}

}  // namespace

Result<ModelConfig> config_from_gguf(const GgufFile& file) {
  const Architecture* row = TRY(architecture_in(file));
  const Numbers numbers{file, std::string(row->gguf_name) + "."};
  ModelConfig config;
  config.family = row->family;
  config.max_position = TRY(numbers.required("context_length"));
  config.hidden = TRY(numbers.required("embedding_length"));
  config.layers = TRY(numbers.required("block_count"));
  config.intermediate = TRY(numbers.required("feed_forward_length"));
  config.heads = TRY(numbers.required("attention.head_count"));
  config.kv_heads = TRY(numbers.integer("attention.head_count_kv", config.heads));
  if (config.heads < 1)
    return Error{ErrorKind::bad_input, "the number of heads is " + std::to_string(config.heads), file.where,
                 "is the file whole?"};
  config.head_dim = TRY(numbers.integer("attention.key_length", config.hidden / config.heads));
  config.rms_norm_eps = TRY(numbers.number("attention.layer_norm_rms_epsilon", 1e-5));
  config.rope_theta = TRY(numbers.number("rope.freq_base", 10000));
  if (TRY(numbers.integer("expert_count", 0)) > 0)
    return refused("a mixture of experts (" + numbers.prefix + "expert_count) is not known", file.where,
                   "known are: " + known_families());
  if (const int64_t value = TRY(numbers.integer("attention.value_length", config.head_dim)); value != config.head_dim)
    return refused("heads whose values are " + std::to_string(value) + " wide and keys " +
                       std::to_string(config.head_dim) + " are not known",
                   file.where, "known are: " + known_families());
  if (const int64_t turned = TRY(numbers.integer("rope.dimension_count", config.head_dim)); turned != config.head_dim)
    return refused("rope over a part of the head (" + std::to_string(turned) + " of " +
                       std::to_string(config.head_dim) + ") is not known",
                   file.where, "choose another model");
  if (const int64_t window = TRY(numbers.integer("attention.sliding_window", 0));
      window > 0 && window < config.max_position)
    return refused("an active sliding window (" + std::to_string(window) + " of " +
                       std::to_string(config.max_position) + " positions) is not known",
                   file.where, "choose a model whose attention is full");
  const std::string scaling = TRY(file.text(numbers.prefix + "rope.scaling.type")).value_or("none");
  if (scaling == "linear")
    config.linear_rope_factor = TRY(numbers.number("rope.scaling.factor", 1));
  else if (scaling != "none")
    return refused("the rope scaling \"" + scaling + "\" is not known", file.where, "known are: none, linear, llama3");
  else if (file.has(numbers.prefix + "rope.scale_linear"))
    config.linear_rope_factor = TRY(numbers.number("rope.scale_linear", 1));
  if (!(config.linear_rope_factor >= 1))
    return Error{ErrorKind::bad_input, "the rope factor is below 1", file.where, "is the file whole?"};

  config.tied_embeddings = true;
  config.qk_norm = row->qk_norm;
  for (const GgufTensor& tensor : file.tensors) {
    if (tensor.name == "output.weight") config.tied_embeddings = false;
    if (tensor.name == "token_embd.weight") config.vocab = tensor.shape.front();
    if (tensor.name == "blk.0.attn_q.bias") config.qkv_bias = true;
    if (tensor.name == "blk.0.attn_output.bias") config.o_bias = true;
    if (tensor.name == "blk.0.ffn_gate.bias") config.mlp_bias = true;
  }
  if (config.vocab == 0)
    return Error{ErrorKind::bad_input, "a tensor is missing: \"token_embd.weight\"", file.where,
                 "is it a model, or only a vocabulary?"};
  TRY(check_config(config, file.where));
  return config;
}

Result<GgufVocabulary> vocabulary_from_gguf(const GgufFile& file) {
  GgufVocabulary vocabulary;
  const std::string prefix = "tokenizer.ggml.";
  vocabulary.model = TRY(file.text(prefix + "model")).value_or("");
  vocabulary.pre = TRY(file.text(prefix + "pre")).value_or("");
  vocabulary.tokens = TRY(strings(file, prefix + "tokens"));
  vocabulary.merges = TRY(strings(file, prefix + "merges"));
  const size_t count = vocabulary.tokens.size();
  if (vocabulary.model.empty() || count == 0)
    return Error{ErrorKind::bad_input, "the GGUF file holds no tokenizer", file.where, "take a file with one inside"};
  if (const auto it = file.keys.find(prefix + "scores"); it != file.keys.end())
    if (const auto* scores = std::get_if<std::vector<double>>(&it->second))
      for (double score : *scores) vocabulary.scores.push_back(static_cast<float>(score));
  if (const auto it = file.keys.find(prefix + "token_type"); it != file.keys.end())
    if (const auto* types = std::get_if<std::vector<int64_t>>(&it->second))
      for (int64_t type : *types)
        vocabulary.token_types.push_back(type >= 0 && type <= 6 ? static_cast<int32_t>(type) : 0);
  if ((!vocabulary.scores.empty() && vocabulary.scores.size() != count) ||
      (!vocabulary.token_types.empty() && vocabulary.token_types.size() != count))
    return Error{ErrorKind::bad_input, "the tokenizer's lists differ in length", file.where, "is the file whole?"};
  // What llama.cpp assumes where a key is absent (src/llama-vocab.cpp).
  const bool sentencepiece = vocabulary.model == "llama";
  vocabulary.bos = TRY(token_id(file, "bos_token_id", sentencepiece ? 1 : -1, count));
  vocabulary.eos = TRY(token_id(file, "eos_token_id", sentencepiece ? 2 : -1, count));
  vocabulary.unknown = TRY(token_id(file, "unknown_token_id", sentencepiece ? 0 : -1, count));
  vocabulary.padding = TRY(token_id(file, "padding_token_id", -1, count));
  const bool llama3 = vocabulary.pre == "llama3" || vocabulary.pre == "llama-v3" || vocabulary.pre == "llama-bpe";
  vocabulary.add_bos = TRY(file.flag(prefix + "add_bos_token")).value_or(sentencepiece || llama3);
  vocabulary.add_eos = TRY(file.flag(prefix + "add_eos_token")).value_or(false);
  vocabulary.add_space_prefix = TRY(file.flag(prefix + "add_space_prefix")).value_or(sentencepiece);
  return vocabulary;
}

Result<Model> open_gguf(const MappedFile& mapped, const OpenOptions& options) {
  const std::string where = mapped.path().string();
  const GgufFile file = TRY(parse_gguf(mapped.bytes(), where));
  Model model;
  model.path = mapped.path();
  model.form = "gguf";
  model.config = TRY(config_from_gguf(file));
  ModelConfig& config = model.config;
  const bool pairs = architecture_of(config.family).gguf_permutes;

  std::vector<TensorTable::Entry> entries;
  for (const GgufTensor& tensor : file.tensors) {
    if (tensor.name == "rope_freqs.weight") {
      const Weight loaded = TRY(load_span({mapped, tensor}, 0, 0));
      std::vector<float> factors = plain(loaded).floats();
      bool usable = static_cast<int64_t>(factors.size()) == config.head_dim / 2;
      for (float factor : factors) usable = usable && std::isfinite(factor) && factor > 0;
      if (!usable)
        return Error{ErrorKind::bad_input, "the tensor \"rope_freqs.weight\" does not hold head size / 2 divisors",
                     where, "is the file whole?"};
      config.llama3_rope = llama3_from_factors(config, factors);
      if (!config.llama3_rope) config.rope_frequency_factors = std::move(factors);
      continue;
    }
    std::string name = canonical_name(tensor.name);
    const bool is_q = name.find(".q_proj.") != std::string::npos, is_k = name.find(".k_proj.") != std::string::npos;
    const int64_t heads = !pairs ? 0 : is_q ? config.heads : is_k ? config.kv_heads : 0;
    TensorTable::Entry entry;
    entry.info = {name.empty() ? tensor.name : name, tensor.shape, std::string(tensor.type->name), tensor.size};
    const Span span{mapped, tensor};
    entry.load = [span, heads, head_dim = config.head_dim] { return load_span(span, heads, head_dim); };
    if (has_plain_blocks(tensor))
      entry.load_blocks = [span, heads, head_dim = config.head_dim] { return load_blocks(span, heads, head_dim); };
    entry.release = [span] { span.file.release(span.tensor.offset, span.tensor.size); };
    model.stored_bytes += tensor.size;
    entries.push_back(std::move(entry));
  }
  model.weights = TRY(TensorTable::make(config, std::move(entries), where));
  model.chat_template = TRY(file.text("tokenizer.chat_template")).value_or("");
  model.name = TRY(file.text("general.name")).value_or("");
  model.license = TRY(file.text("general.license")).value_or("");
  model.huggingface_config = config_to_huggingface(config);
  if (!options.need_tokenizer) return model;

  GgufVocabulary vocabulary = TRY(vocabulary_from_gguf(file));
  if (static_cast<int64_t>(vocabulary.tokens.size()) > config.vocab)
    return Error{ErrorKind::bad_input,
                 "the tokenizer has " + std::to_string(vocabulary.tokens.size()) + " tokens, but the embedding only " +
                     std::to_string(config.vocab) + " rows",
                 where, "is the file whole?"};
  Json& generation = model.generation_config;
  for (const auto& [key, id] : {std::pair{"bos_token_id", vocabulary.bos}, std::pair{"eos_token_id", vocabulary.eos},
                                std::pair{"pad_token_id", vocabulary.padding}})
    if (id >= 0) model.huggingface_config[key] = generation[key] = id;
  model.tokenizer = TRY(tokenizer_from_gguf(std::move(vocabulary), where));
  return model;
}

}  // namespace tqm::compress
