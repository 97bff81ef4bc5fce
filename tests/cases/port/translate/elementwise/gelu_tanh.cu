// GELU by its tanh form.
#define SCALE 0.7978845608f
__global__ void gelu_tanh(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  const float cube = 0.044715f * x * x * x;
  out[i] = 0.5f * x * (1.0f + tanhf(SCALE * (x + cube)));
}
void run(const float* in, float* out, int n) { gelu_tanh<<<(n + 127) / 128, 128>>>(in, out, n); }
