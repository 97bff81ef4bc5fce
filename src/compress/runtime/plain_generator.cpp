#include "compress/runtime/plain_generator.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/linear.h>
#include <algorithm>

#include "compress/model/rope.hpp"
#include "compress/runtime/plain_block.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {

struct PlainGenerator::Parts {
  ModelConfig config;
  std::string where;
  c10::Device device;
  std::vector<DecoderBlock> blocks;
  std::vector<KeyValueCache> caches;
  at::Tensor embedding, norm, head;
  std::vector<float> inverse_frequencies;
  RopeTable rope;
  int64_t position = 0;

  Result<std::vector<float>> read(const std::vector<int32_t>& tokens) {
    if (tokens.empty()) return Error{ErrorKind::bad_input, "no tokens to read", where, "give at least one token"};
    for (const int32_t token : tokens)
      if (token < 0 || token >= config.vocab)
        return Error{
            ErrorKind::bad_input,
            "token id " + std::to_string(token) + " is outside the vocabulary of " + std::to_string(config.vocab),
            where, "the tokenizer and the model must belong together"};
    std::vector<float> result;
    TRY(tensor::guard("reading " + std::to_string(tokens.size()) + " tokens", [&] {
      const auto count = static_cast<int64_t>(tokens.size());
      if (!rope.cosine.defined() || rope.cosine.size(0) < position + count)
        rope = make_rope_table(inverse_frequencies, std::max(2 * position + count, int64_t{1024}), device);
      const at::Tensor ids = token_ids(tokens);
      at::Tensor hidden = embedding.index_select(0, ids).unsqueeze(0);
      for (size_t i = 0; i < blocks.size(); ++i) hidden = blocks[i].forward(hidden, rope, &caches[i], {});
      position += count;
      const at::Tensor last = rms_norm(hidden[0].narrow(0, count - 1, 1), norm, config.rms_norm_eps);
      result = tensor::to_host(at::linear(last, head)).floats();
    }));
    return result;
  }

  at::Tensor token_ids(const std::vector<int32_t>& tokens) const {
    std::byte* data = nullptr;
    const auto host = tensor::HostTensor::zeros(tensor::DType::i32, {static_cast<int64_t>(tokens.size())}, &data);
    std::copy(tokens.begin(), tokens.end(), reinterpret_cast<int32_t*>(data));
    return tensor::to_torch(host, device);
  }
};

PlainGenerator::PlainGenerator() = default;
PlainGenerator::PlainGenerator(PlainGenerator&&) noexcept = default;
PlainGenerator& PlainGenerator::operator=(PlainGenerator&&) noexcept = default;
PlainGenerator::~PlainGenerator() = default;

Result<PlainGenerator> PlainGenerator::load(const Model& model, const PlainOptions& options) {
  const c10::Device device = TRY(tensor::open_device(options.device));
  const ModelConfig& config = model.config;
  auto parts = std::make_unique<Parts>(Parts{config, model.path.string(), device, {}, {}, {}, {}, {}, {}, {}, 0});
  const std::vector<int64_t> table{config.vocab, config.hidden};
  parts->embedding = TRY(load_plain(model, "model.embed_tokens.weight", table, device));
  for (int64_t layer = 0; layer < config.layers; ++layer)
    parts->blocks.push_back(TRY(DecoderBlock::load(model, layer, device)));
  parts->caches.resize(parts->blocks.size());
  parts->norm = TRY(load_plain(model, "model.norm.weight", {config.hidden}, device));
  parts->head = config.tied_embeddings ? parts->embedding : TRY(load_plain(model, "lm_head.weight", table, device));
  parts->inverse_frequencies = rope_inverse_frequencies(config);
  PlainGenerator generator;
  generator.parts_ = std::move(parts);
  return generator;
}

Result<std::vector<float>> PlainGenerator::prefill(const std::vector<int32_t>& tokens) {
  for (KeyValueCache& cache : parts_->caches) cache.length = 0;
  parts_->position = 0;
  return parts_->read(tokens);
}

Result<std::vector<float>> PlainGenerator::step(int32_t token) {
  return parts_->read({token});
}

int64_t PlainGenerator::position() const {
  return parts_->position;
}

uint64_t PlainGenerator::cache_bytes() const {
  uint64_t bytes = 0;
  for (const KeyValueCache& cache : parts_->caches)
    if (cache.keys.defined()) bytes += cache.keys.nbytes() + cache.values.nbytes();
  return bytes;
}

}  // namespace tqm::compress
