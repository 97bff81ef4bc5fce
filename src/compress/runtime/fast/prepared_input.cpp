#include "compress/runtime/fast/prepared_input.hpp"

#include <algorithm>
#include <cstring>

#include "base/result.hpp"
#include "tensor/dtype.hpp"

namespace tqm::compress::fast {
namespace {
size_t size(int64_t value) {
  return static_cast<size_t>(value);
}
}  // namespace

PreparedInput::PreparedInput(int64_t rows, int64_t columns, std::vector<int64_t> chunks)
    : columns_(columns), depth_((columns + kDepthGrain - 1) / kDepthGrain * kDepthGrain), chunks_(std::move(chunks)) {
  const size_t count = size(rows * depth_);
  f32_ = Buffer(count * 4);
  bf16_ = Buffer(count * 2);
  int8_ = Buffer(count);
  int16_ = Buffer(count * 2);
  int8_scales_ = Buffer(size(rows) * 4);
  int8_sums_ = Buffer(size(rows) * 4);
  int16_scales_ = Buffer(size(rows) * 4);
  std::erase(chunks_, 0);
  std::sort(chunks_.begin(), chunks_.end());
  chunks_.erase(std::unique(chunks_.begin(), chunks_.end()), chunks_.end());
  for (const int64_t chunk : chunks_) int16_sums_.emplace_back(size(rows * ((columns + chunk - 1) / chunk)) * 4);
}

void PreparedInput::prepare(int64_t row, const float* x, const VectorOps& ops, const InputKinds& kinds) {
  if (kinds.f32 && x != row_floats(row)) std::memcpy(row_floats(row), x, size(columns_) * 4);
  if (kinds.bf16) ops.to_bf16(x, columns_, bf16_.as<uint16_t>() + row * depth_);
  if (kinds.int8) {
    int8_scales_.as<float>()[row] =
        ops.to_int8(x, columns_, int8_.as<int8_t>() + row * depth_, int8_sums_.as<int32_t>() + row);
  }
  if (kinds.int16) {
    int16_t* codes = int16_.as<int16_t>() + row * depth_;
    int16_scales_.as<float>()[row] = ops.to_int16(x, columns_, codes);
    for (size_t i = 0; i < chunks_.size(); ++i) {
      const int64_t sums = (columns_ + chunks_[i] - 1) / chunks_[i];
      ops.sums_int16(codes, columns_, chunks_[i], int16_sums_[i].as<int32_t>() + row * sums);
    }
  }
}

InputView PreparedInput::view(int64_t rows, int64_t chunk) const {
  const auto found = std::find(chunks_.begin(), chunks_.end(), chunk);
  const int32_t* sums = found == chunks_.end() ? nullptr : int16_sums_[size(found - chunks_.begin())].as<int32_t>();
  return {rows,
          depth_,
          f32_.as<float>(),
          bf16_.as<uint16_t>(),
          int8_.as<int8_t>(),
          int16_.as<int16_t>(),
          int8_scales_.as<float>(),
          int8_sums_.as<int32_t>(),
          int16_scales_.as<float>(),
          sums};
}

double PreparedInput::value(InputKind kind, int64_t row, int64_t column) const {
  const int64_t at = row * depth_ + column;
  switch (kind) {
    case InputKind::f32:
      return static_cast<double>(f32_.as<float>()[at]);
    case InputKind::bf16:
      return static_cast<double>(tensor::bf16_to_float(bf16_.as<uint16_t>()[at]));
    case InputKind::int8:
      return int8_.as<int8_t>()[at] * static_cast<double>(int8_scales_.as<float>()[row]);
    case InputKind::int16:
      return int16_.as<int16_t>()[at] * static_cast<double>(int16_scales_.as<float>()[row]);
  }
  return 0;
}

uint64_t PreparedInput::bytes() const {
  uint64_t total = f32_.bytes() + bf16_.bytes() + int8_.bytes() + int16_.bytes() + int8_scales_.bytes() +
                   int8_sums_.bytes() + int16_scales_.bytes();
  for (const Buffer& sums : int16_sums_) total += sums.bytes();
  return total;
}

}  // namespace tqm::compress::fast
