#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// C = A B; each of a block's two warps has a tile of 16 x 16.
__global__ void wmma_tiles(const half* a, const half* b, float* c, int n, int k) {
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 16, column = (blockIdx.x * 2 + warp) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(left, a + row * k + i, k);
    wmma::load_matrix_sync(right, b + i * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
