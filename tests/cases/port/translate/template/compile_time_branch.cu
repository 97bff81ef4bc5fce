// One source, two kernels.
template <bool kNormalise>
__global__ void compile_time_branch(const float* x, float* y, int n, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if constexpr (kNormalise)
    y[i] = x[i] / (fabsf(x[i]) + scale);
  else
    y[i] = x[i] * scale;
}
void run(const float* x, float* y, float* z, int n) {
  compile_time_branch<true><<<(n + 127) / 128, 128>>>(x, y, n, 0.5f);
  compile_time_branch<false><<<(n + 127) / 128, 128>>>(x, z, n, 0.5f);
}
