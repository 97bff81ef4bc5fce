// Refused: TQP2020
__global__ void break_among_meeting(float* x, int n) {
  float v = x[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    v += __shfl_xor_sync(0xffffffff, v, 1);
    if (v > 10.0f) {
      if (threadIdx.x % 2 == 0) {
        v = 0.0f;
        break;
      }
    }
  }
  x[threadIdx.x] = v;
}
void run(float* x, int n) { break_among_meeting<<<1, 32>>>(x, n); }
