// llama2.c's checkpoint, version 0: seven int32 (dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size,
// max_seq_len), then every weight in f32, kind by kind, each for all blocks (its export.py, legacy_export). A negative
// vocabulary says that the head is not tied.
#include <array>
#include <cmath>
#include <cstring>

#include "compress/model/architecture.hpp"
#include "compress/model/open_forms.hpp"
#include "compress/model/tensor_table.hpp"

namespace tqm::compress {
namespace {

using tensor::DType;
using tensor::HostTensor;

constexpr size_t kHeaderBytes = 7 * sizeof(int32_t);

struct Layout {
  ModelConfig config;
  struct Part {
    std::string name;
    std::vector<int64_t> shape;
    uint64_t offset = 0, size = 0;
    int64_t heads_in_pairs = 0;
  };
  std::vector<Part> parts;
  uint64_t file_size = 0;
};

Result<Layout> layout_of(const MappedFile& file) {
  const std::string where = file.path().string();
  std::array<int32_t, 7> header{};
  if (file.bytes().size() < kHeaderBytes)
    return Error{ErrorKind::bad_input, "the file is too short for a llama2.c header", where, "is it the right file?"};
  std::memcpy(header.data(), file.bytes().data(), kHeaderBytes);
  Layout layout;
  ModelConfig& config = layout.config;
  config.hidden = header[0];
  config.intermediate = header[1];
  config.layers = header[2];
  config.heads = header[3];
  config.kv_heads = header[4];
  config.vocab = std::abs(static_cast<int64_t>(header[5]));
  config.tied_embeddings = header[5] > 0;
  config.max_position = header[6];
  if (config.heads > 0 && config.hidden % config.heads == 0) config.head_dim = config.hidden / config.heads;
  TRY(check_config(config, where));

  uint64_t at = kHeaderBytes;
  const auto add = [&](std::string name, std::vector<int64_t> shape, int64_t heads) {
    const uint64_t size = static_cast<uint64_t>(tensor::element_count(shape)) * sizeof(float);
    layout.parts.push_back({std::move(name), std::move(shape), at, size, heads});
    at += size;
  };
  const auto add_blocks = [&](const char* name, const std::vector<int64_t>& shape, int64_t heads = 0) {
    for (int64_t layer = 0; layer < config.layers; ++layer)
      add("model.layers." + std::to_string(layer) + "." + name + ".weight", shape, heads);
  };
  const int64_t hidden = config.hidden, kv = config.kv_heads * config.head_dim, wide = config.intermediate;
  add("model.embed_tokens.weight", {config.vocab, hidden}, 0);
  add_blocks("input_layernorm", {hidden});
  add_blocks("self_attn.q_proj", {hidden, hidden}, config.heads);
  add_blocks("self_attn.k_proj", {kv, hidden}, config.kv_heads);
  add_blocks("self_attn.v_proj", {kv, hidden});
  add_blocks("self_attn.o_proj", {hidden, hidden});
  add_blocks("post_attention_layernorm", {hidden});
  add_blocks("mlp.gate_proj", {wide, hidden});
  add_blocks("mlp.down_proj", {hidden, wide});
  add_blocks("mlp.up_proj", {wide, hidden});
  add("model.norm.weight", {hidden}, 0);
  at += static_cast<uint64_t>(config.max_position * config.head_dim) * sizeof(float);  // cosines and sines, made anew
  if (!config.tied_embeddings) add("lm_head.weight", {config.vocab, hidden}, 0);
  layout.file_size = at;
  return layout;
}

Result<Weight> load_part(const MappedFile& file, const Layout::Part& part, int64_t head_dim) {
  HostTensor view;
  view.dtype = DType::f32;
  view.shape = part.shape;
  view.bytes = file.bytes().subspan(part.offset, part.size);
  view.keeper = std::make_shared<const MappedFile>(file);
  if (part.heads_in_pairs == 0) return Weight(std::move(view));
  std::byte* data = nullptr;
  HostTensor moved = HostTensor::zeros(DType::f32, part.shape, &data);
  to_rotate_half(view.bytes.data(), data, part.heads_in_pairs, head_dim,
                 view.bytes.size() / static_cast<size_t>(part.heads_in_pairs * head_dim));
  return Weight(std::move(moved));
}

}  // namespace

bool looks_like_llama2c(const MappedFile& file) {
  return layout_of(file).ok();
}

Result<Model> open_llama2c(const MappedFile& file, const OpenOptions& options) {
  const Layout layout = TRY(layout_of(file));
  const std::string where = file.path().string();
  if (layout.file_size != file.bytes().size())
    return Error{ErrorKind::bad_input,
                 "a llama2.c file with this header has " + std::to_string(layout.file_size) + " bytes, this one " +
                     std::to_string(file.bytes().size()),
                 where, "is the file whole?"};
  Model model;
  model.path = file.path();
  model.form = "llama2.c";
  model.config = layout.config;
  std::vector<TensorTable::Entry> entries;
  for (const Layout::Part& part : layout.parts) {
    TensorTable::Entry entry;
    entry.info = {part.name, part.shape, "F32", part.size};
    entry.load = [file, part, head_dim = layout.config.head_dim] { return load_part(file, part, head_dim); };
    entry.release = [file, offset = part.offset, size = part.size] { file.release(offset, size); };
    model.stored_bytes += part.size;
    entries.push_back(std::move(entry));
  }
  model.weights = TRY(TensorTable::make(model.config, std::move(entries), where));
  model.huggingface_config = config_to_huggingface(model.config);
  model.name = file.path().stem().string();
  if (options.tokenizer.empty() && !options.need_tokenizer) return model;
  if (options.tokenizer.empty())
    return Error{ErrorKind::usage, "a llama2.c file holds no tokenizer", where,
                 "name its tokenizer's file with --tokenizer FILE"};
  model.tokenizer = TRY(tokenizer_from_llama2c(options.tokenizer, static_cast<int32_t>(model.config.vocab)));
  // sentencepiece's own numbers, which llama2.c takes for granted.
  model.huggingface_config["bos_token_id"] = model.generation_config["bos_token_id"] = 1;
  model.huggingface_config["eos_token_id"] = model.generation_config["eos_token_id"] = 2;
  return model;
}

}  // namespace tqm::compress
