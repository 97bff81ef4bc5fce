#include "compress/runtime/fast/kv_cache.hpp"

#include "tensor/dtype.hpp"

namespace tqm::compress::fast {
namespace {
int64_t round_up(int64_t value) {
  return (value + 15) / 16 * 16;
}
}  // namespace

KvCache::KvCache(const Shape& shape)
    : shape_(shape), value_stride_(round_up(shape.head_dim)), element_(shape.half ? 2 : 4) {
  shape_.capacity = round_up(shape.capacity);
  const int64_t positions = shape_.sequences * shape_.layers * shape_.kv_heads * shape_.capacity;
  keys_ = Buffer(static_cast<size_t>(positions * shape_.head_dim * element_));
  values_ = Buffer(static_cast<size_t>(positions * value_stride_ * element_));
  lengths_.assign(static_cast<size_t>(shape_.sequences), 0);
}

unsigned char* KvCache::at(const Buffer& buffer, int64_t sequence, int64_t layer, int64_t kv_head,
                           int64_t width) const {
  const int64_t index = (sequence * shape_.layers + layer) * shape_.kv_heads + kv_head;
  return buffer.as<unsigned char>() + index * shape_.capacity * width * element_;
}

const void* KvCache::keys(int64_t sequence, int64_t layer, int64_t kv_head) const {
  return at(keys_, sequence, layer, kv_head, shape_.head_dim);
}

const void* KvCache::values(int64_t sequence, int64_t layer, int64_t kv_head) const {
  return at(values_, sequence, layer, kv_head, value_stride_);
}

void KvCache::put(int64_t sequence, int64_t layer, int64_t kv_head, int64_t position, const float* key,
                  const float* value) {
  unsigned char* keys = at(keys_, sequence, layer, kv_head, shape_.head_dim);
  unsigned char* values = at(values_, sequence, layer, kv_head, value_stride_);
  const int64_t first_key = position / 16 * 16 * shape_.head_dim + position % 16,
                first_value = position * value_stride_;
  if (shape_.half) {
    for (int64_t d = 0; d < shape_.head_dim; ++d) {
      reinterpret_cast<uint16_t*>(keys)[first_key + d * 16] = tensor::float_to_bf16(key[d]);
      reinterpret_cast<uint16_t*>(values)[first_value + d] = tensor::float_to_bf16(value[d]);
    }
  } else {
    for (int64_t d = 0; d < shape_.head_dim; ++d) {
      reinterpret_cast<float*>(keys)[first_key + d * 16] = key[d];
      reinterpret_cast<float*>(values)[first_value + d] = value[d];
    }
  }
}

uint64_t KvCache::used_bytes() const {
  int64_t tokens = 0;
  for (const int64_t length : lengths_) tokens += length;
  return static_cast<uint64_t>(tokens * shape_.layers * shape_.kv_heads * 2 * shape_.head_dim * element_);
}

}  // namespace tqm::compress::fast
