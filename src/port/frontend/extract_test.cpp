#include "port/frontend/extract.hpp"

#include <gtest/gtest.h>

namespace tqm::port {
namespace {

Program program_of(std::string text) {
  ParseOptions options;
  options.file = "/test/source.cu";
  options.text = std::move(text);
  options.cuda_headers = TQM_SOURCE_DIR "/tests/cases/port/frontend/cuda";
  auto unit = parse(options);
  EXPECT_TRUE(unit.ok());
  return extract(*unit);
}

std::string features_of(const Kernel& kernel) {
  std::string text;
  for (const FeatureUse& use : kernel.facts.features)
    text += std::string(name(use.feature)) + ":" + std::to_string(use.line) + " ";
  return text;
}

std::string accesses_of(const AccessCounts& counts) {
  std::string text;
  for (const auto& [pattern, count] : counts) text += std::string(name(pattern)) + ":" + std::to_string(count) + " ";
  return text;
}

TEST(Extract, KernelsTheirTemplatesAndTheirLaunches) {
  const Program program = program_of(R"(namespace ops {
template <class T, int N> __global__ void fill(T* y, T v) { y[threadIdx.x] = v; }
}
__global__ void declared(int* x);
void run(float* y) {
  ops::fill<float, 4><<<dim3(2, 3), 64, 128>>>(y, 1.0f);
  declared<<<1, 32>>>(nullptr);
  void* args[1] = {&y};
  cudaLaunchKernel((const void*)declared, 1, 2, args, 0, 0);
}
)");
  ASSERT_EQ(program.kernels.size(), 2u);
  const Kernel& fill = program.kernels[0];
  EXPECT_EQ(fill.name, "ops::fill");
  EXPECT_EQ(fill.line, 2);
  EXPECT_EQ(fill.template_parameters, (std::vector<std::string>{"class T", "int N"}));
  EXPECT_EQ(fill.instantiations, (std::vector<std::string>{"float, 4"}));
  EXPECT_EQ(fill.parameters, (std::vector<std::string>{"T *y", "T v"}));
  EXPECT_FALSE(program.kernels[1].defined);
  ASSERT_EQ(program.launches.size(), 3u);
  EXPECT_EQ(program.launches[0].kernel, "ops::fill");
  EXPECT_EQ(program.launches[0].instantiation, "float, 4");
  EXPECT_EQ(program.launches[0].grid, "dim3(2, 3)");
  EXPECT_EQ(program.launches[0].block, "64");
  EXPECT_EQ(program.launches[0].shared_bytes, "128");
  EXPECT_EQ(program.launches[0].function, "run");
  EXPECT_EQ(program.launches[2].form, "cudaLaunchKernel");
  EXPECT_EQ(program.launches[2].kernel, "declared");
  EXPECT_EQ(program.marks.size(), 2u);
}

TEST(Extract, BarriersThatSomeThreadsMiss) {
  const Program program = program_of(R"(__global__ void uniform(float* x, int n) {
  __shared__ float s[32];
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x < 4) s[threadIdx.x] = x[i];
    __syncthreads();
  }
}
__global__ void under_condition(float* x) {
  if (threadIdx.x < 4)
    __syncthreads();
}
__global__ void in_ragged_loop(float* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    __syncthreads();
}
__device__ void all_meet() {
  __syncthreads();
}
__global__ void by_call(float* x) {
  int odd = threadIdx.x & 1;
  if (odd) all_meet();
}
__global__ void after_return(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __syncthreads();
}
__global__ void uniform_return(float* x, int n) {
  if (blockIdx.x >= n) return;
  __syncthreads();
}
__global__ void left_by_break(float* x, int n) {
  for (int i = 0; i < n; ++i) {
    if (x[threadIdx.x] > 0) break;
    __syncthreads();
  }
}
)");
  ASSERT_EQ(program.kernels.size(), 7u);
  EXPECT_EQ(features_of(program.kernels[0]), "shared-static:2 barrier:5 barrier-in-loop:5 ");
  EXPECT_EQ(features_of(program.kernels[1]), "barrier:10 barrier-divergent:10 ");
  EXPECT_EQ(features_of(program.kernels[2]), "barrier:14 barrier-in-loop:14 barrier-divergent:14 ");
  EXPECT_EQ(features_of(program.kernels[3]), "barrier:17 barrier-divergent:17 ");
  EXPECT_EQ(features_of(program.kernels[4]), "barrier:26 barrier-after-exit:26 ");
  EXPECT_EQ(features_of(program.kernels[5]), "barrier:30 ");
  EXPECT_EQ(features_of(program.kernels[6]), "barrier:35 barrier-in-loop:35 barrier-divergent:35 ");
}

