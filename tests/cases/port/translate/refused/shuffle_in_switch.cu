// Refused: TQP2018
__global__ void shuffle_in_switch(float* x, int mode) {
  float v = x[threadIdx.x];
  switch (mode) {
    case 0:
      v = __shfl_xor_sync(0xffffffff, v, 1);
      break;
    default:
      v = 0.0f;
  }
  x[threadIdx.x] = v;
}
void run(float* x, int mode) { shuffle_in_switch<<<1, 32>>>(x, mode); }
