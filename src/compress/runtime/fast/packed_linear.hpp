// A linear layer's weight in the layout that kernels stream (linear_view.hpp), packed once at load from the file's own
// form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"
#include "compress/runtime/fast/buffer.hpp"
#include "compress/runtime/fast/linear_view.hpp"

namespace tqm::compress::fast {

struct PackedLinear {
  Kind kind = Kind::f32;
  int64_t outputs = 0, columns = 0, depth = 0, panel_bytes = 0;
  int64_t groups = 1, chunk = 0, chunks = 0;
  bool half_scales = false;
  Buffer codes, scales, zeros, minimums, bias;

  int64_t panels() const { return (outputs + kPanel - 1) / kPanel; }
  LinearView view() const;
  uint64_t bytes() const;     // all that a decode step reads
  void settle(Arena& arena);  // moves all of it there
  // Row of the matrix as floats (embeddings of a tied model); to holds columns.
  void row(int64_t index, float* to) const;
};

// As the file has it: F32, F16 and BF16 as they are; int8 and int4 (3 bits too) as codes; W8A8 for integer products. A
// group that no kernel takes (not a multiple of 8 columns) is unpacked to f32.
PackedLinear pack_linear(const Weight& weight, const std::vector<float>& bias = {});

// ggml's blocks as they are: int8 and int4 codes.
PackedLinear pack_blocks(const BlockWeight& weight, const std::vector<float>& bias = {});

// Forced into another kind, from f32: plain kinds are rounded, int kinds rounded to nearest with this group (0: the
// whole row).
Result<PackedLinear> pack_linear_as(const Weight& weight, Kind kind, int64_t group,
                                    const std::vector<float>& bias = {});

Kind kind_of(const Weight& weight);
std::string_view name(Kind kind);
std::optional<Kind> kind_named(std::string_view name);

}  // namespace tqm::compress::fast
