// Refused: TQP2022
__global__ void static_variable(float* x) {
  static int calls = 0;
  x[threadIdx.x] *= 2.0f;
  ++calls;
}
void run(float* x) { static_variable<<<1, 32>>>(x); }
