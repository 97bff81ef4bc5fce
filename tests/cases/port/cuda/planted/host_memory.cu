// host-memory 3
__global__ void read(int* out, const int* in) {
  *out = *in;
}
int main() {
  int* p;
  int here = 4;
  cudaMalloc(&p, sizeof(int));
  read<<<1, 1>>>(p, &here);
}
