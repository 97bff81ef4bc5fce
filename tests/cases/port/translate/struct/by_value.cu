struct Params {
  float scale;
  int width, height;
  const float* bias;
};
__global__ void by_value(Params p, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  if (x < p.width) out[y * p.width + x] = in[y * p.width + x] * p.scale + p.bias[x];
}
void run(Params p, const float* in, float* out) { by_value<<<dim3((p.width + 63) / 64, p.height), 64>>>(p, in, out); }
