#include "compress/quantize/gptq.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cholesky_inverse.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tqm::compress {

struct Hessian::Sums {
  at::Tensor sums;
  int64_t tokens = 0;
};

Hessian::Hessian(int64_t columns) : sums_(std::make_unique<Sums>()) {
  sums_->sums = at::zeros({columns, columns});
}
Hessian::~Hessian() = default;
Hessian::Hessian(Hessian&&) noexcept = default;
int64_t Hessian::tokens() const {
  return sums_->tokens;
}

void Hessian::add(const at::Tensor& inputs) {
  ASSERT(inputs.dim() == 2 && inputs.size(1) == sums_->sums.size(0));
  if (sums_->tokens == 0) sums_->sums = sums_->sums.to(inputs.device());
  const int64_t columns = inputs.size(1);
  const int64_t panel = std::max<int64_t>(64, (columns + 3) / 4);
  for (int64_t row = 0; row < columns; row += panel) {
    const int64_t height = std::min(panel, columns - row);
    at::Tensor block = sums_->sums.narrow(0, row, height).narrow(1, row, columns - row);
    block.addmm_(inputs.narrow(1, row, height).t(), inputs.narrow(1, row, columns - row));
  }
  sums_->tokens += inputs.size(0);
}

at::Tensor Hessian::matrix() const {
  at::Tensor upper = sums_->sums.triu();
  return (upper + upper.triu(1).t()) / static_cast<double>(std::max<int64_t>(1, sums_->tokens));
}

namespace {

// The upper factor U of H⁻¹ = Uᵀ U, f32; the ladder of dampings is climbed until it exists. Undefined tensor: it never
// did.
at::Tensor inverse_factor(const at::Tensor& hessian, double& damping) {
  at::Tensor h = hessian.to(at::kDouble);
  const double mean = h.diagonal().mean().item<double>();
  for (int step = 0; step < 7; ++step, damping *= 10) {
    at::Tensor damped = h.clone();
    damped.diagonal().add_(damping * mean);
    auto [lower, failed] = at::linalg_cholesky_ex(damped);
    if (failed.item<int>() != 0) continue;
    auto [upper, failed_again] = at::linalg_cholesky_ex(at::cholesky_inverse(lower), /*upper=*/true);
    if (failed_again.item<int>() != 0 || !std::isfinite(upper.sum().item<double>())) continue;
    return upper.to(at::kFloat).contiguous();
  }
  return {};
}

// tr(D H Dᵀ), the squared error of the layer's output a token.
double output_energy(const at::Tensor& difference, const at::Tensor& hessian) {
  return (at::mm(difference, hessian) * difference).sum().item<double>();
}

at::Tensor dequantized(const QuantTensor& tensor) {
  at::Tensor out = at::zeros({tensor.rows, tensor.columns});
  float* data = out.data_ptr<float>();
  for (int64_t row = 0; row < tensor.rows; ++row) tensor.dequantize_row(row, data + row * tensor.columns);
  return out;
}

}  // namespace

