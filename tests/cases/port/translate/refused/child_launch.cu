// Refused: TQP2004
__global__ void child_launch(float* y, int parts) {
  if (parts > 1) child_launch<<<1, 32>>>(y, parts / 2);
  y[threadIdx.x] = 1.0f;
}
void run(float* y, int parts) { child_launch<<<1, 32>>>(y, parts); }
