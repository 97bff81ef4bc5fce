// compressed-tensors' packing: codes plus 2^(bits−1), least significant bit first, densely across 32-bit words
// (compressors/pack_quantized/helpers.py).
#pragma once

#include <cstddef>
#include <cstdint>

namespace tqm::compress {

constexpr int64_t packed_words(int64_t count, int bits) {
  return (count * bits + 31) / 32;
}

// count codes, each stride apart from the last; words are packed_words(count, bits), each word_stride apart.
void pack_integers(const int8_t* codes, int64_t count, int64_t stride, int bits, int32_t* words, int64_t word_stride);
void unpack_integers(const int32_t* words, int64_t word_stride, int64_t count, int bits, int8_t* codes, int64_t stride);

}  // namespace tqm::compress
