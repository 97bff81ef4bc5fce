#include "compress/tokenizer/merges.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>

namespace tqm::compress {

uint64_t MergeTable::key_of(int32_t left, int32_t right) {
  return (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32) | static_cast<uint32_t>(right);
}

size_t MergeTable::slot_of(uint64_t key) const {
  const size_t mask = slots_.size() - 1;
  size_t at = static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & mask;
  while (slots_[at].key != key && slots_[at].key != empty) at = (at + 1) & mask;
  return at;
}

void MergeTable::grow() {
  std::vector<Slot> old(std::max<size_t>(1024, slots_.size() * 2));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key != empty) slots_[slot_of(slot.key)] = slot;
  }
}

void MergeTable::add(int32_t left, int32_t right, Merge merge) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  Slot& slot = slots_[slot_of(key_of(left, right))];
  if (slot.key != empty) return;
  slot = {key_of(left, right), merge};
  ++used_;
}

MergeTable::Merge MergeTable::find(int32_t left, int32_t right) const {
  if (left < 0 || right < 0 || slots_.empty()) return {};
  return slots_[slot_of(key_of(left, right))].merge;  // an empty slot holds no merge
}

void MergeTable::apply(std::vector<int32_t>& symbols, size_t from) const {
  constexpr size_t short_word = 32;
  if (symbols.size() - from <= short_word) {
    apply_short(symbols, from);
  } else {
    apply_long(symbols, from);
  }
}

void MergeTable::apply_short(std::vector<int32_t>& symbols, size_t from) const {
  std::array<Merge, 32> merges;  // merges[i]: of symbols i and i + 1
  size_t pairs = symbols.size() - from;
  if (pairs < 2) return;
  --pairs;
  int32_t* s = symbols.data() + from;
  for (size_t i = 0; i < pairs; ++i) merges[i] = find(s[i], s[i + 1]);
  while (pairs > 0) {
    size_t best = 0;
    for (size_t i = 1; i < pairs; ++i) {
      if (merges[i].rank < merges[best].rank) best = i;
    }
    if (merges[best].result < 0) break;
    s[best] = merges[best].result;
    std::move(s + best + 2, s + pairs + 1, s + best + 1);
    std::move(merges.begin() + static_cast<std::ptrdiff_t>(best) + 1,
              merges.begin() + static_cast<std::ptrdiff_t>(pairs), merges.begin() + static_cast<std::ptrdiff_t>(best));
    --pairs;
    if (best > 0) merges[best - 1] = find(s[best - 1], s[best]);
    if (best < pairs) merges[best] = find(s[best], s[best + 1]);
  }
  symbols.resize(from + pairs + 1);
}

void MergeTable::apply_long(std::vector<int32_t>& symbols, size_t from) const {
  // A linked list of what is left, and a heap of the pairs seen; a pair that changed since is passed over.
  constexpr int32_t gone = std::numeric_limits<int32_t>::min();
  struct Pair {
    uint32_t rank;
    int32_t left_id, right_id;
    size_t left;
    bool operator>(const Pair& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };
  const size_t count = symbols.size() - from;
  int32_t* s = symbols.data() + from;
  std::vector<size_t> next(count), previous(count);
  std::vector<Pair> heap;
  for (size_t i = 0; i < count; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;  // of the first: beyond every index
    if (i + 1 < count) {
      const Merge merge = find(s[i], s[i + 1]);
      if (merge.result >= 0) heap.push_back({merge.rank, s[i], s[i + 1], i});
    }
  }
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> queue(std::greater<>{}, std::move(heap));
  const auto offer = [&](size_t left, size_t right) {
    const Merge merge = find(s[left], s[right]);
    if (merge.result >= 0) queue.push({merge.rank, s[left], s[right], left});
  };
  while (!queue.empty()) {
    const Pair pair = queue.top();
    queue.pop();
    const size_t right = next[pair.left];
    if (s[pair.left] != pair.left_id || right >= count || s[right] != pair.right_id) continue;
    s[pair.left] = find(pair.left_id, pair.right_id).result;
    s[right] = gone;
    next[pair.left] = next[right];
    if (next[right] < count) previous[next[right]] = pair.left;
    if (previous[pair.left] < count) offer(previous[pair.left], pair.left);
    if (next[pair.left] < count) offer(pair.left, next[pair.left]);
  }
  symbols.erase(std::remove(symbols.begin() + static_cast<std::ptrdiff_t>(from), symbols.end(), gone), symbols.end());
}

}  // namespace tqm::compress
