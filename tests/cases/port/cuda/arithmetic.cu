// Integers, half, bfloat16 and vector types on the device, against values worked out by hand.
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void compute(float* f, unsigned* u) {
  f[0] = __half2float(__float2half(65519.0f));   // the largest below the tie: 65504
  f[1] = __half2float(__float2half(1.00048828125f));  // a tie: to even
  f[2] = __half2float(__hadd(__float2half(2048.0f), __float2half(1.0f)));
  f[3] = __bfloat162float(__float2bfloat16(1.00390625f));  // a tie: to even
  f[4] = __half2float(__hmul(__float2half(0.1f), __float2half(3.0f)));
  const float4 four = make_float4(1, 2, 3, 4);
  f[5] = four.x * four.w + four.y * four.z;
  f[6] = __fmaf_rn(16777216.0f, 1.0f, 1.0f) - 16777216.0f;
  f[7] = rsqrtf(4.0f) + fminf(3.0f, 2.0f) + fmaxf(-1.0f, -2.0f);
  f[8] = __int_as_float(0x40490fdb);
  f[9] = __half2float(__float2half(1e6f));  // infinity
  u[0] = __umulhi(0xffffffffu, 0xffffffffu);
  u[1] = static_cast<unsigned>(__clz(1)) * 100 + static_cast<unsigned>(__ffs(8));
  u[2] = __brev(1);
  u[3] = __byte_perm(0x33221100u, 0x77665544u, 0x7250);
  u[4] = static_cast<unsigned>(__popc(0xf0f0u));
  u[5] = static_cast<unsigned>(__float2int_rz(-2.7f));
  u[6] = static_cast<unsigned>(__float2int_rn(2.5f));
  u[7] = __funnelshift_l(0x80000000u, 1u, 1);
  u[8] = static_cast<unsigned>(__mul24(1000, -3));
  u[9] = __float_as_uint(1.0f);
}

int main() {
  float *df, f[10];
  unsigned *du, u[10];
  cudaMalloc(&df, sizeof f);
  cudaMalloc(&du, sizeof u);
  compute<<<1, 1>>>(df, du);
  cudaMemcpy(f, df, sizeof f, cudaMemcpyDeviceToHost);
  cudaMemcpy(u, du, sizeof u, cudaMemcpyDeviceToHost);
  // 0.1 in half is 0.0999755859375; times 3 is 0.2999267578125, a tie between 0.2998046875 and 0.300048828125: to even.
  const float wf[10] = {65504, 1.0f, 2048, 1.0f, 0.2998046875f, 10, 0, 1.5f, 3.14159274f, INFINITY};
  const unsigned wu[10] = {0xfffffffeu, 3104, 0x80000000u, 0x77225500u, 8, static_cast<unsigned>(-2), 2, 3, static_cast<unsigned>(-3000), 0x3f800000u};
  int wrong = 0;
  for (int i = 0; i < 10; ++i) {
    if (f[i] != wf[i]) std::printf("f[%d] = %.9g, not %.9g\n", i, f[i], wf[i]), ++wrong;
    if (u[i] != wu[i]) std::printf("u[%d] = %x, not %x\n", i, u[i], wu[i]), ++wrong;
  }
  std::printf("%d differ\n", wrong);
  return wrong != 0;
}
