// Convolutions by thread and by tile.
__constant__ float taps[9];

// A line with a filter in constant memory; what lies outside counts as zero.
__global__ void filter_line(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.f;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int at = i + k - 4;
    if (at >= 0 && at < n) sum += taps[k] * in[at];
  }
  out[i] = sum;
}

// A tile with its border in shared memory.
template <int kRadius>
__global__ void filter_tile(const float* in, const float* filter, float* out, int height, int width) {
  constexpr int kTile = 8, kSide = kTile + 2 * kRadius;
  __shared__ float tile[kSide][kSide];
  const int left = blockIdx.x * kTile - kRadius, top = blockIdx.y * kTile - kRadius;
  for (int i = threadIdx.y * kTile + threadIdx.x; i < kSide * kSide; i += kTile * kTile) {
    const int y = top + i / kSide, x = left + i % kSide;
    tile[i / kSide][i % kSide] = y >= 0 && y < height && x >= 0 && x < width ? in[y * width + x] : 0.f;
  }
  __syncthreads();
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.f;
  for (int r = 0; r <= 2 * kRadius; ++r)
    for (int c = 0; c <= 2 * kRadius; ++c)
      sum += tile[threadIdx.y + r][threadIdx.x + c] * filter[r * (2 * kRadius + 1) + c];
  out[y * width + x] = sum;
}

// Each channel has a filter of its own.
__global__ void depthwise(const float* in, const float* filter, float* out, int channels, int height, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y, channel = blockIdx.z;
  if (x >= width - 2) return;
  const float* picture = in + (channel * height + y) * width + x;
  const float* f = filter + channel * 9;
  float sum = 0.f;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) sum = fmaf(picture[r * width + c], f[r * 3 + c], sum);
  out[(channel * (height - 2) + y) * (width - 2) + x] = sum;
}

// A row of the matrix that turns a convolution into a product.
__global__ void im2col(const float* in, float* columns, int height, int width, int side) {
  const int w = width - side + 1, h = height - side + 1;
  const int total = side * side * h * w;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int place = i % (h * w), tap = i / (h * w);
  columns[i] = in[(place / w + tap / side) * width + place % w + tap % side];
}

// All channels of the input go into each of the output.
__global__ void pointwise(const float* in, const float* weight, const float* bias, float* out, int from, int to, int area) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int channel = blockIdx.y;
  if (i >= area) return;
  float sum = bias[channel];
  for (int c = 0; c < from; ++c) sum += in[c * area + i] * weight[channel * from + c];
  out[channel * area + i] = sum > 0.f ? sum : 0.f;
}

void run(const float* in, const float* f, const float* b, float* out, int c, int h, int w) {
  filter_line<<<(w + 127) / 128, 128>>>(in, out, w);
  filter_tile<2><<<dim3((w + 7) / 8, (h + 7) / 8), dim3(8, 8)>>>(in, f, out, h, w);
  depthwise<<<dim3((w + 31) / 32, h - 2, c), 32>>>(in, f, out, c, h, w);
  im2col<<<64, 256>>>(in, out, h, w, 3);
  pointwise<<<dim3((h * w + 127) / 128, c), 128>>>(in, f, b, out, c, c, h * w);
}
