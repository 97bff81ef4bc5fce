// One thread a row, its centred row kept in an array of its own; pointers that nobody says are apart.
__global__ void layernorm_row_thread(float* in, float* weight, float* bias, float* out, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float centred[96];
  float mean = 0.0f;
  for (int i = 0; i < 96; ++i) mean += in[row * 96 + i];
  mean /= 96.0f;
  float square = 0.0f;
  for (int i = 0; i < 96; ++i) {
    centred[i] = in[row * 96 + i] - mean;
    square += centred[i] * centred[i];
  }
  const float scale = rsqrtf(square / 96.0f + 1e-5f);
  for (int i = 0; i < 96; ++i) out[row * 96 + i] = centred[i] * scale * weight[i] + bias[i];
}
