// The first thread of a block looks through the block's part: its smallest and largest, and how far they are apart.
__global__ void extremes_by_one(const float* x, float* low, float* high, int n) {
  if (threadIdx.x != 0) return;
  const int first = blockIdx.x * 300;
  const float* part = x + first;
  const int count = n - first < 300 ? n - first : 300;
  float largest = -3.4e38f, smallest = 3.4e38f;
  for (int i = 0; i < count; i++) {
    if (part[i] > largest) largest = part[i];
    smallest = fminf(smallest, part[i]);
  }
  low[blockIdx.x] = smallest;
  high[blockIdx.x] = largest;
}
