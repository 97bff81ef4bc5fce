// Zeroed memory on cache-line bounds, on huge pages where it is large: weights are streamed from it once a token.
#pragma once

#include <cstddef>
#include <vector>

namespace tqm::compress::fast {

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();
  size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  friend class Arena;
  void* data_ = nullptr;
  size_t bytes_ = 0, reserved_ = 0;
  bool owned_ = true;
};

// Buffers that stand one after another in large blocks: a layer's weights, each too small for a huge page, share them.
class Arena {
 public:
  // Moves what the buffer holds here; the buffer then looks into the arena, which must outlive it.
  void settle(Buffer& buffer);

 private:
  std::vector<Buffer> blocks_;
  size_t used_ = 0;
};

}  // namespace tqm::compress::fast
