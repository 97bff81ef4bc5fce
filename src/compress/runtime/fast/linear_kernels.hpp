// The table of linear-layer kernels, and the choice among them by what the CPU has. Adding one is a function and a row.
#pragma once

#include <span>
#include <string_view>

#include "base/cpu_features.hpp"
#include "compress/runtime/fast/linear_view.hpp"

namespace tqm::compress::fast {

struct LinearKernel {
  std::string_view name;  // "int4 avx512"
  Kind kind;
  InputKind input;     // how the activations must be prepared
  int64_t least_rows;  // worth its start-up from this many rows on
  CpuFeatures needs;
  LinearFunction run;
};

// Best first within a kind; each kind ends with a generic one.
std::span<const LinearKernel> linear_kernels();

const LinearKernel& choose_kernel(Kind kind, int64_t rows, const CpuFeatures& features);

}  // namespace tqm::compress::fast