TEST(Extract, AccessesByHowTheyMove) {
  const Program program = program_of(R"(__global__ void k(float* y, const float* x, const int* at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* row = x + blockIdx.x * n;
  y[i] = x[i] + row[threadIdx.x + 1];       // contiguous
  y[i * n] = x[0];                          // strided, uniform
  y[threadIdx.y * n] = row[3];              // row, uniform
  y[at[i]] = x[i / n];                      // indirect by way of a contiguous one, irregular
  for (int j = i; j < n; j += gridDim.x * blockDim.x) y[j] *= 2;
}
)");
  EXPECT_EQ(accesses_of(program.kernels.at(0).facts.reads), "uniform:2 contiguous:4 irregular:1 ");
  EXPECT_EQ(accesses_of(program.kernels.at(0).facts.writes), "contiguous:2 strided:1 row:1 indirect:1 ");
  EXPECT_TRUE(program.kernels.at(0).facts.thread_dependent_loop);
}

TEST(Extract, WhatTheCompilerOrThePersonMustKnow) {
  const Program program = program_of(R"(extern "C" __device__ int printf(const char*, ...);
__device__ float atomicAdd(float*, float);
__device__ int atomicCAS(int*, int, int);
__constant__ float table[4];
__device__ int counter;
struct Shape { virtual __device__ float area() = 0; };
__device__ float factorial(float n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void child() {}
__global__ void k(float* y, Shape* shape, float (*f)(float), int* lock) {
  y[0] = table[0] + counter;
  y[1] = shape->area();
  y[2] = f(1);
  y[3] = factorial(3);
  atomicAdd(y, 1.0f);
  asm("mov.u32 %0, %laneid;" : "=r"(lock[0]));
  child<<<1, 1>>>();
  y = new float[3];
  double d = y[0];
  printf("%f", y[0]);
  while (atomicCAS(lock, 0, 1) != 0) {}
}
)");
  ASSERT_EQ(program.kernels.size(), 2u);
  EXPECT_EQ(features_of(program.kernels[1]),
            "recursion:7 function-pointer:9 constant-memory:10 device-variable:10 virtual-function:11 "
            "function-pointer:12 atomic-global:14 atomic-float:14 inline-ptx:15 dynamic-parallelism:16 device-heap:17 "
            "double:18 printf:19 atomic-global:20 spin-wait:20 ");
}

TEST(Extract, GoesThroughJsonWhole) {
  const Program program = program_of(
      "#if 0\n#endif\n#include <nowhere.h>\n__global__ void k(Unknown* x) { x[0] = 1; }\n"
      "void f() { k<<<1, 2>>>(0); }\n");
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(program.kernels[0].guesses.size(), 1u);
  EXPECT_EQ(program.left_out.size(), 1u);
  EXPECT_EQ(program.missing.size(), 1u);
  const auto again = program_from_json(to_json(program));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(to_json(*again), to_json(program));
  EXPECT_EQ(program_from_json(Json::object()).error().kind, ErrorKind::internal);
}

}  // namespace
}  // namespace tqm::port
