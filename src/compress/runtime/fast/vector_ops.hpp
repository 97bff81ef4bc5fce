// What a decoder does between its linear layers, one implementation compiled for each instruction set (vector_ops.inc).
#pragma once

#include <cstdint>

namespace tqm::compress::fast {

// Rows of one head against the cached keys and values of its key-value head.
struct AttentionCall {
  static constexpr int64_t kMostRows = 8;
  int64_t rows;
  const float* q[kMostRows];   // head_dim
  float* out[kMostRows];       // head_dim
  int64_t lengths[kMostRows];  // keys that the row sees
  const void* keys;            // [positions / 16][head_dim][16]
  const void* values;          // [positions][value_stride]; value_stride is head_dim padded to 16 with zeros
  bool half;                   // keys and values are bf16, else f32
  int64_t head_dim, value_stride;
  float scale;    // of the scores
  float* scores;  // scratch, rows × score_stride (a multiple of 16 that holds the longest length)
  int64_t score_stride;
};

struct VectorOps {
  // x / rms(x) · weight.
  void (*rms_norm)(const float* x, const float* weight, float epsilon, int64_t count, float* y);
  void (*to_bf16)(const float* x, int64_t count, uint16_t* y);
  // One scale for all: absmax / 127.5, codes rounded to nearest even within [−128, 127]; their sum as well.
  float (*to_int8)(const float* x, int64_t count, int8_t* y, int32_t* sum);
  // One scale for all: absmax / 32767; sums of each chunk.
  float (*to_int16)(const float* x, int64_t count, int16_t* y);
  void (*sums_int16)(const int16_t* x, int64_t count, int64_t chunk, int32_t* sums);
  // gate · sigmoid(gate) · up, into gate.
  void (*silu_times)(float* gate, const float* up, int64_t count);
  // Turns the pair (x[i], x[i + half]) by the angle of cosine[i], sine[i].
  void (*rope)(float* x, const float* cosine, const float* sine, int64_t half);
  void (*attend)(const AttentionCall& call);
};

namespace generic {
extern const VectorOps kVectorOps;
}
namespace avx2 {
extern const VectorOps kVectorOps;
}
namespace avx512 {
extern const VectorOps kVectorOps;
}

}  // namespace tqm::compress::fast
