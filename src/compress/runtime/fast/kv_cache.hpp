// Keys and values of the tokens read so far, for several sequences, in the layout that attention reads
// (vector_ops.hpp): keys in panels of 16 positions, values a row a position. Memory is touched only as sequences grow.
#pragma once

#include <cstdint>
#include <vector>

#include "compress/runtime/fast/buffer.hpp"

namespace tqm::compress::fast {

class KvCache {
 public:
  struct Shape {
    int64_t sequences, layers, kv_heads, head_dim, capacity;
    bool half;  // bf16, else f32
  };
  explicit KvCache(const Shape& shape);

  void put(int64_t sequence, int64_t layer, int64_t kv_head, int64_t position, const float* key, const float* value);
  const void* keys(int64_t sequence, int64_t layer, int64_t kv_head) const;
  const void* values(int64_t sequence, int64_t layer, int64_t kv_head) const;

  bool half() const { return shape_.half; }
  int64_t value_stride() const { return value_stride_; }
  int64_t sequences() const { return shape_.sequences; }
  int64_t length(int64_t sequence) const { return lengths_[static_cast<size_t>(sequence)]; }
  void advance(int64_t sequence) { ++lengths_[static_cast<size_t>(sequence)]; }
  void forget(int64_t sequence) { lengths_[static_cast<size_t>(sequence)] = 0; }
  uint64_t used_bytes() const;  // by the tokens held

 private:
  unsigned char* at(const Buffer& buffer, int64_t sequence, int64_t layer, int64_t kv_head, int64_t width) const;

  Shape shape_;
  int64_t value_stride_, element_;
  Buffer keys_, values_;
  std::vector<int64_t> lengths_;
};

}  // namespace tqm::compress::fast
