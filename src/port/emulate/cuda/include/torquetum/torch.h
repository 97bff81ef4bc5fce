// As much of PyTorch's C++ interface as sources of extensions name: tensors as the host code asks for them, accessors as
// kernels take them, and the macros that choose a type. For reading a source; there is no tensor behind it to run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#include "../cuda_runtime.h"

namespace c10 {
enum class ScalarType { Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16 };
enum class DeviceType { CPU, CUDA };
using Half = __half;
using BFloat16 = __nv_bfloat16;
template <class T>
using optional = std::optional<T>;
struct Device {
  DeviceType type_ = DeviceType::CUDA;
  bool is_cuda() const { return type_ == DeviceType::CUDA; }
  int index() const { return 0; }
};
struct IntArrayRef {
  IntArrayRef(std::initializer_list<std::int64_t>);
  IntArrayRef(const std::vector<std::int64_t>&);
  IntArrayRef(std::int64_t);
  std::int64_t operator[](std::size_t) const;
  std::size_t size() const;
};
}  // namespace c10

namespace at {
using c10::BFloat16;
using c10::Device;
using c10::DeviceType;
using c10::Half;
using c10::IntArrayRef;
using c10::ScalarType;
inline constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short,
                            kInt = ScalarType::Int, kInt32 = ScalarType::Int, kLong = ScalarType::Long,
                            kInt64 = ScalarType::Long, kHalf = ScalarType::Half, kFloat16 = ScalarType::Half,
                            kFloat = ScalarType::Float, kFloat32 = ScalarType::Float, kDouble = ScalarType::Double,
                            kFloat64 = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;
inline constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;

template <class T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <class T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};

template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits, class index_t = std::int64_t>
class TensorAccessor {
 public:
  TQM_BOTH TensorAccessor(typename Traits<T>::PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  TQM_BOTH index_t size(index_t axis) const { return sizes_[axis]; }
  TQM_BOTH index_t stride(index_t axis) const { return strides_[axis]; }
  TQM_BOTH T* data() const { return data_; }
  TQM_BOTH decltype(auto) operator[](index_t at) const {
    if constexpr (N == 1)
      return (data_[at * strides_[0]]);
    else
      return TensorAccessor<T, N - 1, Traits, index_t>(data_ + at * strides_[0], sizes_ + 1, strides_ + 1);
  }

 private:
  typename Traits<T>::PtrType data_;
  const index_t* sizes_;
  const index_t* strides_;
};

template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits, class index_t = std::int64_t>
class GenericPackedTensorAccessor {
 public:
  TQM_BOTH index_t size(index_t axis) const { return sizes_[axis]; }
  TQM_BOTH index_t stride(index_t axis) const { return strides_[axis]; }
  TQM_BOTH T* data() const { return data_; }
  TQM_BOTH decltype(auto) operator[](index_t at) const {
    return TensorAccessor<T, N, Traits, index_t>(data_, sizes_, strides_)[at];
  }

 private:
  typename Traits<T>::PtrType data_;
  index_t sizes_[N], strides_[N];
};
template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, std::int32_t>;
template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, std::int64_t>;
template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits, class index_t = std::int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, index_t>;

struct TensorOptions {
  TensorOptions dtype(ScalarType) const;
  TensorOptions device(Device) const;
  TensorOptions device(DeviceType, int = 0) const;
  TensorOptions requires_grad(bool) const;
};

class Tensor {
 public:
  bool defined() const;
  std::int64_t size(std::int64_t axis) const;
  std::int64_t stride(std::int64_t axis) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  std::int64_t dim() const;
  std::int64_t ndimension() const;
  std::int64_t numel() const;
  std::int64_t element_size() const;
  ScalarType scalar_type() const;
  ScalarType type() const;
  ScalarType dtype() const;
  Device device() const;
  std::int64_t get_device() const;
  TensorOptions options() const;
  bool is_cuda() const;
  bool is_contiguous() const;
  Tensor contiguous() const;
  Tensor clone() const;
  Tensor to(ScalarType) const;
  Tensor view(IntArrayRef) const;
  Tensor reshape(IntArrayRef) const;
  Tensor transpose(std::int64_t, std::int64_t) const;
  Tensor operator[](std::int64_t) const;
  Tensor& zero_();
  void* data_ptr() const;
  template <class T>
  T* data_ptr() const;
  template <class T>
  T* data() const;
  template <class T>
  const T* const_data_ptr() const;
  template <class T>
  T* mutable_data_ptr() const;
  template <class T>
  T item() const;
  template <class T, std::size_t N>
  TensorAccessor<T, N> accessor() const;
  template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, Traits> packed_accessor32() const;
  template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, Traits> packed_accessor64() const;
  template <class T, std::size_t N, template <class> class Traits = DefaultPtrTraits, class index_t = std::int64_t>
  PackedTensorAccessor<T, N, Traits, index_t> packed_accessor() const;
};

Tensor empty(IntArrayRef, TensorOptions = {});
Tensor zeros(IntArrayRef, TensorOptions = {});
Tensor ones(IntArrayRef, TensorOptions = {});
Tensor empty_like(const Tensor&);
Tensor zeros_like(const Tensor&);
Tensor ones_like(const Tensor&);

// What sums of T are kept in.
template <class T, bool is_cuda>
struct AccumulateType {
  using type = T;
};
template <bool is_cuda>
struct AccumulateType<Half, is_cuda> {
  using type = float;
};
template <bool is_cuda>
struct AccumulateType<BFloat16, is_cuda> {
  using type = float;
};
template <class T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;

namespace cuda {
cudaStream_t getCurrentCUDAStream(int device = -1);
struct CUDAGuard {
  explicit CUDAGuard(Device);
  explicit CUDAGuard(int);
};
}  // namespace cuda
}  // namespace at

