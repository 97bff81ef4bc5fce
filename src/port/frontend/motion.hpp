// How a value moves from one thread of a block to the next: what makes an access contiguous, and a condition uniform.
// An abstract value for thread_walk.cpp; it forgets constants and keeps what matters for these two questions.
#pragma once

#include <algorithm>

#include "port/frontend/program.hpp"

namespace tqm::port {

struct Motion {
  enum Along { still, unit, strided, irregular };
  Along x = still;        // along threadIdx.x
  bool rows = false;      // moves with threadIdx.y, z or a group of threads, and stays within a row
  bool loaded = false;    // was read from memory at a place that moves
  bool diverged = false;  // was set under a condition that moves: differs among threads, in no known way
  bool shared = false;    // a pointer into shared memory
  bool private_ = false;  // a pointer into the thread's own memory
  bool operator==(const Motion&) const = default;
  bool varies() const { return x != still || rows || loaded || diverged; }
};

inline Motion join(Motion a, const Motion& b) {
  a.x = std::max(a.x, b.x);
  a.rows |= b.rows;
  a.loaded |= b.loaded;
  a.diverged |= b.diverged;
  a.shared |= b.shared;
  a.private_ |= b.private_;
  return a;
}

inline Motion added(const Motion& a, const Motion& b) {
  Motion sum = join(a, b);
  if (a.x == Motion::unit && b.x == Motion::unit) sum.x = Motion::strided;
  return sum;
}

inline Motion subtracted(const Motion& a, const Motion& b) {
  Motion difference = join(a, b);
  if (b.x == Motion::unit) difference.x = a.x == Motion::unit ? Motion::still : Motion::strided;
  return difference;
}

inline Motion multiplied(const Motion& a, const Motion& b) {
  Motion product = join(a, b);
  if (product.x != Motion::still) product.x = a.varies() && b.varies() ? Motion::irregular : Motion::strided;
  if (a.x == Motion::irregular || b.x == Motion::irregular) product.x = Motion::irregular;
  return product;
}

// By anything but +, -, *.
inline Motion scrambled(const Motion& a, const Motion& b) {
  Motion result = join(a, b);
  if (result.x != Motion::still) result.x = Motion::irregular;
  return result;
}

inline AccessPattern pattern_of(const Motion& index) {
  if (index.loaded) return AccessPattern::indirect;
  switch (index.x) {
    case Motion::still:
      return index.rows ? AccessPattern::row : AccessPattern::uniform;
    case Motion::unit:
      return AccessPattern::contiguous;
    case Motion::strided:
      return AccessPattern::strided;
    case Motion::irregular:
      break;
  }
  return AccessPattern::irregular;
}

}  // namespace tqm::port
