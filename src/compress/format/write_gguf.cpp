#include "compress/format/write_gguf.hpp"

#include <algorithm>
#include <cstring>

#include "base/file.hpp"
#include "compress/format/gguf_writer.hpp"
#include "compress/format/huggingface_folder.hpp"
#include "compress/format/layer_codec.hpp"
#include "compress/model/architecture.hpp"
#include "compress/model/open_forms.hpp"
#include "compress/model/tensor_table.hpp"

namespace tqm::compress {
namespace {

using tensor::DType;
using tensor::HostTensor;

Error refused(std::string what, std::string next) {
  return Error{ErrorKind::unsupported, std::move(what), "", std::move(next)};
}

// Linear layers as the plan says, or F16; embedding and head Q8_0 beside quantised layers, else F16; norms and biases
// F32.
const GgmlType& type_for(const TensorShape& tensor, const WritePlan& plan) {
  if (const auto spec = plan.quantised.find(tensor.name); spec != plan.quantised.end())
    return *ggml_type_for(spec->second);
  if (tensor.shape.size() < 2) return *find_ggml_type(ggml::kF32);
  const bool outer = tensor.name == "model.embed_tokens.weight" || tensor.name == "lm_head.weight";
  const bool eight_bits = outer && !plan.quantised.empty() && tensor.shape[1] % 32 == 0;
  return *find_ggml_type(eight_bits ? ggml::kQ8_0 : ggml::kF16);
}

uint64_t bytes_of(const TensorShape& tensor, const GgmlType& type) {
  return static_cast<uint64_t>(tensor::element_count(tensor.shape) / type.block_values) * type.block_bytes;
}

uint64_t gguf_bytes(const ModelConfig& config, const WritePlan& plan) {
  uint64_t bytes = 0;
  for (const TensorShape& tensor : expected_tensors(config)) bytes += bytes_of(tensor, type_for(tensor, plan));
  return bytes;
}

Status gguf_can_hold(const ModelConfig& config, const WritePlan& plan) {
  for (const auto& [name, spec] : plan.quantised) {
    if (spec.quantize_activations)
      return refused("GGUF can't hold W8A8: it has no place for quantised activations",
                     "write the form compressed-tensors");
    if (!ggml_type_for(spec))
      return refused("GGUF can't hold " + format_name(spec) + (spec.symmetric ? "" : " with zero points") +
                         ": its blocks of 32 have 4 bits (with or without zero points) or 8 (without)",
                     "write the form compressed-tensors");
    const int64_t columns = shape_of(config, name)[1];
    if (spec.group ? columns % spec.group != 0 : columns % 32 != 0)
      return refused("the group " + std::to_string(spec.group ? spec.group : 32) + " does not divide the " +
                         std::to_string(columns) + " columns of \"" + name + "\"",
                     "groups that do: " + groups_that_divide(config, plan));
    if (spec.group % 32 != 0)
      return refused("GGUF's blocks have 32 values, and the group is " + std::to_string(spec.group),
                     "choose a group that 32 divides");
  }
  const bool llama = architecture_of(config.family).gguf_permutes;
  if ((config.llama3_rope || !config.rope_frequency_factors.empty()) && !llama)
    return refused("llama.cpp knows rope divisors only in the llama family",
                   "write the form compressed-tensors or safetensors");
  if (config.family == Family::qwen3 && config.qkv_bias)
    return refused("llama.cpp's qwen3 has no biases", "write the form compressed-tensors or safetensors");
  return {};
}

// ggml's llama_ftype, by the linear layers: the most frequent type names the file.
uint32_t file_type(const WritePlan& plan) {
  std::map<uint32_t, size_t> counts;
  for (const auto& [name, spec] : plan.quantised) ++counts[ggml_type_for(spec)->id];
  if (counts.empty()) return 1;
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first == ggml::kQ8_0 ? 7 : most->first;  // Q4_0 is 2 and Q4_1 is 3 in both enumerations
}

void add_model_keys(GgufWriter& writer, const Model& model, const WritePlan& plan) {
  const ModelConfig& config = model.config;
  const std::string arch(architecture_of(config.family).gguf_name), prefix = arch + ".";
  const auto number = [&](const char* key, int64_t value) { writer.key(prefix + key, static_cast<uint32_t>(value)); };
  writer.key("general.architecture", arch);
  writer.key("general.type", "model");
  if (!model.name.empty()) writer.key("general.name", model.name);
  if (!model.license.empty()) writer.key("general.license", model.license);
  writer.key("general.file_type", file_type(plan));
  if (!plan.quantised.empty()) writer.key("general.quantization_version", uint32_t{2});
  number("context_length", config.max_position);
  number("embedding_length", config.hidden);
  number("block_count", config.layers);
  number("feed_forward_length", config.intermediate);
  number("vocab_size", config.vocab);
  number("attention.head_count", config.heads);
  number("attention.head_count_kv", config.kv_heads);
  number("attention.key_length", config.head_dim);
  number("attention.value_length", config.head_dim);
  writer.key(prefix + "attention.layer_norm_rms_epsilon", static_cast<float>(config.rms_norm_eps));
  number("rope.dimension_count", config.head_dim);
  writer.key(prefix + "rope.freq_base", static_cast<float>(config.rope_theta));
  if (config.linear_rope_factor != 1) {
    writer.key(prefix + "rope.scaling.type", "linear");
    writer.key(prefix + "rope.scaling.factor", static_cast<float>(config.linear_rope_factor));
  }
}

// The list of tokens is as long as the embedding: models round that up, and llama.cpp wants both equal.
Result<GgufVocabulary> vocabulary_for(const Model& model) {
  GgufVocabulary vocabulary = TRY(model.tokenizer->to_gguf());
  const auto rows = static_cast<size_t>(model.config.vocab);
  if (vocabulary.tokens.size() > rows)
    return Error{ErrorKind::bad_input,
                 "the tokenizer has " + std::to_string(vocabulary.tokens.size()) + " tokens, but the embedding only " +
                     std::to_string(rows) + " rows",
                 model.path.string(), "do tokenizer and weights belong together?"};
  vocabulary.token_types.resize(vocabulary.tokens.size(), 1);
  while (vocabulary.tokens.size() < rows) {
    vocabulary.tokens.push_back("[PAD" + std::to_string(vocabulary.tokens.size()) + "]");
    vocabulary.token_types.push_back(5);  // unused
    if (!vocabulary.scores.empty()) vocabulary.scores.push_back(-10000);
  }
  return vocabulary;
}

Status gguf_can_hold_tokenizer(const Model& model) {
  if (!model.tokenizer) return {};
  GgufVocabulary vocabulary = TRY(vocabulary_for(model));
  const auto read_again = tokenizer_from_gguf(std::move(vocabulary), model.path.string());
  if (read_again) return {};
  return Error{ErrorKind::unsupported, "this tokenizer has no equal in GGUF: " + read_again.error().what,
               read_again.error().where, "write the form compressed-tensors or safetensors"};
}

Status add_tokenizer_keys(GgufWriter& writer, const Model& model) {
  const std::string prefix = "tokenizer.ggml.";
  if (!model.tokenizer) {
    writer.key(prefix + "model", "no_vocab");
    return {};
  }
  const GgufVocabulary vocabulary = TRY(vocabulary_for(model));
  writer.key(prefix + "model", vocabulary.model);
  if (!vocabulary.pre.empty()) writer.key(prefix + "pre", vocabulary.pre);
  writer.key(prefix + "tokens", vocabulary.tokens);
  if (!vocabulary.scores.empty()) writer.key(prefix + "scores", vocabulary.scores);
  writer.key(prefix + "token_type", vocabulary.token_types);
  if (!vocabulary.merges.empty()) writer.key(prefix + "merges", vocabulary.merges);
  for (const auto& [key, id] :
       {std::pair{"bos_token_id", vocabulary.bos}, std::pair{"eos_token_id", vocabulary.eos},
        std::pair{"unknown_token_id", vocabulary.unknown}, std::pair{"padding_token_id", vocabulary.padding}})
    if (id >= 0) writer.key(prefix + key, static_cast<uint32_t>(id));
  writer.key(prefix + "add_bos_token", vocabulary.add_bos);
  writer.key(prefix + "add_eos_token", vocabulary.add_eos);
  writer.key(prefix + "add_space_prefix", vocabulary.add_space_prefix);
  if (!model.chat_template.empty()) writer.key("tokenizer.chat_template", model.chat_template);
  return {};
}

// How many heads a tensor's rows form that must go into pair order; 0: none.
int64_t heads_in_pairs(const ModelConfig& config, const std::string& name) {
  if (!architecture_of(config.family).gguf_permutes) return 0;
  if (name.find(".q_proj.") != std::string::npos) return config.heads;
  if (name.find(".k_proj.") != std::string::npos) return config.kv_heads;
  return 0;
}

std::vector<std::byte> encode_plain(const HostTensor& tensor, const GgmlType& type) {
  const std::vector<float> values = tensor.floats();
  std::vector<std::byte> bytes(values.size() / static_cast<size_t>(type.block_values) * type.block_bytes);
  if (type.id == ggml::kQ8_0) {
    for (size_t block = 0; block < values.size() / 32; ++block)
      round_to_q8_0(values.data() + block * 32, bytes.data() + block * 34);
  } else {
    tensor::from_float(type.id == ggml::kF32 ? DType::f32 : DType::f16, values.data(), values.size(), bytes.data());
  }
  return bytes;
}

bool fits_half_range(const HostTensor& tensor, float most) {
  const std::vector<float> values = tensor.floats();
  return std::all_of(values.begin(), values.end(), [&](float value) { return value <= most && value >= -most; });
}

Result<std::vector<std::byte>> encode(const WriteJob& job, const TensorShape& wanted, const GgmlType& type) {
  const Weight weight = TRY(job.supply(wanted.name));
  std::vector<std::byte> bytes;
  if (const auto spec = job.plan.quantised.find(wanted.name); spec != job.plan.quantised.end()) {
    const auto* layer = std::get_if<QuantTensor>(&weight);
    ASSERT(layer && layer->spec == spec->second && layer->rows == wanted.shape[0] && layer->columns == wanted.shape[1]);
    bytes = TRY(encode_blocks(*layer));
  } else {
    const HostTensor tensor = plain(weight);
    ASSERT(tensor.shape == wanted.shape);
    // The largest value that float16 rounds to a finite one; Q8_0's scale is a 127th.
    const float most = type.id == ggml::kF16 ? 65519.0f : 65504.0f * 127;
    if (type.id != ggml::kF32 && !fits_half_range(tensor, most))
      return refused("the tensor \"" + wanted.name + "\" holds values beyond float16's range",
                     "write the form compressed-tensors or safetensors");
    bytes = encode_plain(tensor, type);
  }
  const int64_t heads = heads_in_pairs(job.model.config, wanted.name);
  if (heads == 0) return bytes;
  std::vector<std::byte> moved(bytes.size());
  to_pair_order(bytes.data(), moved.data(), heads, job.model.config.head_dim,
                bytes.size() / static_cast<size_t>(wanted.shape[0]));
  return moved;
}

Status write_gguf(const WriteJob& job) {
  const ModelConfig& config = job.model.config;
  GgufWriter writer;
  add_model_keys(writer, job.model, job.plan);
  TRY(add_tokenizer_keys(writer, job.model));
  std::vector<float> factors = config.rope_frequency_factors;
  if (config.llama3_rope) factors = llama3_frequency_factors(config, *config.llama3_rope);
  const std::vector<TensorShape> tensors = expected_tensors(config);
  if (!factors.empty())
    writer.tensor("rope_freqs.weight", {static_cast<int64_t>(factors.size())}, *find_ggml_type(ggml::kF32));
  for (const TensorShape& tensor : tensors)
    writer.tensor(gguf_name(tensor.name), tensor.shape, type_for(tensor, job.plan));
  TRY(writer.open(job.folder / "model.gguf"));
  if (!factors.empty()) TRY(writer.append(std::as_bytes(std::span(factors))));
  const uint64_t total = gguf_bytes(config, job.plan);
  uint64_t done = 0;
  for (const TensorShape& tensor : tensors) {
    const std::vector<std::byte> bytes = TRY(encode(job, tensor, type_for(tensor, job.plan)));
    TRY(writer.append(bytes));
    done += bytes.size();
    if (job.progress) TRY(job.progress(done, total));
  }
  TRY(writer.finish());
  return write_card(job, "gguf");
}

std::vector<std::string> gguf_engines(const WritePlan&) {
  return {"llama.cpp", "Ollama", "LM Studio", "vLLM (experimental)"};
}

}  // namespace

const FileForm kGguf = {"gguf", gguf_can_hold, gguf_can_hold_tokenizer, gguf_bytes, write_gguf, gguf_engines};

}  // namespace tqm::compress