namespace c10::cuda {
using at::cuda::CUDAGuard;
using at::cuda::getCurrentCUDAStream;
using OptionalCUDAGuard = at::cuda::CUDAGuard;
}  // namespace c10::cuda

namespace torch {
using namespace at;
using at::optional;
}  // namespace torch

template <class T>
__device__ T gpuAtomicAdd(T* to, T value) {
  return atomicAdd(to, value);
}
template <class T>
__device__ void gpuAtomicAddNoReturn(T* to, T value) {
  atomicAdd(to, value);
}

#define TQM_SCALAR(kind, cpp, ...)   \
  if (tqm_scalar_type == at::kind) { \
    using scalar_t = cpp;            \
    __VA_ARGS__();                   \
  }
#define TQM_FLOATING(...)                 \
  TQM_SCALAR(kDouble, double, __VA_ARGS__) \
  TQM_SCALAR(kFloat, float, __VA_ARGS__)
#define TQM_INTEGRAL(...)                              \
  TQM_SCALAR(kByte, unsigned char, __VA_ARGS__)        \
  TQM_SCALAR(kChar, signed char, __VA_ARGS__)          \
  TQM_SCALAR(kShort, short, __VA_ARGS__)               \
  TQM_SCALAR(kInt, int, __VA_ARGS__)                   \
  TQM_SCALAR(kLong, std::int64_t, __VA_ARGS__)
#define TQM_DISPATCH(TYPE, ...)              \
  [&] {                                      \
    const auto tqm_scalar_type = (TYPE);     \
    __VA_ARGS__                              \
  }()
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) TQM_DISPATCH(TYPE, TQM_FLOATING(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) TQM_DISPATCH(TYPE, TQM_INTEGRAL(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) TQM_DISPATCH(TYPE, TQM_FLOATING(__VA_ARGS__) TQM_INTEGRAL(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
  TQM_DISPATCH(TYPE, TQM_FLOATING(__VA_ARGS__) TQM_SCALAR(kHalf, at::Half, __VA_ARGS__))
#define TQM_AND(WHICH, ...)                                                             \
  if constexpr (WHICH == at::kHalf) { TQM_SCALAR(kHalf, at::Half, __VA_ARGS__) }        \
  if constexpr (WHICH == at::kBFloat16) { TQM_SCALAR(kBFloat16, at::BFloat16, __VA_ARGS__) } \
  if constexpr (WHICH == at::kBool) { TQM_SCALAR(kBool, bool, __VA_ARGS__) }
#define AT_DISPATCH_FLOATING_TYPES_AND(WHICH, TYPE, NAME, ...) \
  TQM_DISPATCH(TYPE, TQM_FLOATING(__VA_ARGS__) TQM_AND(WHICH, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(FIRST, SECOND, TYPE, NAME, ...) \
  TQM_DISPATCH(TYPE, TQM_FLOATING(__VA_ARGS__) TQM_AND(FIRST, __VA_ARGS__) TQM_AND(SECOND, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(WHICH, TYPE, NAME, ...) \
  TQM_DISPATCH(TYPE, TQM_FLOATING(__VA_ARGS__) TQM_INTEGRAL(__VA_ARGS__) TQM_AND(WHICH, __VA_ARGS__))

#define TORCH_CHECK(...) ((void)0)
#define TORCH_CHECK_EQ(...) ((void)0)
#define TORCH_INTERNAL_ASSERT(...) ((void)0)
#define AT_ASSERTM(...) ((void)0)
#define AT_ASSERT(...) ((void)0)
#define AT_ERROR(...) ((void)0)
#define AT_CUDA_CHECK(call) ((void)(call))
#define C10_CUDA_CHECK(call) ((void)(call))
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)
#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

// What Python sees of an extension. The names that m.def() is given stay named.
struct TqmPythonModule {
  template <class... T>
  TqmPythonModule& def(const char*, T&&...);
};
#define PYBIND11_MODULE(name, variable) void tqm_python_module(TqmPythonModule& variable)
#define TORCH_LIBRARY(name, variable) void tqm_torch_library_##name(TqmPythonModule& variable)
