// Rows of 96 numbers taken by index; an index out of the table gives a row of zeros.
__global__ void wide_rows(const int* index, const float* table, float* out, int taken, int rows) {
  const unsigned place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= taken * 96u) return;
  const unsigned which = place / 96u, column = place % 96u;
  const int row = index[which];
  float value = 0.0f;
  if (row >= 0 && row < rows) value = table[row * 96 + column];
  out[place] = value;
}
