// Rows gathered and summed by number, forward and back: where a network on a graph spends its time outside of products.
// On the CPU by loops of our own over rows sorted by their target, so that the order of sums is always the same;
// elsewhere by LibTorch's operators.
#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <vector>

namespace tqm::matter::chgnet {

// Row k of many belongs to row of[k] of few.
class RowIndex {
 public:
  RowIndex() = default;
  RowIndex(const std::vector<int64_t>& of, int64_t few, c10::Device device);
  int64_t many() const { return many_; }
  at::Tensor gather(const at::Tensor& few) const;  // [many, width]
  at::Tensor sum(const at::Tensor& many) const;    // [few, width]
  const int64_t* of() const { return of_.data(); }
  const at::Tensor& device_index() const { return index_; }  // where the device is no CPU

 private:
  int64_t few_ = 0, many_ = 0;
  std::vector<int64_t> of_, begin_, sorted_;  // on the host; the rows of few r are sorted_[begin_[r]..begin_[r + 1]]
  at::Tensor index_;                          // on the device, where it is no CPU
};

// Σ of gathered rows: parts[p][index[p][k]]. One pass on the CPU.
at::Tensor gathered_sum(const std::vector<at::Tensor>& parts, const std::vector<const RowIndex*>& indices);

}  // namespace tqm::matter::chgnet
