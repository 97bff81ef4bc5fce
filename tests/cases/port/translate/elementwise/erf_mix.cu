// The error function of both halves of a pair, one as it is and one scaled.
__global__ void erf_mix(const float* x, float* plain, float* scaled, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  plain[i] = erff(x[i]);
  scaled[i] = 3.0f * erff(x[i] * 0.125f);
}
