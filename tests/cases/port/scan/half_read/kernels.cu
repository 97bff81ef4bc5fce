// What Clang can't read whole, and the words of the file still hold.
#include <company/base.h>
#include <cuda_runtime.h>

__global__ void whole(float* x) { x[threadIdx.x] = 1; }

__global__ void unknown_type(company::Span<float> x) { x[threadIdx.x] = 1; }

__global__ void unknown_function(float* x) {
  x[threadIdx.x] = company_scale(x[threadIdx.x]);
}

__global__ void declared_only(float* x, int n);

template <typename T>
__global__ void nobody_says_of_what(T* x) {
  x[threadIdx.x] = 1;
}

#define DEFINE_NEVER_USED(name) \
  __global__ void name##_kernel(float* x) { atomicAdd(x, 1.0f); }

#define DEFINE_SCALE(name, factor) \
  __global__ void name(float* x) { x[threadIdx.x] *= factor; }
DEFINE_SCALE(twice, 2)
DEFINE_SCALE(thrice, 3)

#define KERNEL __global__ void
KERNEL by_another_word(float* x) { x[threadIdx.x] = 1; }

#ifdef COMPANY_USES_HALVES
__global__ void left_out(__half* x) {
  __shared__ __half s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
}
void launch_left_out(__half* x) { left_out<<<1, 32, 64>>>(x); }
#endif

COMPANY_EXPORT(__global__ void in_unknown_macro(float* x) { x[threadIdx.x] = 1; })

#define UNUSED(...)
UNUSED(__global__ void taken_away(float* x) { x[threadIdx.x] = 1; })

template <typename T>
void run(T* x, float* y) {
  whole<<<1, 32>>>(y);
  nobody_says_of_what<<<1, 32>>>(x);
  COMPANY_CHECK((twice<<<dim3(2, 2), 64>>>(y)));
}

// __global__ void in_a_comment(float* x) {}
const char* text = "__global__ void in_a_string(float* x) {}";
