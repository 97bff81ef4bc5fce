#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Right values: IEEE 754 by hand, and __half against the compiler's own _Float16.
__global__ void roundings(float* out, int) {
  out[0] = __fadd_rn(1.0f, 5.9604645e-08f);  // 1 + 2^-24: a tie
  out[1] = __fadd_ru(1.0f, 5.9604645e-08f);
  out[2] = __fadd_rd(1.0f, -1e-20f);
  out[3] = __fadd_rz(-1.0f, 1e-20f);
  out[4] = __fmul_ru(3.0f, 1.0f / 3);
  out[5] = __fdiv_rd(1.0f, 3.0f);
  out[6] = __fdiv_ru(1.0f, 3.0f);
  out[7] = __fsqrt_ru(2.0f);
  out[8] = (float)__float2int_rn(2.5f);
  out[9] = (float)__float2int_ru(-2.5f);
  out[10] = (float)__float2int_rz(1e20f);
  out[11] = (float)__float2int_rd(NAN);
  out[12] = (float)__float2uint_rn(-3.0f);
  out[13] = rsqrtf(4.0f);
  out[14] = normcdff(0.0f);
  out[15] = erfinvf(0.5f);
  out[16] = __saturatef(1.5f) + __saturatef(-1.0f) + __saturatef(NAN);
  out[17] = (float)__popc(0xf0f0) + __clz(1) + __ffs(8) + __clz(0);
  out[18] = (float)(__brev(1u) == 0x80000000u) + (__byte_perm(0x03020100, 0x07060504, 0x7531) == 0x07050301);
  out[19] = (float)__mulhi(1 << 30, 8) + __umulhi(1u << 31, 4);
  out[20] = (float)__dp4a(0x01020304, 0x01010101, 5);
  out[21] = (float)(__funnelshift_l(0x80000000u, 1u, 1) == 3) + (__vadd4(0xff01ff01, 0x01010101) == 0x00020002);
  out[22] = sinpif(1.0f) + cospif(0.5f) + sinpif(0.5f);
  out[23] = rhypotf(3, 4) + norm3df(1, 2, 2) + (float)erfcinv(1.0);
}
__global__ void halves(int* out, int n) {
  // Every pair of some halves, against _Float16 rounded after each operation.
  const unsigned short i = (unsigned short)(blockIdx.x * 97 + 13);
  const unsigned short j = (unsigned short)(threadIdx.x * 521 + 7);
  const __half a = __ushort_as_half(i), b = __ushort_as_half(j);
  _Float16 x, y;
  __builtin_memcpy(&x, &i, 2);
  __builtin_memcpy(&y, &j, 2);
  auto same = [](__half h, _Float16 f) {
    unsigned short bits;
    __builtin_memcpy(&bits, &f, 2);
    return __half_as_ushort(h) == bits || (__hisnan(h) && f != f);
  };
  int wrong = !same(a + b, x + y) + !same(a * b, x * y) + !same(a - b, x - y) + !same(a / b, x / y);
  wrong += (float)a != (float)x && !(x != x);
  wrong += !same(__float2half((float)a * 1.001f), (_Float16)((float)x * 1.001f));
  // One rounding: exact in 128 bits is not to be had, long double holds these products and sums.
  const long double exact = (long double)(float)a * (float)b + 1.0L;
  wrong += !same(__hfma(a, b, __half(1.0f)), (_Float16)exact) && exact == exact && exact < 1e4L && exact > -1e4L;
  if (wrong) atomicAdd(&out[0], wrong);
}
__global__ void brains(float* out, int) {
  out[0] = __nv_bfloat16(1.00390625f);            // a tie: to even
  out[1] = __nv_bfloat16(1.01171875f);            // a tie: up
  out[2] = __bfloat162float(__float2bfloat16_rz(1.9999f));
  out[3] = __hfma(__nv_bfloat16(3.0f), __nv_bfloat16(5.0f), __nv_bfloat16(0.5f));
  out[4] = __half2float(__float2half(65520.0f));  // to infinity
  out[5] = __half2float(__float2half_rz(65520.0f));
  out[6] = __half2float(__float2half(5.9604645e-08f));
  out[7] = __half2float(__float2half(2.9802322e-08f));
  out[8] = __half2float(hexp(__float2half(1.0f)));
  const __half2 p = __floats2half2_rn(1.5f, -2.0f);
  out[9] = __low2float(p) + __high2float(__hmul2(p, p));
}

int main() {
  const float* r = run<float>(roundings, 1, 1, 24);
  CHECK(r[0] == 1.0f && r[1] == 1.00000012f && r[2] == 0.99999994f && r[3] == -0.99999994f);
  CHECK(r[4] == 1.00000012f && r[5] == 0.333333313f && r[6] == 0.333333343f && r[7] == 1.41421366f);
  CHECK(r[8] == 2 && r[9] == -2 && r[10] == 2147483647.0f && r[11] == 0 && r[12] == 0);
  CHECK(r[13] == 0.5f && r[14] == 0.5f && r[15] == 0.476936281f && r[16] == 1);
  CHECK(r[17] == 8 + 31 + 4 + 32 && r[18] == 2 && r[19] == 2 + 2 && r[20] == 15 && r[21] == 2);
  CHECK(r[22] == 1 && r[23] == 3.2f);
  CHECK(run<int>(halves, 600, 120, 1)[0] == 0);
  const float* b = run<float>(brains, 1, 1, 10);
  CHECK(b[0] == 1.0f && b[1] == 1.015625f && b[2] == 1.9921875f && b[3] == 15.5f);
  CHECK(b[4] == INFINITY && b[5] == 65504.0f && b[6] == 5.9604645e-08f && b[7] == 0.0f);
  CHECK(b[8] == 2.71875f && b[9] == 5.5f);
  return failures;
}
