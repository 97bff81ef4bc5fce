// Refused: TQP2006
typedef float (*Op)(float);
__device__ float twice(float x) { return 2.0f * x; }
__global__ void function_pointer(float* x) {
  Op op = twice;
  x[threadIdx.x] = op(x[threadIdx.x]);
}
void run(float* x) { function_pointer<<<1, 32>>>(x); }
