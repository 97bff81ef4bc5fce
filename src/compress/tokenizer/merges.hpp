// Byte-pair merges: which neighbouring pair of tokens becomes which token, and in what order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tqm::compress {

class MergeTable {
 public:
  struct Merge {
    uint32_t rank = std::numeric_limits<uint32_t>::max();  // lower comes first; equal ranks: leftmost first
    int32_t result = -1;                                   // −1: the two never merge
  };
  // The first rank given to a pair stays. Tokens are not negative.
  void add(int32_t left, int32_t right, Merge merge);
  Merge find(int32_t left, int32_t right) const;
  size_t size() const { return used_; }

  // Always the neighbouring pair of lowest rank, leftmost first, until none is left. Symbols from `from` on, in place.
  // n log n, without recursion. Negative symbols never merge.
  void apply(std::vector<int32_t>& symbols, size_t from) const;

 private:
  struct Slot {
    uint64_t key = empty;
    Merge merge;
  };
  static constexpr uint64_t empty = std::numeric_limits<uint64_t>::max();
  static uint64_t key_of(int32_t left, int32_t right);
  size_t slot_of(uint64_t key) const;
  void grow();
  void apply_short(std::vector<int32_t>& symbols, size_t from) const;
  void apply_long(std::vector<int32_t>& symbols, size_t from) const;

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace tqm::compress
