#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__constant__ float scale[2];
template <class T> __global__ void add(const T* a, const T* b, T* c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + scale[1] * b[i]; }
__global__ void reduce(const float* x, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x; int i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0.f;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
  if (t == 0) atomicAdd(out, s[0]);
}
__global__ void wsum(const float* x, float* out) { float v = x[threadIdx.x]; for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o); if (threadIdx.x == 0) *out = v; }
struct P { float a; int b; double c; };
__global__ void st(P p, float3 q, float* out) { extern __shared__ float d[]; d[threadIdx.x] = p.a * p.b + p.c + q.z; __syncthreads(); out[threadIdx.x] = d[blockDim.x - 1 - threadIdx.x]; }
int main() {
  int n = 1000; float *a, *b, *c, *o; cudaMalloc(&a, n*4); cudaMalloc(&b, n*4); cudaMalloc(&c, n*4); cudaMalloc(&o, 4*64);
  float* h = (float*)malloc(n*4); for (int i=0;i<n;i++) h[i]=i; cudaMemcpy(a,h,n*4,cudaMemcpyHostToDevice); cudaMemcpy(b,h,n*4,cudaMemcpyHostToDevice);
  float sc[2]={1,2}; cudaMemcpyToSymbol(scale, sc, 8); cudaMemset(o,0,4);
  add<float><<<(n+255)/256,256>>>(a,b,c,n);
  reduce<<<(n+255)/256,256>>>(c,o,n);
  float r; cudaMemcpy(&r,o,4,cudaMemcpyDeviceToHost); printf("sum %g (want %g)\n", r, 3.0*999*1000/2);
  wsum<<<1,32>>>(a,o); cudaMemcpy(&r,o,4,cudaMemcpyDeviceToHost); printf("wsum %g (496)\n", r);
  P p{2,3,4}; float3 q{0,0,5}; st<<<1,64,256>>>(p,q,o); cudaMemcpy(h,o,256,cudaMemcpyDeviceToHost); printf("st %g (15) %s\n", h[5], cudaGetErrorString(cudaGetLastError()));
  return 0; }