GptqResult gptq(const QuantSpec& spec, const at::Tensor& weight, const at::Tensor& hessian_in,
                const GptqOptions& options) {
  const int64_t rows = weight.size(0), columns = weight.size(1);
  ASSERT(hessian_in.size(0) == columns && hessian_in.size(1) == columns && weight.is_contiguous());
  GptqResult result;
  at::Tensor hessian = hessian_in.clone();
  at::Tensor diagonal = hessian.diagonal().contiguous();
  std::vector<float> energy(diagonal.data_ptr<float>(), diagonal.data_ptr<float>() + columns);

  // A column that no calibration token touched says nothing of its neighbours: alone on the diagonal it keeps its
  // weights.
  for (int64_t c = 0; c < columns; ++c)
    if (!(energy[static_cast<size_t>(c)] > 0)) {
      ++result.dead_columns;
      hessian.select(0, c).zero_();
      hessian.select(1, c).zero_();
    }
  const double mean_energy = std::accumulate(energy.begin(), energy.end(), 0.0) / static_cast<double>(columns);
  const float unseen = mean_energy > 0 ? static_cast<float>(mean_energy) : 1.0f;
  for (int64_t c = 0; c < columns; ++c)
    if (!(energy[static_cast<size_t>(c)] > 0)) hessian[c][c] = unseen;

  Grid grid = choose_grid(spec, weight.data_ptr<float>(), rows, columns, options.scale_rule);
  QuantTensor& tensor = result.tensor;
  tensor = QuantTensor{spec, rows, columns, {}, grid.scales, grid.zero_points};
  tensor.codes.resize(static_cast<size_t>(rows * columns));
  const int64_t groups = grid.groups();
  auto code_at = [&](int64_t row, int64_t column, float value) {
    const size_t at = static_cast<size_t>(row * groups + grid.group_of(column));
    return nearest_code(value, grid.scales[at], spec.symmetric ? 0 : grid.zero_points[at], spec.bits);
  };
  const float* original = weight.data_ptr<float>();
  at::parallel_for(0, rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * columns; i < end * columns; ++i)
      tensor.codes[static_cast<size_t>(i)] = code_at(i / columns, i % columns, original[i]);
  });
  const double whole = std::max(output_energy(weight, hessian_in), 1e-300);
  result.nearest_error = output_energy(weight - dequantized(tensor), hessian_in) / whole;
  result.relative_error = result.nearest_error;

  std::vector<int64_t> order(static_cast<size_t>(columns));
  std::iota(order.begin(), order.end(), 0);
  if (options.activation_order)
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return energy[static_cast<size_t>(a)] > energy[static_cast<size_t>(b)];
    });
  at::Tensor index = at::tensor(order);
  result.damping = options.damping;
  at::Tensor factor = inverse_factor(hessian.index_select(0, index).index_select(1, index), result.damping);
  if (!factor.defined()) {
    result.fell_back = true;
    return result;
  }

  at::Tensor working = weight.index_select(1, index).contiguous();  // columns in the order they are rounded
  float* w = working.data_ptr<float>();
  const float* u = factor.data_ptr<float>();
  std::vector<int8_t> nearest = tensor.codes;
  for (int64_t first = 0; first < columns; first += options.block_columns) {
    const int64_t width = std::min(options.block_columns, columns - first);
    at::Tensor errors = at::zeros({rows, width});
    float* e = errors.data_ptr<float>();
    at::parallel_for(0, rows, 4, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* line = w + row * columns;
        for (int64_t c = first; c < first + width; ++c) {
          const int64_t column = order[static_cast<size_t>(c)];
          const size_t at = static_cast<size_t>(row * groups + grid.group_of(column));
          const int zero = spec.symmetric ? 0 : grid.zero_points[at];
          const int8_t code = nearest_code(line[c], grid.scales[at], zero, spec.bits);
          tensor.codes[static_cast<size_t>(row * columns + column)] = code;
          const float lost = (line[c] - static_cast<float>(code - zero) * grid.scales[at]) / u[c * columns + c];
          e[row * width + (c - first)] = lost;
          const float* __restrict__ influence = u + c * columns;
          for (int64_t k = c + 1; k < first + width; ++k) line[k] -= lost * influence[k];
        }
      }
    });
    const int64_t rest = first + width;
    if (rest < columns)
      working.narrow(1, rest, columns - rest)
          .addmm_(errors, factor.narrow(0, first, width).narrow(1, rest, columns - rest), 1, -1);
  }
  result.relative_error = output_energy(weight - dequantized(tensor), hessian_in) / whole;
  if (!(result.relative_error <=
        result.nearest_error)) {  // seldom, with few tokens: then the plain rounding is the better one
    tensor.codes = std::move(nearest);
    result.relative_error = result.nearest_error;
  }
  return result;
}

}  // namespace tqm::compress
