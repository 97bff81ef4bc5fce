// What a kernel of a linear layer works on: a packed weight and prepared activations, as raw pointers. Only plain
// structs stand here, nothing that a unit compiled for a larger instruction set could leave behind in the program.
//
// Every weight is laid out in panels of 16 outputs, one layout a kind for all instruction sets. Depth is the row's
// length, padded with zeros to 64. A panel is a sequence of 64-byte lines:
//   f32    line k:  w[k] of the 16 outputs
//   f16    line k:  w[2k] of the 16 outputs, then w[2k + 1]
//   bf16   line k:  for each output the pair w[2k], w[2k + 1]                                    (AMX: a tile is 16
//   lines) w8a8   line k:  for each output four bytes w[4k] … w[4k + 3], code + 128                     (AMX: a tile is
//   16 lines) int8   line k:  for each output two words; word p holds in byte j the code + 128 of column 4k + 2j + p
//   int4   line k:  for each output two words; word p holds in nibble j the code + 8 of column 8k + 2j + p
#pragma once

#include <cstdint>

namespace tqm::compress::fast {

constexpr int64_t kPanel = 16;       // outputs of a panel
constexpr int64_t kDepthGrain = 64;  // what depth is padded to
constexpr int64_t kMostRows = 8;     // rows that a decode kernel holds in registers at a time

enum class Kind { f32, f16, bf16, w8a8, int8, int4 };
enum class InputKind { f32, bf16, int8, int16 };

struct LinearView {
  const unsigned char* codes;  // panels, each panel_bytes long
  const void* scales;          // [panel][group][16], f16 or f32
  const signed char* zeros;    // [panel][group][16]; null: all zero
  const float* bias;           // [panels * 16]; null: none
  int64_t outputs, columns, depth, panel_bytes;
  int64_t groups;  // scales a row
  int64_t chunk;   // columns summed in integers before scaling: a group, or part of a row
  int64_t chunks;
  bool half_scales;  // scales are f16
  // int4 only, [panel][group][16], f16; null: none. Then a weight is (code + 8) · scale + minimum.
  const uint16_t* minimums;
};

// rows × depth in the form a kernel wants; what lies past columns is zero. int16 sums: one a chunk and row,
// [row][chunks].
struct InputView {
  int64_t rows, depth;
  const float* f32;
  const uint16_t* bf16;
  const int8_t* int8;
  const int16_t* int16;
  const float* int8_scales;   // a row
  const int32_t* int8_sums;   // a row
  const float* int16_scales;  // a row
  const int32_t* int16_sums;
};

// y[row * y_stride + n] for the outputs n of panels [first, last): set, or added to where add is true. Whole panels are
// written.
struct OutputView {
  float* y;
  int64_t y_stride;
  bool add;
};

using LinearFunction = void (*)(const LinearView&, const InputView&, int64_t first, int64_t last, const OutputView&);

#define TQM_LINEAR_FUNCTIONS(isa)                                                             \
  namespace isa {                                                                             \
  void linear_f32(const LinearView&, const InputView&, int64_t, int64_t, const OutputView&);  \
  void linear_f16(const LinearView&, const InputView&, int64_t, int64_t, const OutputView&);  \
  void linear_bf16(const LinearView&, const InputView&, int64_t, int64_t, const OutputView&); \
  void linear_w8a8(const LinearView&, const InputView&, int64_t, int64_t, const OutputView&); \
  void linear_int8(const LinearView&, const InputView&, int64_t, int64_t, const OutputView&); \
  void linear_int4(const LinearView&, const InputView&, int64_t, int64_t, const OutputView&); \
  }
TQM_LINEAR_FUNCTIONS(generic)
TQM_LINEAR_FUNCTIONS(avx2)
TQM_LINEAR_FUNCTIONS(avx512)
TQM_LINEAR_FUNCTIONS(amx)  // all but f32
#undef TQM_LINEAR_FUNCTIONS
namespace avx512_bf16 {
void linear_bf16(const LinearView&, const InputView&, int64_t, int64_t, const OutputView&);
}

}  // namespace tqm::compress::fast
