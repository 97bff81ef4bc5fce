// Refused: TQP2019
template <class F>
struct Kept {
  F f;
};
template <class F>
__device__ float applied(const Kept<F>& kept, float v) {
  return kept.f(v);
}
__global__ void lambda(float* x) {
  auto twice = [](float v) { return 2.0f * v; };
  const Kept<decltype(twice)> kept{twice};
  x[threadIdx.x] = applied(kept, x[threadIdx.x]);
}
void run(float* x) { lambda<<<1, 32>>>(x); }
