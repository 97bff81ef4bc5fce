// assert 5
#include <assert.h>
__global__ void check(int n) {
  const int t = threadIdx.x;
  assert(t < n);
}
int main() {
  check<<<1, 32>>>(31);
  return cudaDeviceSynchronize() == cudaErrorAssert ? 0 : 1;
}
