__global__ void scale_3d(float* volume, int nx, int ny, int nz, float factor) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  volume[(z * ny + y) * nx + x] *= factor * (z + 1);
}
void run(float* v, int nx, int ny, int nz) {
  scale_3d<<<dim3((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2), dim3(8, 4, 2)>>>(v, nx, ny, nz, 0.5f);
}
