// Activations in the forms that kernels want: f32, bf16, int8 and int16 with a scale a token.
#pragma once

#include <initializer_list>
#include <vector>

#include "compress/runtime/fast/buffer.hpp"
#include "compress/runtime/fast/linear_view.hpp"
#include "compress/runtime/fast/vector_ops.hpp"

namespace tqm::compress::fast {

// Which forms are wanted; chunks only matter to int16.
struct InputKinds {
  bool f32 = false, bf16 = false, int8 = false, int16 = false;
  InputKinds() = default;
  InputKinds(std::initializer_list<InputKind> kinds) {
    for (const InputKind kind : kinds) add(kind);
  }
  void add(InputKind kind) {
    f32 |= kind == InputKind::f32;
    bf16 |= kind == InputKind::bf16;
    int8 |= kind == InputKind::int8;
    int16 |= kind == InputKind::int16;
  }
};

class PreparedInput {
 public:
  PreparedInput() = default;
  // Room for rows of columns; chunks: those of the int8 and int4 weights that it will meet.
  PreparedInput(int64_t rows, int64_t columns, std::vector<int64_t> chunks);
  // Row from x, which may be row_floats(row) itself.
  void prepare(int64_t row, const float* x, const VectorOps& ops, const InputKinds& kinds);
  float* row_floats(int64_t row) { return f32_.as<float>() + row * depth_; }
  InputView view(int64_t rows, int64_t chunk) const;
  double value(InputKind kind, int64_t row, int64_t column) const;  // as a kernel sees it
  uint64_t bytes() const;

 private:
  int64_t columns_ = 0, depth_ = 0;
  std::vector<int64_t> chunks_;
  Buffer f32_, bf16_, int8_, int16_, int8_scales_, int8_sums_, int16_scales_;
  std::vector<Buffer> int16_sums_;  // one a chunk size
};

}  // namespace tqm::compress::fast
