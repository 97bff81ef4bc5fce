// Pools over windows of images, each with another border, layout or result.
#include <cfloat>

__global__ void max_pool_2x2(const float* in, float* out, int height, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int w = width / 2, h = height / 2;
  if (x >= w || y >= h) return;
  const float* at = in + (2 * y) * width + 2 * x;
  out[y * w + x] = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[width], at[width + 1]));
}

// The border counts as nothing: the mean is over what lies inside.
__global__ void mean_pool_padded(const float* in, float* out, int height, int width, int window) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= height * width) return;
  const int y = i / width, x = i % width, reach = window / 2;
  float sum = 0.f;
  int count = 0;
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      const int r = y + dy, c = x + dx;
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      sum += in[r * width + c];
      ++count;
    }
  }
  out[i] = sum / static_cast<float>(count);
}

// Where the largest stands, as training needs it on the way back.
__global__ void max_pool_places(const float* in, float* out, int* place, int channels, int length, int window, int step) {
  const int pools = (length - window) / step + 1;
  const int total = channels * pools;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const int channel = i / pools, first = i % pools * step;
    const float* row = in + channel * length;
    float best = -FLT_MAX;
    int where = first;
    for (int k = first; k < first + window; ++k) {
      if (row[k] > best) {
        best = row[k];
        where = k;
      }
    }
    out[i] = best;
    place[i] = where;
  }
}

// One block a channel, whatever the size of the picture.
__global__ void global_mean(const float* in, float* out, int area) {
  __shared__ float part[128];
  const float* picture = in + blockIdx.x * area;
  float sum = 0.f;
  for (int i = threadIdx.x; i < area; i += 128) sum += picture[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0] / area;
}

// Each input gives what it has to the window that it lies in.
__global__ void mean_pool_backward(const float* gradient, float* out, int height, int width, int window) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  const int across = width / window;
  float value = 0.f;
  if (x / window < across && y / window < height / window)
    value = gradient[(y / window) * across + x / window] / (window * window);
  out[y * width + x] = value;
}

void run(const float* in, float* out, int* place, int h, int w) {
  max_pool_2x2<<<dim3((w / 2 + 15) / 16, (h / 2 + 7) / 8), dim3(16, 8)>>>(in, out, h, w);
  mean_pool_padded<<<(h * w + 127) / 128, 128>>>(in, out, h, w, 3);
  max_pool_places<<<4, 64>>>(in, out, place, h, w, 3, 2);
  global_mean<<<h, 128>>>(in, out, w);
  mean_pool_backward<<<dim3((w + 63) / 64, h), 64>>>(in, out, h, w, 2);
}
