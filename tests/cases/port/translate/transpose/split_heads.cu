// (batch, tokens, heads, width) becomes (batch, heads, tokens, width); sizes are known at the launch only.
__global__ void split_heads(const float* in, float* out, int batches, int tokens, int heads, int width) {
  int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= batches * tokens * heads * width) return;
  int rest = place;
  const int batch = rest / (heads * tokens * width);
  rest = rest % (heads * tokens * width);
  const int head = rest / (tokens * width);
  rest %= tokens * width;
  const int token = rest / width, column = rest % width;
  out[place] = in[((batch * tokens + token) * heads + head) * width + column];
}
