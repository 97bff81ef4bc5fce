// wrong-mask 3
__global__ void other_half(unsigned* out) {
  out[threadIdx.x] = __ballot_sync(threadIdx.x < 31 ? 0x7fffffffu : 0x7fffffffu, 1);
}
int main() {
  unsigned* p;
  cudaMalloc(&p, 32 * sizeof(int));
  other_half<<<1, 32>>>(p);
}
