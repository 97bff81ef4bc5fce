// Neighbours, in one dimension to three.
__global__ void seven_points(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int i = (z * ny + y) * nx + x, plane = nx * ny;
  out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane] - 6.f * in[i];
}

// One step of the game of life, the border dead.
__global__ void life(const unsigned char* in, unsigned char* out, int height, int width) {
  __shared__ unsigned char tile[10][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 10 * 34; i += 256) {
    const int r = blockIdx.y * 8 + i / 34 - 1, c = blockIdx.x * 32 + i % 34 - 1;
    tile[i / 34][i % 34] = r >= 0 && r < height && c >= 0 && c < width ? in[r * width + c] & 1 : 0;
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  int around = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (r != 1 || c != 1) around += tile[threadIdx.y + r][threadIdx.x + c];
  out[y * width + x] = around == 3 || (around == 2 && tile[threadIdx.y + 1][threadIdx.x + 1]);
}

// Several steps without leaving the block: each block owns a stretch, its ends stay.
__global__ void steps_in_shared(float* data, int steps) {
  __shared__ float now[128];
  const int t = threadIdx.x;
  now[t] = data[blockIdx.x * 128 + t];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const float next = t > 0 && t < 127 ? 0.25f * now[t - 1] + 0.5f * now[t] + 0.25f * now[t + 1] : now[t];
    __syncthreads();
    now[t] = next;
    __syncthreads();
  }
  data[blockIdx.x * 128 + t] = now[t];
}

void run(float* a, float* b, const unsigned char* in, unsigned char* out, int n) {
  seven_points<<<dim3(2, 2, 3), dim3(16, 4, 4)>>>(a, b, 20, 8, 9);
  life<<<dim3(3, 4), dim3(32, 8)>>>(in, out, 30, 90);
  steps_in_shared<<<n / 128, 128>>>(a, 4);
}
