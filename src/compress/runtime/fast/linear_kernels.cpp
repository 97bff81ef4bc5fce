#include "compress/runtime/fast/linear_kernels.hpp"

#include <array>

namespace tqm::compress::fast {
namespace {

constexpr int64_t kManyRows = 16;
constexpr CpuFeatures kAny{}, kAvx2{.avx2 = true}, kAvx512{.avx512 = true}, kAvx512Bf16{.avx512_bf16 = true},
    kAmx{.amx = true};

constexpr std::array kKernels = {
#if defined(__x86_64__)
    LinearKernel{"f32 avx512", Kind::f32, InputKind::f32, 1, kAvx512, avx512::linear_f32},
    LinearKernel{"f32 avx2", Kind::f32, InputKind::f32, 1, kAvx2, avx2::linear_f32},
#endif
    LinearKernel{"f32 generic", Kind::f32, InputKind::f32, 1, kAny, generic::linear_f32},
#if defined(__x86_64__)
    LinearKernel{"f16 amx", Kind::f16, InputKind::bf16, kManyRows, kAmx, amx::linear_f16},
    LinearKernel{"f16 avx512", Kind::f16, InputKind::f32, 1, kAvx512, avx512::linear_f16},
    LinearKernel{"f16 avx2", Kind::f16, InputKind::f32, 1, kAvx2, avx2::linear_f16},
#endif
    LinearKernel{"f16 generic", Kind::f16, InputKind::f32, 1, kAny, generic::linear_f16},
#if defined(__x86_64__)
    LinearKernel{"bf16 amx", Kind::bf16, InputKind::bf16, kManyRows, kAmx, amx::linear_bf16},
    LinearKernel{"bf16 avx512_bf16", Kind::bf16, InputKind::bf16, kManyRows, kAvx512Bf16, avx512_bf16::linear_bf16},
    LinearKernel{"bf16 avx512", Kind::bf16, InputKind::f32, 1, kAvx512, avx512::linear_bf16},
    LinearKernel{"bf16 avx2", Kind::bf16, InputKind::f32, 1, kAvx2, avx2::linear_bf16},
#endif
    LinearKernel{"bf16 generic", Kind::bf16, InputKind::f32, 1, kAny, generic::linear_bf16},
#if defined(__x86_64__)
    LinearKernel{"w8a8 amx", Kind::w8a8, InputKind::int8, kManyRows, kAmx, amx::linear_w8a8},
    LinearKernel{"w8a8 avx512", Kind::w8a8, InputKind::int8, 1, kAvx512, avx512::linear_w8a8},
    LinearKernel{"w8a8 avx2", Kind::w8a8, InputKind::int8, 1, kAvx2, avx2::linear_w8a8},
#endif
    LinearKernel{"w8a8 generic", Kind::w8a8, InputKind::int8, 1, kAny, generic::linear_w8a8},
#if defined(__x86_64__)
    LinearKernel{"int8 amx", Kind::int8, InputKind::bf16, kManyRows, kAmx, amx::linear_int8},
    LinearKernel{"int8 avx512", Kind::int8, InputKind::int16, 1, kAvx512, avx512::linear_int8},
    LinearKernel{"int8 avx2", Kind::int8, InputKind::int16, 1, kAvx2, avx2::linear_int8},
#endif
    LinearKernel{"int8 generic", Kind::int8, InputKind::int16, 1, kAny, generic::linear_int8},
#if defined(__x86_64__)
    LinearKernel{"int4 amx", Kind::int4, InputKind::bf16, kManyRows, kAmx, amx::linear_int4},
    LinearKernel{"int4 avx512", Kind::int4, InputKind::int16, 1, kAvx512, avx512::linear_int4},
    LinearKernel{"int4 avx2", Kind::int4, InputKind::int16, 1, kAvx2, avx2::linear_int4},
#endif
    LinearKernel{"int4 generic", Kind::int4, InputKind::int16, 1, kAny, generic::linear_int4},
};

}  // namespace

std::span<const LinearKernel> linear_kernels() {
  return kKernels;
}

const LinearKernel& choose_kernel(Kind kind, int64_t rows, const CpuFeatures& features) {
  const LinearKernel* chosen = nullptr;
  for (const LinearKernel& kernel : kKernels) {
    if (!chosen && kernel.kind == kind && rows >= kernel.least_rows && features.cover(kernel.needs)) chosen = &kernel;
  }
  return *chosen;
}

}  // namespace tqm::compress::fast
