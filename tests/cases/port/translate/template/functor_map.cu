struct Cube {
  float bias;
  __device__ float operator()(float x) const { return x * x * x + bias; }
};
template <class F>
__global__ void functor_map(const float* x, float* y, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f(x[i]);
}
void run(const float* x, float* y, int n) { functor_map<<<(n + 255) / 256, 256>>>(x, y, n, Cube{0.25f}); }
