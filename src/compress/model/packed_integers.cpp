#include "compress/model/packed_integers.hpp"

namespace tqm::compress {

void pack_integers(const int8_t* codes, int64_t count, int64_t stride, int bits, int32_t* words, int64_t word_stride) {
  const int bias = 1 << (bits - 1);
  uint64_t held = 0;
  int filled = 0;
  int64_t word = 0;
  for (int64_t i = 0; i < count; ++i) {
    held |= static_cast<uint64_t>(static_cast<uint32_t>(codes[i * stride] + bias)) << filled;
    filled += bits;
    if (filled >= 32) {
      words[word++ * word_stride] = static_cast<int32_t>(static_cast<uint32_t>(held));
      held >>= 32;
      filled -= 32;
    }
  }
  if (filled > 0) words[word * word_stride] = static_cast<int32_t>(static_cast<uint32_t>(held));
}

void unpack_integers(const int32_t* words, int64_t word_stride, int64_t count, int bits, int8_t* codes,
                     int64_t stride) {
  const int bias = 1 << (bits - 1);
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  uint64_t held = 0;
  int filled = 0;
  int64_t word = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (filled < bits) {
      held |= static_cast<uint64_t>(static_cast<uint32_t>(words[word++ * word_stride])) << filled;
      filled += 32;
    }
    codes[i * stride] = static_cast<int8_t>(static_cast<int>(held & mask) - bias);
    held >>= bits;
    filled -= bits;
  }
}

}  // namespace tqm::compress
