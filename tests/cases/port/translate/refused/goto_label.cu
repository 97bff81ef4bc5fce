// Refused: TQP2010
__global__ void goto_label(float* x) {
  if (x[threadIdx.x] > 0.0f) goto done;
  x[threadIdx.x] = 1.0f;
done:
  x[threadIdx.x] += 1.0f;
}
void run(float* x) { goto_label<<<1, 32>>>(x); }
