#include <cuda_bf16.h>

// A residual and a gate in bfloat16: sums in bfloat16, the gate in float.
__global__ void bf16_gate(const __nv_bfloat16* x, const __nv_bfloat16* skip, const __nv_bfloat16* gate,
                          __nv_bfloat16* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const __nv_bfloat16 sum = x[i] + skip[i];
    const float g = 1.0f / (1.0f + __expf(-(float)gate[i]));
    out[i] = sum > (__nv_bfloat16)0.0f ? (__nv_bfloat16)((float)sum * g) : sum * (__nv_bfloat16)0.5f;
  }
}
