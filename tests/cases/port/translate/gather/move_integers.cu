// Rows of integers and bytes moved elsewhere, and integers read as numbers.
__global__ void move_integers(const int* keys, const unsigned char* tags, int* keys_out, unsigned char* tags_out,
                              float* scaled, int rows, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= width) return;
  const int key = keys[row * width + column];
  keys_out[(rows - 1 - row) * width + column] = key;
  tags_out[column + row * width] = tags[(rows - 1 - row) * width + column];
  scaled[row * width + column] = static_cast<float>(key) * 0.25f;
}
