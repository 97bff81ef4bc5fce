// illegal-address 3
__global__ void store(int* out) {
  out[0] = 1;
}
int main() {
  store<<<1, 1>>>(nullptr);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1;
}
