// Maximum over windows of 3 x 3 with steps of 2, channels last; a thread for each channel of a pixel.
constexpr int kChannels = 64;
constexpr int kSide = 9;
constexpr int kOut = 4;

__global__ void window_max(const float* image, float* out) {
  float best[2];
  best[0] = -3.0e38f;
  best[1] = -3.0e38f;
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= kOut * kOut * kChannels) return;
  const int channel = place & 63, column = (place >> 6) % kOut, row = (place >> 6) / kOut;
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      // even and odd rows of the window apart
      best[y & 1] = fmaxf(best[y & 1], image[((row * 2 + y) * kSide + column * 2 + x) * kChannels + channel]);
    }
  }
  out[place] = fmaxf(best[0], best[1]);
}
