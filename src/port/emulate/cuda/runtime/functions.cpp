// Functions as far off as CUDA documents, where a side is asked for it (--functions above|around).
#include <cmath>
#include <cstdint>

#include "port/emulate/cuda/function_errors.hpp"
#include "port/emulate/cuda/runtime/block.hpp"
#include "port/emulate/cuda/runtime/export.hpp"
#include "port/emulate/cuda/runtime/options.hpp"

using namespace tqm::port::cuda;

namespace {

// Up or down by chance, the same in every run.
bool by_chance() {
  static std::uint64_t state = 1;
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (state >> 33) & 1U;
}

// 0, ±1 and what is not finite stay, and nothing crosses ±1: those are what programs test for.
float off(float value, int ulps) {
  ++counters().approximate_calls;
  const FunctionError error = options().functions;
  if (error == FunctionError::none || value == 0 || std::fabs(value) == 1 || !std::isfinite(value)) return value;
  const float towards = error == FunctionError::above || by_chance() ? INFINITY : -INFINITY;
  float moved = value;
  for (int i = 0; i < ulps; ++i) moved = std::nextafter(moved, towards);
  if (!std::isfinite(moved)) return value;
  if (std::fabs(value) < 1 && std::fabs(moved) > 1) return std::copysign(1.0F, value);
  return moved;
}

}  // namespace

#define OF_ONE(name, ulps)                    \
  TQM_EXPORT float tqm_cuda_##name(float x) { \
    return off(::name(x), ulps);              \
  }
#define OF_TWO(name, ulps)                             \
  TQM_EXPORT float tqm_cuda_##name(float x, float y) { \
    return off(::name(x, y), ulps);                    \
  }
TQM_FUNCTIONS_OF_ONE(OF_ONE)
TQM_FUNCTIONS_OF_TWO(OF_TWO)
TQM_EXPORT float tqm_cuda_rsqrtf(float x) {
  return off(static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))), 2);
}
TQM_EXPORT void tqm_cuda_sincosf(float x, float* sine, float* cosine) {
  *sine = tqm_cuda_sinf(x);
  *cosine = tqm_cuda_cosf(x);
}
