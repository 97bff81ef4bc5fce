#include "compress/model/ggml_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tensor/dtype.hpp"

namespace tqm::compress {
namespace {

using tensor::DType;

float half_at(const std::byte* from) {
  uint16_t bits;
  std::memcpy(&bits, from, 2);
  return tensor::f16_to_float(bits);
}

void put_half(float value, std::byte* to) {
  const uint16_t bits = tensor::float_to_f16(value);
  std::memcpy(to, &bits, 2);
}

int byte_at(const std::byte* from, int64_t at) {
  return std::to_integer<int>(from[at]);
}

// Sixteen bytes: value j in the low half of byte j, value j + 16 in the high half.
void unpack_nibbles(const std::byte* from, uint8_t* codes) {
  for (int j = 0; j < 16; ++j) {
    const int byte = byte_at(from, j);
    codes[j] = static_cast<uint8_t>(byte & 15);
    codes[j + 16] = static_cast<uint8_t>(byte >> 4);
  }
}

void pack_nibbles(const uint8_t* codes, std::byte* to) {
  for (int j = 0; j < 16; ++j) to[j] = static_cast<std::byte>(codes[j] | (codes[j + 16] << 4));
}

void decode_f32(const std::byte* from, int64_t blocks, float* to) {
  tensor::to_float(DType::f32, from, static_cast<size_t>(blocks), to);
}
void decode_f16(const std::byte* from, int64_t blocks, float* to) {
  tensor::to_float(DType::f16, from, static_cast<size_t>(blocks), to);
}
void decode_bf16(const std::byte* from, int64_t blocks, float* to) {
  tensor::to_float(DType::bf16, from, static_cast<size_t>(blocks), to);
}

void decode_q8_0(const std::byte* from, int64_t blocks, float* to) {
  for (int64_t b = 0; b < blocks; ++b, from += 34, to += 32) {
    float d;
    int8_t codes[32];
    unpack_q8_0(from, &d, codes);
    for (int j = 0; j < 32; ++j) to[j] = static_cast<float>(codes[j]) * d;
  }
}

void decode_q4_0(const std::byte* from, int64_t blocks, float* to) {
  for (int64_t b = 0; b < blocks; ++b, from += 18, to += 32) {
    float d;
    uint8_t codes[32];
    unpack_q4_0(from, &d, codes);
    for (int j = 0; j < 32; ++j) to[j] = d * static_cast<float>(codes[j] - 8);
  }
}

void decode_q4_1(const std::byte* from, int64_t blocks, float* to) {
  for (int64_t b = 0; b < blocks; ++b, from += 20, to += 32) {
    float d, m;
    uint8_t codes[32];
    unpack_q4_1(from, &d, &m, codes);
    for (int j = 0; j < 32; ++j) to[j] = d * static_cast<float>(codes[j]) + m;
  }
}

// 256 values: d, dmin, eight 6-bit scales and minima in 12 bytes, then nibbles; each 32 bytes hold 64 values, low
// halves first.
void decode_q4_k(const std::byte* from, int64_t blocks, float* to) {
  for (int64_t b = 0; b < blocks; ++b, from += 144, to += 256) {
    const float d = half_at(from), dmin = half_at(from + 2);
    const std::byte* packed = from + 4;
    const std::byte* codes = from + 16;
    for (int j = 0; j < 8; ++j) {
      int scale, minimum;
      if (j < 4) {
        scale = byte_at(packed, j) & 63;
        minimum = byte_at(packed, j + 4) & 63;
      } else {
        scale = (byte_at(packed, j + 4) & 15) | ((byte_at(packed, j - 4) >> 6) << 4);
        minimum = (byte_at(packed, j + 4) >> 4) | ((byte_at(packed, j) >> 6) << 4);
      }
      const float step = d * static_cast<float>(scale), base = dmin * static_cast<float>(minimum);
      for (int i = 0; i < 32; ++i) {
        const int byte = byte_at(codes, (j / 2) * 32 + i);
        to[j * 32 + i] = step * static_cast<float>(j % 2 ? byte >> 4 : byte & 15) - base;
      }
    }
  }
}

// 256 values: low four bits in 128 bytes, high two in 64, sixteen int8 scales, d.
void decode_q6_k(const std::byte* from, int64_t blocks, float* to) {
  for (int64_t b = 0; b < blocks; ++b, from += 210, to += 256) {
    const std::byte* low = from;
    const std::byte* high = from + 128;
    const std::byte* scales = from + 192;
    const float d = half_at(from + 208);
    for (int i = 0; i < 256; ++i) {
      const int half = i / 128, quarter = i % 128 / 32, column = i % 32;
      const int low_byte = byte_at(low, half * 64 + (quarter % 2) * 32 + column);
      const int low_bits = quarter < 2 ? low_byte & 15 : low_byte >> 4;
      const int high_bits = (byte_at(high, half * 32 + column) >> (2 * quarter)) & 3;
      const float scale = static_cast<float>(static_cast<int8_t>(byte_at(scales, i / 16)));
      to[i] = d * scale * static_cast<float>((low_bits | (high_bits << 4)) - 32);
    }
  }
}

constexpr std::array kTypes = {
    GgmlType{ggml::kF32, "F32", 1, 4, decode_f32},        GgmlType{ggml::kF16, "F16", 1, 2, decode_f16},
    GgmlType{ggml::kQ4_0, "Q4_0", 32, 18, decode_q4_0},   GgmlType{ggml::kQ4_1, "Q4_1", 32, 20, decode_q4_1},
    GgmlType{ggml::kQ8_0, "Q8_0", 32, 34, decode_q8_0},   GgmlType{ggml::kQ4_K, "Q4_K", 256, 144, decode_q4_k},
    GgmlType{ggml::kQ6_K, "Q6_K", 256, 210, decode_q6_k}, GgmlType{ggml::kBF16, "BF16", 1, 2, decode_bf16},
};

// ggml.h's enum ggml_type; empty where a number was retired.
constexpr std::array<std::string_view, 40> kNames = {
    "F32",    "F16",   "Q4_0",  "Q4_1",   "",      "",      "Q5_0",    "Q5_1",   "Q8_0",    "Q8_1",
    "Q2_K",   "Q3_K",  "Q4_K",  "Q5_K",   "Q6_K",  "Q8_K",  "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S",
    "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8",    "I16",   "I32",     "I64",    "F64",     "IQ1_M",
    "BF16",   "",      "",      "",       "TQ1_0", "TQ2_0", "",        "",       "",        "MXFP4"};

}  // namespace

const GgmlType* find_ggml_type(uint32_t id) {
  for (const GgmlType& type : kTypes)
    if (type.id == id) return &type;
  return nullptr;
}

std::string ggml_type_name(uint32_t id) {
  if (id < kNames.size() && !kNames[id].empty()) return std::string(kNames[id]);
  return "number " + std::to_string(id);
}

std::string known_ggml_types() {
  std::string names;
  for (const GgmlType& type : kTypes) names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

void pack_q8_0(float d, const int8_t* codes, std::byte* to) {
  put_half(d, to);
  std::memcpy(to + 2, codes, 32);
}

void pack_q4_0(float d, const uint8_t* codes, std::byte* to) {
  put_half(d, to);
  pack_nibbles(codes, to + 2);
}

void pack_q4_1(float d, float m, const uint8_t* codes, std::byte* to) {
  put_half(d, to);
  put_half(m, to + 2);
  pack_nibbles(codes, to + 4);
}

void unpack_q8_0(const std::byte* from, float* d, int8_t* codes) {
  *d = half_at(from);
  std::memcpy(codes, from + 2, 32);
}

void unpack_q4_0(const std::byte* from, float* d, uint8_t* codes) {
  *d = half_at(from);
  unpack_nibbles(from + 2, codes);
}

void unpack_q4_1(const std::byte* from, float* d, float* m, uint8_t* codes) {
  *d = half_at(from);
  *m = half_at(from + 2);
  unpack_nibbles(from + 4, codes);
}

void round_to_q8_0(const float* from, std::byte* to) {
  float largest = 0;
  for (int j = 0; j < 32; ++j) largest = std::max(largest, std::fabs(from[j]));
  const float d = largest / 127, inverse = d != 0 ? 1 / d : 0;
  int8_t codes[32];
  for (int j = 0; j < 32; ++j)
    codes[j] = static_cast<int8_t>(std::clamp(std::round(from[j] * inverse), -127.0f, 127.0f));
  pack_q8_0(d, codes, to);
}

}  // namespace tqm::compress
