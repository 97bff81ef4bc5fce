__global__ void embedding(const int* token, const float* table, float* out, int tokens, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < tokens * width) {
    int t = i / width, c = i % width;
    out[i] = table[token[t] * width + c];
  }
}
void run(const int* t, const float* table, float* out, int tokens, int width) {
  embedding<<<(tokens * width + 127) / 128, 128>>>(t, table, out, tokens, width);
}
