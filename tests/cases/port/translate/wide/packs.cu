// Elements loaded and stored through a wider type, as CUDA code does it for wide memory accesses.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <string.h>

template <class T>
struct alignas(16) Pack {
  Pack() = default;
  __device__ explicit Pack(int4 word) {
    static_assert(sizeof(word) == sizeof(parts), "one word");
    memcpy(&parts, &word, sizeof(word));
  }
  __device__ int4 word() const {
    int4 whole;
    static_assert(sizeof(whole) == sizeof(parts), "one word");
    memcpy(&whole, &parts, sizeof(whole));
    return whole;
  }
  __device__ T& operator[](int i) { return parts[i]; }
  static constexpr int count = sizeof(int4) / sizeof(T);
  T parts[count];
};

template <class T>
__device__ Pack<T> take(const T* from) {
  return Pack<T>{__ldcs(reinterpret_cast<const int4*>(from))};
}
template <class T>
__device__ void put(T* to, Pack<T> pack) {
  *reinterpret_cast<int4*>(to) = pack.word();
}

__global__ void scale_packs(__nv_bfloat16* y, const __nv_bfloat16* x, float factor, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * Pack<__nv_bfloat16>::count;
  if (i >= n) return;
  Pack<__nv_bfloat16> in = take(x + i);
  Pack<__nv_bfloat16> out;
  for (int k = 0; k < Pack<__nv_bfloat16>::count; ++k) out[k] = (__nv_bfloat16)((float)in[k] * factor);
  put(y + i, out);
}

__global__ void add_packs(float* y, const float* a, const float* b, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * Pack<float>::count;
  if (i >= n) return;
  Pack<float> left = take(a + i);
  Pack<float> right = take(b + i);
  Pack<float> sum;
  for (int k = 0; k < Pack<float>::count; ++k) sum[k] = left[k] + right[k];
  __stcs(reinterpret_cast<int4*>(y + i), sum.word());
}

// Four bytes of a word, by memcpy: of one as wide, of narrower ones, of a wider one.
__global__ void turn_bytes(unsigned* out, const float* x, const unsigned* words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bits;
  memcpy(&bits, &x[i], sizeof(bits));
  unsigned char bytes[4];
  memcpy(bytes, &words[i], 4);
  const unsigned char turned[4] = {bytes[3], bytes[2], bytes[1], bytes[0]};
  unsigned joined;
  memcpy(&joined, turned, sizeof(joined));
  out[i] = joined ^ bits;
}
