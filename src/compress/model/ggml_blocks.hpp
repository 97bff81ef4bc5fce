// ggml's tensor types as they stand in GGUF files, one row each: blocks of values that share a scale. Layouts:
// ggml-common.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tqm::compress {

namespace ggml {
constexpr uint32_t kF32 = 0, kF16 = 1, kQ4_0 = 2, kQ4_1 = 3, kQ8_0 = 8, kQ4_K = 12, kQ6_K = 14, kBF16 = 30;
}

struct GgmlType {
  uint32_t id;
  std::string_view name;
  int64_t block_values;
  size_t block_bytes;
  // To floats, in the order of operations of the `gguf` package, hence equal bit for bit.
  void (*decode)(const std::byte* from, int64_t blocks, float* to);
};

const GgmlType* find_ggml_type(uint32_t id);  // null: not known here
std::string ggml_type_name(uint32_t id);      // also of those that are not read, for messages
std::string known_ggml_types();

// One block of 32 values each: a float16 scale d (Q4_1: and minimum m), then the codes. Codes: Q8_0 int8; Q4_0 and Q4_1
// 0..15.
void pack_q8_0(float d, const int8_t* codes, std::byte* to);
void pack_q4_0(float d, const uint8_t* codes, std::byte* to);
void pack_q4_1(float d, float m, const uint8_t* codes, std::byte* to);
void unpack_q8_0(const std::byte* from, float* d, int8_t* codes);
void unpack_q4_0(const std::byte* from, float* d, uint8_t* codes);
void unpack_q4_1(const std::byte* from, float* d, float* m, uint8_t* codes);

// Rounds 32 values to the block's own grid as ggml's reference does: d = max |x| / 127, codes rounded half away from
// zero.
void round_to_q8_0(const float* from, std::byte* to);

}  // namespace tqm::compress
