// Vectors of both sides, and the algorithms that programs use most, on device vectors, raw pointers and the host.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include "check.h"

struct Square {
  __device__ float operator()(float x) const { return x * x; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
__global__ void add_one(int* values, int n) {
  if (threadIdx.x < n) values[threadIdx.x] += 1;
}

int main() {
  thrust::device_vector<int> numbers(10);
  thrust::sequence(numbers.begin(), numbers.end(), 5);
  add_one<<<1, 32>>>(thrust::raw_pointer_cast(numbers.data()), 10);
  CHECK(thrust::reduce(numbers.begin(), numbers.end()) == 105);
  CHECK(thrust::reduce(numbers.begin(), numbers.end(), 0, thrust::maximum<int>()) == 15);
  CHECK(thrust::count_if(numbers.begin(), numbers.end(), IsOdd()) == 5);
  CHECK(*thrust::max_element(numbers.begin(), numbers.end()) == 15);
  numbers[3] = 40;
  CHECK(thrust::max_element(numbers.begin(), numbers.end()) - numbers.begin() == 3);

  thrust::host_vector<float> halves(6);
  for (int i = 0; i < 6; ++i) halves[i] = 0.5f * i;
  thrust::device_vector<float> there = halves, squares(6);
  thrust::transform(there.begin(), there.end(), squares.begin(), Square());
  CHECK(squares[4] == 4.0f);
  CHECK(thrust::transform_reduce(there.begin(), there.end(), Square(), 0.0f, thrust::plus<float>()) == 13.75f);
  thrust::transform(there.begin(), there.end(), squares.begin(), squares.begin(), thrust::multiplies<float>());
  halves = squares;
  CHECK(halves[2] == 1.0f && halves[5] == 15.625f);

  int keys[7] = {5, 1, 4, 1, 9, 2, 4}, values[7] = {0, 1, 2, 3, 4, 5, 6}, *k, *v;
  cudaMalloc(&k, sizeof(keys));
  cudaMalloc(&v, sizeof(values));
  cudaMemcpy(k, keys, sizeof(keys), cudaMemcpyHostToDevice);
  cudaMemcpy(v, values, sizeof(values), cudaMemcpyHostToDevice);
  thrust::sort_by_key(thrust::device, k, k + 7, v);
  cudaMemcpy(keys, k, sizeof(keys), cudaMemcpyDeviceToHost);
  cudaMemcpy(values, v, sizeof(values), cudaMemcpyDeviceToHost);
  const int order[7] = {1, 3, 5, 2, 6, 0, 4};
  for (int i = 0; i < 7; ++i) CHECK(values[i] == order[i]);
  thrust::device_ptr<int> first(k);
  const auto end = thrust::unique(first, first + 7);
  CHECK(end - first == 5);
  thrust::exclusive_scan(first, end, thrust::device_ptr<int>(v));
  cudaMemcpy(values, v, sizeof(values), cudaMemcpyDeviceToHost);
  CHECK(values[0] == 0 && values[4] == 12);
  CHECK(thrust::remove_if(first, end, IsOdd()) - first == 2);
  thrust::inclusive_scan(thrust::host, values, values + 7, values);
  CHECK(values[1] == 1);
  thrust::sort(numbers.begin(), numbers.end(), thrust::greater<int>());
  CHECK(numbers[0] == 40 && numbers[9] == 6);
  thrust::host_vector<int> back(10);
  thrust::copy(numbers.begin(), numbers.end(), back.begin());
  CHECK(back[9] == 6);
  CHECK(thrust::reduce(thrust::make_counting_iterator(1), thrust::make_counting_iterator(5)) == 10);
  return failures;
}
