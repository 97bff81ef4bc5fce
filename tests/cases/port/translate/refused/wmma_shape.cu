// Refused: TQP2011
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void wmma_shape(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}
