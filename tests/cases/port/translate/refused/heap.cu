// Refused: TQP2012
__global__ void heap(float* x) {
  float* mine = new float[4];
  mine[0] = x[threadIdx.x];
  x[threadIdx.x] = mine[0] * 2.0f;
  delete[] mine;
}
void run(float* x) { heap<<<1, 32>>>(x); }
