#include <cuda_fp16.h>
#include <mma.h>

// Scores of 16 queries against 16 keys: a product in half with a transposed right side, halved and made positive in the
// fragment, put down column by column.
__global__ void wmma_half_scores(const __half* queries, const __half* keys, __half* scores) {
  __shared__ __half tile[16 * 24];
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::col_major> q;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __half, nvcuda::wmma::col_major> k;
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, __half> s;
  nvcuda::wmma::fill_fragment(s, __float2half(0.0f));
  nvcuda::wmma::load_matrix_sync(q, queries + blockIdx.x * 256, 16);
  nvcuda::wmma::load_matrix_sync(k, keys + blockIdx.x * 256, 16);
  nvcuda::wmma::mma_sync(s, q, k, s);
  for (int i = 0; i < s.num_elements; ++i) s.x[i] = __float2half(fabsf(__half2float(s.x[i])) * 0.5f);
  nvcuda::wmma::store_matrix_sync(tile, s, 24, nvcuda::wmma::mem_col_major);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 32) scores[blockIdx.x * 256 + i] = tile[i / 16 * 24 + i % 16];
}
