// Eight-bit floats: every code back and forth, ties to even, what is too large, both forms.
#include <cuda_fp8.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void all_codes(float* e4m3, float* e5m2, unsigned char* again) {
  const unsigned char code = (unsigned char)threadIdx.x;
  __nv_fp8_e4m3 a;
  a.__x = code;
  __nv_fp8_e5m2 b;
  b.__x = code;
  e4m3[code] = (float)a;
  e5m2[code] = (float)b;
  again[code] = __nv_fp8_e4m3((float)a).__x;
  again[256 + code] = __nv_fp8_e5m2((float)b).__x;
}
__global__ void chosen(unsigned char* out) {
  out[0] = __nv_cvt_float_to_fp8(1.0625f, __NV_SATFINITE, __NV_E4M3);  // half way between 1 and 1.125
  out[1] = __nv_cvt_float_to_fp8(1.1875f, __NV_SATFINITE, __NV_E4M3);  // half way between 1.125 and 1.25
  out[2] = __nv_cvt_float_to_fp8(-1000.0f, __NV_SATFINITE, __NV_E4M3);
  out[3] = __nv_cvt_float_to_fp8(1000.0f, __NV_NOSAT, __NV_E4M3);
  out[4] = __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2);
  out[5] = __nv_cvt_float_to_fp8(1e6f, __NV_SATFINITE, __NV_E5M2);
  out[6] = __nv_cvt_float_to_fp8(0.0009765625f, __NV_SATFINITE, __NV_E4M3);  // half of the smallest
  out[7] = __nv_cvt_float_to_fp8(0.0029f, __NV_SATFINITE, __NV_E4M3);
}

int main() {
  float *a, *b;
  unsigned char *again, *few;
  cudaMallocManaged(&a, 256 * 4);
  cudaMallocManaged(&b, 256 * 4);
  cudaMallocManaged(&again, 512);
  cudaMallocManaged(&few, 8);
  all_codes<<<1, 256>>>(a, b, again);
  chosen<<<1, 1>>>(few);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  if (a[0x38] != 1.0f || a[0x7e] != 448.0f || a[1] != 0.001953125f || a[0x7f] == a[0x7f]) return 2;
  if (b[0x3c] != 1.0f || b[0x7b] != 57344.0f || b[1] != 1.52587890625e-05f || b[0xfc] != -b[0x7c]) return 3;
  for (int i = 0; i < 256; ++i) {
    const bool nan_a = a[i] != a[i], nan_b = b[i] != b[i], infinite = (i & 0x7f) == 0x7c;
    if (!nan_a && again[i] != i) return 4;
    if (!nan_b && !infinite && again[256 + i] != i) return 5;
  }
  const unsigned char wanted[8] = {0x38, 0x3a, 0xfe, 0x7f, 0x7c, 0x7b, 0x00, 0x01};
  for (int i = 0; i < 8; ++i)
    if (few[i] != wanted[i]) {
      printf("%d: %#x for %#x\n", i, few[i], wanted[i]);
      return 6;
    }
  return 0;
}
