// Coordinates in double.
__global__ void distance(const double* a, const double* b, double* d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double dx = a[2 * i] - b[2 * i];
    double dy = a[2 * i + 1] - b[2 * i + 1];
    d[i] = sqrt(dx * dx + dy * dy);
  }
}
void run(const double* a, const double* b, double* d, int n) { distance<<<(n + 127) / 128, 128>>>(a, b, d, n); }
