// Refused: TQP2001
__global__ void vector_extension(const float* x, float* y) {
  y[threadIdx.x] = __builtin_shufflevector(__extension__ (float __attribute__((vector_size(16)))){x[0], x[1], x[2], x[3]},
                                           (float __attribute__((vector_size(16)))){}, 3, 2, 1, 0)[threadIdx.x & 3];
}
void run(const float* x, float* y) { vector_extension<<<1, 64>>>(x, y); }
