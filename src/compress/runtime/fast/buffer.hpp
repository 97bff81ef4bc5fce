// Zeroed memory on cache-line bounds, on huge pages where it is large: weights are streamed from it once a token.
#pragma once

#include <cstddef>

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
  void* data_ = nullptr;
  size_t bytes_ = 0, reserved_ = 0;
};

}  // namespace tqm::compress::fast
