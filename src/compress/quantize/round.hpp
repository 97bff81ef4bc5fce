// Round to nearest: scales from each group's own values, then the nearest code. Also the grid that GPTQ rounds to.
#pragma once

#include <cstdint>
#include <vector>

#include "compress/model/quant.hpp"

namespace tqm::compress {

enum class ScaleRule {
  absmax,  // symmetric: the largest magnitude over (2^bits − 1) / 2; asymmetric: (largest − smallest) / (2^bits − 1)
  mse,     // the factor on absmax's scale, of a fixed ladder, that leaves the least squared error
};

// Scale and zero of every group: what a value is rounded to before its code is chosen.
struct Grid {
  QuantSpec spec;
  int64_t rows = 0, columns = 0;
  std::vector<float> scales;        // rows × groups, on round_scale's grid
  std::vector<int8_t> zero_points;  // rows × groups; empty where symmetric

  int64_t group_of(int64_t column) const { return spec.group ? column / spec.group : 0; }
  int64_t groups() const { return spec.group ? columns / spec.group : 1; }
};

// values: rows × columns, row-major. importance: one weight a column for the mse rule (the diagonal of the Hessian), or
// empty. spec.group divides columns (checked by the caller through check_group).
Grid choose_grid(const QuantSpec& spec, const float* values, int64_t rows, int64_t columns, ScaleRule rule);

// The nearest code on the grid, ties to even.
int8_t nearest_code(float value, float scale, int zero, int bits);

QuantTensor round_to_nearest(const QuantSpec& spec, const float* values, int64_t rows, int64_t columns, ScaleRule rule);

// A group that does not divide the width is refused, with those that do.
Status check_group(const QuantSpec& spec, int64_t columns, const std::string& name);

}  // namespace tqm::compress
