// Seeded random numbers that are the same on every platform and with every standard library (normal: up to the last bit
// of the platform's logarithm). xoshiro256** 1.0 by D. Blackman and S. Vigna, seeded through splitmix64 as they advise
// (prng.di.unimi.it).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tqm {

class Random {
 public:
  explicit Random(uint64_t seed);
  explicit Random(const std::array<uint64_t, 4>& state) : state_(state) {}  // goes on where state() was taken
  const std::array<uint64_t, 4>& state() const { return state_; }

  uint64_t next();                 // 64 bits
  double uniform();                // [0, 1), 53 bits
  uint64_t below(uint64_t bound);  // [0, bound), without bias; bound > 0
  double normal();                 // mean 0, variance 1 (polar method)
  Random split();                  // another stream, seeded from this one

  // Fisher–Yates. Any container with size() and operator[].
  template <class Container>
  void shuffle(Container& items) {
    for (size_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[static_cast<size_t>(below(i))]);
    }
  }

 private:
  std::array<uint64_t, 4> state_;
};

}  // namespace tqm
