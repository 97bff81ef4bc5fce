// What can't be right on the other chip: a kernel each.
#include <cuda_runtime.h>
#include <stand_in.h>

__global__ void divergent_barrier(float* x) {
  if (threadIdx.x < 8) {
    x[threadIdx.x] = 0;
    __syncthreads();
  }
}

__global__ void ragged_loop(float* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    x[i] += 1;
    __syncthreads();
  }
}

__global__ void child(float* x) { x[threadIdx.x] = 1; }
__global__ void parent(float* x) {
  if (threadIdx.x == 0) child<<<1, 32>>>(x);
}

__global__ void assembler(int* x) {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  x[threadIdx.x] = lane;
}

__global__ void only_orders_memory(int* x) {
  asm volatile("" ::: "memory");
  x[threadIdx.x] = 1;
}

__device__ float sample(cudaTextureObject_t t, int x);
__global__ void textured(float* y, cudaTextureObject_t t) { y[threadIdx.x] = sample(t, threadIdx.x); }

__global__ void whole_grid(float* x) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  x[blockIdx.x] = 1;
  grid.sync();
}

__global__ void clustered(float* x) {
  auto cluster = cooperative_groups::this_cluster();
  x[threadIdx.x] = 1;
  cluster.sync();
}

__global__ void copies_behind(float* x) {
  __shared__ float s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4);
  __pipeline_commit();
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursive(int* x) { x[threadIdx.x] = fibonacci(x[threadIdx.x]); }

struct Shape {
  __device__ virtual float area() const = 0;
};
__global__ void virtual_call(float* y, Shape** shapes) { y[threadIdx.x] = shapes[threadIdx.x]->area(); }
__global__ void pointer_call(float* y, float (*f)(float)) { y[threadIdx.x] = f(1.0f); }

__global__ void heap(float** y) { y[threadIdx.x] = new float[4]; }

__global__ void random_numbers(float* y) {
  curandState state;
  curand_init(1, threadIdx.x, 0, &state);
  y[threadIdx.x] = curand_uniform(&state);
}

__global__ void lock(int* mutex, int* x) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  x[0] += 1;
  atomicExch(mutex, 0);
}
__global__ void waits_for_flag(volatile int* flag, int* x) {
  while (flag[0] == 0) {
  }
  x[0] = 1;
}

void run(float* x) { parent<<<1, 32>>>(x); }
