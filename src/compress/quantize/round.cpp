#include "compress/quantize/round.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tqm::compress {
namespace {

struct ScaleZero {
  float scale = 1;
  int zero = 0;
};

// The grid that just covers [low, high], both shrunk by factor.
ScaleZero cover(const QuantSpec& spec, float low, float high, float factor) {
  const float steps = static_cast<float>((1 << spec.bits) - 1);
  if (spec.symmetric) {
    float largest = std::max(-low, high) * factor;
    float scale = round_scale(largest / (steps / 2), true);
    return {scale > 0 ? scale : 1.0f, 0};
  }
  low = std::min(low, 0.0f) * factor;  // zero stays exact: padding and dead weights remain zero
  high = std::max(high, 0.0f) * factor;
  float scale = round_scale((high - low) / steps, false);
  if (!(scale > 0)) return {1.0f, 0};
  const int lowest = -(1 << (spec.bits - 1));
  int zero = lowest - static_cast<int>(std::nearbyint(low / scale));
  return {scale, std::clamp(zero, lowest, -lowest - 1)};
}

// Squared error of rounding the values to the grid.
double error_of(const QuantSpec& spec, const float* values, int64_t n, ScaleZero grid) {
  const float inverse = 1.0f / grid.scale;
  const float low = static_cast<float>(-(1 << (spec.bits - 1)) - grid.zero),
              high = low + static_cast<float>((1 << spec.bits) - 1);
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    float q = std::clamp(std::nearbyint(values[i] * inverse), low, high);
    float e = values[i] - q * grid.scale;
    sum += e * e;
  }
  return sum;
}

ScaleZero choose(const QuantSpec& spec, const float* values, int64_t n, ScaleRule rule) {
  auto [low, high] = std::minmax_element(values, values + n);
  ScaleZero best = cover(spec, *low, *high, 1.0f);
  if (rule == ScaleRule::absmax) return best;
  double least = error_of(spec, values, n, best);
  // Below 0.6 the clipped values cost more than the finer steps give, at every width that is used here.
  for (int step = 1; step <= 40; ++step) {
    ScaleZero grid = cover(spec, *low, *high, 1.0f - 0.01f * static_cast<float>(step));
    double error = error_of(spec, values, n, grid);
    if (error < least) {
      least = error;
      best = grid;
    }
  }
  return best;
}

}  // namespace

int8_t nearest_code(float value, float scale, int zero, int bits) {
  const float low = static_cast<float>(-(1 << (bits - 1)) - zero), high = low + static_cast<float>((1 << bits) - 1);
  return static_cast<int8_t>(static_cast<int>(std::clamp(std::nearbyint(value / scale), low, high)) + zero);
}

Grid choose_grid(const QuantSpec& spec, const float* values, int64_t rows, int64_t columns, ScaleRule rule) {
  Grid grid{spec, rows, columns, {}, {}};
  const int64_t groups = grid.groups(), width = columns / groups;
  ASSERT(width * groups == columns);
  grid.scales.resize(static_cast<size_t>(rows * groups));
  if (!spec.symmetric) grid.zero_points.resize(static_cast<size_t>(rows * groups));
  at::parallel_for(0, rows, 8, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t group = 0; group < groups; ++group) {
        ScaleZero chosen = choose(spec, values + row * columns + group * width, width, rule);
        grid.scales[static_cast<size_t>(row * groups + group)] = chosen.scale;
        if (!spec.symmetric)
          grid.zero_points[static_cast<size_t>(row * groups + group)] = static_cast<int8_t>(chosen.zero);
      }
  });
  return grid;
}

QuantTensor round_to_nearest(const QuantSpec& spec, const float* values, int64_t rows, int64_t columns,
                             ScaleRule rule) {
  Grid grid = choose_grid(spec, values, rows, columns, rule);
  QuantTensor tensor{spec, rows, columns, {}, std::move(grid.scales), std::move(grid.zero_points)};
  tensor.codes.resize(static_cast<size_t>(rows * columns));
  const int64_t groups = tensor.groups(), width = tensor.group_width();
  at::parallel_for(0, rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        const size_t at = static_cast<size_t>(row * groups + column / width);
        const int zero = spec.symmetric ? 0 : tensor.zero_points[at];
        tensor.codes[static_cast<size_t>(row * columns + column)] =
            nearest_code(values[row * columns + column], tensor.scales[at], zero, spec.bits);
      }
  });
  return tensor;
}

Status check_group(const QuantSpec& spec, int64_t columns, const std::string& name) {
  if (spec.group == 0 || columns % spec.group == 0) return {};
  std::string fitting;
  for (int64_t group : {32, 64, 128, 256})
    if (columns % group == 0) fitting += (fitting.empty() ? "" : ", ") + std::to_string(group);
  return Error{
      ErrorKind::unsupported,
      "group " + std::to_string(spec.group) + " does not divide the width " + std::to_string(columns), name,
      fitting.empty() ? "use --group 0 (one scale a row)" : "use --group " + fitting + ", or 0 for one scale a row"};
}

}  // namespace tqm::compress
