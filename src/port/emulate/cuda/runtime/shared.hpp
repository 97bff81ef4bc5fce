// Shared memory of the block that runs: filled with the poison pattern before each block, and in checked programs a
// mark for every byte: belongs to no variable, not written yet, written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "port/emulate/cuda/runtime/image.hpp"

namespace tqm::port::cuda {

enum Mark : unsigned char { kNobody = 0, kUnwritten = 1, kWritten = 2 };

// One range of addresses with its marks: the static variables, or the dynamic ones.
struct SharedRange {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::vector<unsigned char> marks, fresh_marks;
  std::size_t dirty_begin = 0, dirty_end = 0;  // what the block touched
  std::size_t first_word = 0;                  // number of its first word for the race detector
  bool contains(std::uintptr_t a) const { return a - begin < bytes; }
};

class SharedMemory {
 public:
  static SharedMemory& get();
  void begin_launch(const Image& image, std::size_t dynamic_bytes);
  void begin_block(bool first);
  void save(std::vector<unsigned char>& content, std::vector<unsigned char>& marks) const;
  void load(const std::vector<unsigned char>& content, const std::vector<unsigned char>& marks);
  SharedRange* range_of(std::uintptr_t a) {
    if (static_.contains(a)) return &static_;
    if (dynamic_.contains(a)) return &dynamic_;
    return nullptr;
  }
  std::size_t words() const { return (static_.bytes + dynamic_.bytes) / 4 + 2; }
  std::string name_at(std::uintptr_t a) const;  // "s[12 bytes]"

 private:
  void refresh(SharedRange& range, bool whole);
  const Image* image_ = nullptr;
  SharedRange static_, dynamic_;
  std::size_t dynamic_used_ = 0;
  bool checked_ = false;
};

}  // namespace tqm::port::cuda
