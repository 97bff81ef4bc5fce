// Rows are added to places that an index names.
__global__ void scatter_add(const float* rows, const int* index, float* table, int count, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * width) atomicAdd(table + index[i / width] * width + i % width, rows[i]);
}
void run(const float* r, const int* ix, float* t, int count, int width) {
  scatter_add<<<(count * width + 255) / 256, 256>>>(r, ix, t, count, width);
}
