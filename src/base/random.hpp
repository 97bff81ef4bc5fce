// Seeded random numbers that are the same on every platform and with every standard library.
// xoshiro256** 1.0 by D. Blackman and S. Vigna (prng.di.unimi.it), seeded through splitmix64, as its authors advise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tqm {

class Random {
 public:
  explicit Random(uint64_t seed);
  uint64_t next();                 // 64 bits
  double uniform();                // [0, 1), 53 bits
  uint64_t below(uint64_t bound);  // [0, bound), without bias; bound > 0
  double normal();                 // mean 0, variance 1 (polar method)
  Random split();                  // an independent stream

  // Fisher–Yates. Any container with size() and operator[].
  template <class Container>
  void shuffle(Container& items) {
    for (size_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[static_cast<size_t>(below(i))]);
    }
  }

 private:
  uint64_t state_[4];
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace tqm
