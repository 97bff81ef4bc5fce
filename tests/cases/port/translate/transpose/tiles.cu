// Rows become columns, by way of shared memory.
// A tile that fewer threads than elements carry.
__global__ void tile_by_rows(const float* in, float* out, int height, int width) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    if (x < width && y + r < height) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    if (x < height && y + r < width) out[(y + r) * height + x] = tile[threadIdx.x][threadIdx.y + r];
}

// In its own place: a tile changes with the one across the diagonal.
__global__ void square_in_place(int* data, int n) {
  __shared__ int upper[16][17], lower[16][17];
  if (blockIdx.y > blockIdx.x) return;
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const int tx = blockIdx.y * 16 + threadIdx.x, ty = blockIdx.x * 16 + threadIdx.y;
  if (x < n && y < n) upper[threadIdx.y][threadIdx.x] = data[y * n + x];
  if (tx < n && ty < n) lower[threadIdx.y][threadIdx.x] = data[ty * n + tx];
  __syncthreads();
  if (tx < n && ty < n) data[ty * n + tx] = upper[threadIdx.x][threadIdx.y];
  if (x < n && y < n) data[y * n + x] = lower[threadIdx.x][threadIdx.y];
}

void run(const float* in, float* out, int* k, int h, int w) {
  tile_by_rows<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(in, out, h, w);
  square_in_place<<<dim3((w + 15) / 16, (w + 15) / 16), dim3(16, 16)>>>(k, w);
}
