#include "compress/model/tensor_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compress/model/architecture.hpp"

namespace tqm::compress {
namespace {

using tensor::DType;
using tensor::HostTensor;

// An exponent of all ones is infinity or NaN.
template <class Bits>
bool exponents_fit(const HostTensor& tensor, Bits exponent) {
  unsigned bad = 0;
  const auto count = static_cast<size_t>(tensor.count());
  for (size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, tensor.bytes.data() + i * sizeof(Bits), sizeof(Bits));
    bad |= (bits & exponent) == exponent;
  }
  return bad == 0;
}

// Old checkpoints carry buffers that transformers makes anew.
bool is_left_over(const std::string& name) {
  return name.ends_with(".rotary_emb.inv_freq") || name.ends_with(".masked_bias");
}

}  // namespace

bool all_finite(const HostTensor& tensor) {
  switch (tensor.dtype) {
    case DType::f32:
      return exponents_fit<uint32_t>(tensor, 0x7f800000u);
    case DType::f16:
      return exponents_fit<uint16_t>(tensor, 0x7c00u);
    case DType::bf16:
      return exponents_fit<uint16_t>(tensor, 0x7f80u);
    case DType::f64:
    case DType::f8_e4m3:
      return exponents_fit<uint32_t>(tensor.to(DType::f32), 0x7f800000u);
    default:
      return true;
  }
}

Result<std::shared_ptr<WeightSource>> TensorTable::make(const ModelConfig& config, std::vector<Entry> entries,
                                                        const std::string& where) {
  std::unordered_map<std::string, size_t> held;
  for (size_t i = 0; i < entries.size(); ++i)
    if (!held.emplace(entries[i].info.name, i).second)
      return Error{ErrorKind::bad_input, "the tensor \"" + entries[i].info.name + "\" is there twice", where,
                   "is the model whole?"};
  auto table = std::make_shared<TensorTable>();
  table->where_ = where;
  std::string missing;
  size_t missing_count = 0;
  for (const TensorShape& wanted : expected_tensors(config)) {
    const auto it = held.find(wanted.name);
    if (it == held.end()) {
      if (++missing_count <= 3) missing += (missing.empty() ? "\"" : ", \"") + wanted.name + "\"";
      continue;
    }
    Entry& entry = entries[it->second];
    if (entry.info.shape != wanted.shape)
      return Error{ErrorKind::bad_input,
                   "the tensor \"" + wanted.name + "\" has the shape " + tensor::shape_text(entry.info.shape) +
                       " where the configuration asks for " + tensor::shape_text(wanted.shape),
                   where, "do configuration and weights belong together?"};
    table->index_.emplace(wanted.name, table->entries_.size());
    table->infos_.push_back(entry.info);
    table->entries_.push_back(std::move(entry));
    held.erase(it);
  }
  if (missing_count > 0) {
    if (missing_count > 3) missing += " and " + std::to_string(missing_count - 3) + " more";
    return Error{ErrorKind::bad_input,
                 (missing_count > 1 ? "tensors are missing: " : "a tensor is missing: ") + missing, where,
                 "is the model whole?"};
  }
  std::string strange;  // the first by name, so that the message is the same each time
  for (const auto& [name, at] : held)
    if (!is_left_over(name) && !(config.tied_embeddings && name == "lm_head.weight") &&
        (strange.empty() || name < strange))
      strange = name;
  if (!strange.empty())
    return Error{ErrorKind::unsupported, "the tensor \"" + strange + "\" has no place in this architecture", where,
                 "do configuration and weights belong together?"};
  return std::shared_ptr<WeightSource>(std::move(table));
}

namespace {

Error damaged(const std::string& name, const std::string& where) {
  return Error{ErrorKind::bad_input, "the tensor \"" + name + "\" holds NaN or infinity", where,
               "the model is damaged; get it again"};
}

}  // namespace

Result<Weight> TensorTable::load(const std::string& name) const {
  const auto it = index_.find(name);
  if (it == index_.end()) return Error{ErrorKind::not_found, "the model has no tensor \"" + name + "\"", where_, ""};
  Weight weight = TRY(entries_[it->second].load());
  bool finite = true;
  if (const auto* quantised = std::get_if<QuantTensor>(&weight)) {
    for (float scale : quantised->scales) finite = finite && std::isfinite(scale);
  } else {
    finite = all_finite(std::get<HostTensor>(weight));
  }
  if (!finite) return damaged(name, where_);
  return weight;
}

Result<std::optional<BlockWeight>> TensorTable::load_blocks(const std::string& name) const {
  const auto it = index_.find(name);
  if (it == index_.end() || !entries_[it->second].load_blocks) return std::optional<BlockWeight>();
  BlockWeight blocks = entries_[it->second].load_blocks();
  const auto finite = [](float value) { return std::isfinite(value); };
  for (const std::vector<float>* values : {&blocks.codes.scales, &blocks.minimums})
    if (!std::all_of(values->begin(), values->end(), finite)) return damaged(name, where_);
  return std::optional(std::move(blocks));
}

void TensorTable::release(const std::string& name) const {
  if (const auto it = index_.find(name); it != index_.end()) entries_[it->second].release();
}

void to_rotate_half(const std::byte* from, std::byte* to, int64_t heads, int64_t head_dim, size_t width) {
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t i = 0; i < head_dim / 2; ++i)
        std::memcpy(to + static_cast<size_t>(h * head_dim + half * (head_dim / 2) + i) * width,
                    from + static_cast<size_t>(h * head_dim + 2 * i + half) * width, width);
}

void to_pair_order(const std::byte* from, std::byte* to, int64_t heads, int64_t head_dim, size_t width) {
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t i = 0; i < head_dim / 2; ++i)
        std::memcpy(to + static_cast<size_t>(h * head_dim + 2 * i + half) * width,
                    from + static_cast<size_t>(h * head_dim + half * (head_dim / 2) + i) * width, width);
}

}  // namespace tqm::compress
