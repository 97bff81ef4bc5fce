#include "matter/potential/chgnet/rows.hpp"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

namespace tqm::matter::chgnet {
namespace {

constexpr int64_t kGrain = 64;  // rows a thread takes at least

}  // namespace

RowIndex::RowIndex(const std::vector<int64_t>& of, int64_t few, c10::Device device)
    : few_(few), many_(static_cast<int64_t>(of.size())), of_(of) {
  if (device.is_cpu()) {
    begin_.assign(static_cast<size_t>(few) + 1, 0);
    sorted_.resize(of.size());
    for (const int64_t r : of) ++begin_[static_cast<size_t>(r) + 1];
    for (size_t r = 0; r < static_cast<size_t>(few); ++r) begin_[r + 1] += begin_[r];
    std::vector<int64_t> next(begin_.begin(), begin_.end() - 1);
    for (size_t k = 0; k < of.size(); ++k)
      sorted_[static_cast<size_t>(next[static_cast<size_t>(of[k])]++)] = static_cast<int64_t>(k);
  } else {
    index_ = at::from_blob(of_.data(), {many_}, at::kLong).to(device, at::kLong, false, true);
  }
}

at::Tensor RowIndex::gather(const at::Tensor& few) const {
  return gathered_sum({few}, {this});
}

at::Tensor RowIndex::sum(const at::Tensor& many) const {
  const int64_t width = many.size(1);
  if (!many.device().is_cpu()) return at::index_add(at::zeros({few_, width}, many.options()), 0, index_, many);
  const at::Tensor rows = many.contiguous();
  at::Tensor out = at::empty({few_, width}, many.options());
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "sum_rows", [&] {
    const auto* from = rows.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, few_, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        scalar_t* row = to + r * width;
        for (int64_t c = 0; c < width; ++c) row[c] = 0;
        for (int64_t k = begin_[static_cast<size_t>(r)]; k < begin_[static_cast<size_t>(r) + 1]; ++k) {
          const scalar_t* add = from + sorted_[static_cast<size_t>(k)] * width;
          for (int64_t c = 0; c < width; ++c) row[c] += add[c];
        }
      }
    });
  });
  return out;
}

at::Tensor gathered_sum(const std::vector<at::Tensor>& parts, const std::vector<const RowIndex*>& indices) {
  const int64_t width = parts[0].size(1), many = indices[0]->many();
  if (!parts[0].device().is_cpu()) {
    at::Tensor out;
    for (size_t p = 0; p < parts.size(); ++p) {
      const at::Tensor rows = at::index_select(parts[p], 0, indices[p]->device_index());
      out = p == 0 ? rows : out.add_(rows);
    }
    return out;
  }
  std::vector<at::Tensor> whole;
  for (const at::Tensor& part : parts) whole.push_back(part.contiguous());
  at::Tensor out = at::empty({many, width}, parts[0].options());
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "gathered_sum", [&] {
    auto* to = out.mutable_data_ptr<scalar_t>();
    std::vector<const scalar_t*> from;
    for (const at::Tensor& part : whole) from.push_back(part.const_data_ptr<scalar_t>());
    at::parallel_for(0, many, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        scalar_t* row = to + k * width;
        const scalar_t* first = from[0] + indices[0]->of()[k] * width;
        for (int64_t c = 0; c < width; ++c) row[c] = first[c];
        for (size_t p = 1; p < from.size(); ++p) {
          const scalar_t* add = from[p] + indices[p]->of()[k] * width;
          for (int64_t c = 0; c < width; ++c) row[c] += add[c];
        }
      }
    });
  });
  return out;
}

}  // namespace tqm::matter::chgnet
