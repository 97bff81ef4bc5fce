// wmma: matrices spread over the lanes of a warp. Which lane holds which element is the implementation's choice; here a
// matrix lies row by row over the lanes. Products are exact in float and summed in float, in order of k.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __CUDA__
namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
namespace precision {
struct tf32 {};
}
enum layout_t { mem_row_major, mem_col_major };
template <class T>
struct tqm_stored {
  using type = T;
};
template <>
struct tqm_stored<precision::tf32> {
  using type = float;
};
template <class Use, int M, int N, int K>
struct tqm_shape;
template <int M, int N, int K>
struct tqm_shape<matrix_a, M, N, K> {
  static constexpr int rows = M, columns = K;
};
template <int M, int N, int K>
struct tqm_shape<matrix_b, M, N, K> {
  static constexpr int rows = K, columns = N;
};
template <int M, int N, int K>
struct tqm_shape<accumulator, M, N, K> {
  static constexpr int rows = M, columns = N;
};

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  using element_type = typename tqm_stored<T>::type;
  using storage_element_type = element_type;
  using tqm_shape_type = tqm_shape<Use, M, N, K>;
  static constexpr int num_elements = tqm_shape_type::rows * tqm_shape_type::columns / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& value) {
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = (typename fragment<Use, M, N, K, T, Layout>::element_type)value;
}

template <class Fragment>
__device__ inline size_t tqm_place(int i, unsigned ld, bool by_rows) {
  using Shape = typename Fragment::tqm_shape_type;
  const int element = tqm_cuda_lane() * Fragment::num_elements + i;
  const int row = element / Shape::columns;
  const int column = element % Shape::columns;
  return by_rows ? (size_t)row * ld + column : (size_t)column * ld + row;
}

template <class Use, int M, int N, int K, class T, class Layout>
__device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f,
                                        const typename fragment<Use, M, N, K, T, Layout>::element_type* p, unsigned ld) {
  constexpr bool by_rows = std::is_same<Layout, row_major>::value;
  tqm_cuda_syncwarp(0xffffffffu);
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = p[tqm_place<fragment<Use, M, N, K, T, Layout>>(i, ld, by_rows)];
  tqm_cuda_syncwarp(0xffffffffu);
}
template <int M, int N, int K, class T>
__device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p, unsigned ld, layout_t layout) {
  tqm_cuda_syncwarp(0xffffffffu);
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = p[tqm_place<fragment<accumulator, M, N, K, T>>(i, ld, layout == mem_row_major)];
  tqm_cuda_syncwarp(0xffffffffu);
}
template <int M, int N, int K, class T>
__device__ inline void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f, unsigned ld, layout_t layout) {
  tqm_cuda_syncwarp(0xffffffffu);
  for (int i = 0; i < f.num_elements; ++i)
    p[tqm_place<fragment<accumulator, M, N, K, T>>(i, ld, layout == mem_row_major)] = f.x[i];
  tqm_cuda_syncwarp(0xffffffffu);
}

// The elements that `lane` holds.
template <class Fragment>
__device__ inline Fragment tqm_of_lane(const Fragment& f, int lane) {
  constexpr int words = (int)((sizeof f.x + 7) / 8);
  unsigned long long buffer[words] = {};
  __builtin_memcpy(buffer, f.x, sizeof f.x);
  for (int i = 0; i < words; ++i) buffer[i] = tqm_cuda_shuffle(0xffffffffu, buffer[i], 0, (unsigned)lane, 32);
  Fragment other;
  __builtin_memcpy(other.x, buffer, sizeof f.x);
  return other;
}

__device__ inline float tqm_rounded(float v, precision::tf32) {
  unsigned word = tqm_cuda::float_word(v);
  if ((word & 0x7f800000u) != 0x7f800000u) word = (word + 0x1000u) & 0xffffe000u;
  return tqm_cuda::word_float(word);
}
__device__ inline float __float_to_tf32(float v) { return tqm_rounded(v, precision::tf32()); }

template <class D, class C, class A, class B, class LA, class LB, int M, int N, int K>
__device__ inline void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, A, LA>& a,
                                const fragment<matrix_b, M, N, K, B, LB>& b, const fragment<accumulator, M, N, K, C>& c) {
  using Sum = std::conditional_t<std::is_integral<C>::value, int, std::conditional_t<std::is_same<C, double>::value, double, float>>;
  Sum rows[M * K];
  Sum columns[K * N];
  for (int lane = 0; lane < 32; ++lane) {
    const auto other_a = tqm_of_lane(a, lane);
    for (int i = 0; i < a.num_elements; ++i) rows[lane * a.num_elements + i] = (Sum)other_a.x[i];
    const auto other_b = tqm_of_lane(b, lane);
    for (int i = 0; i < b.num_elements; ++i) columns[lane * b.num_elements + i] = (Sum)other_b.x[i];
  }
  for (int i = 0; i < d.num_elements; ++i) {
    const int element = tqm_cuda_lane() * d.num_elements + i;
    const int row = element / N;
    const int column = element % N;
    Sum sum = (Sum)c.x[i];
    for (int k = 0; k < K; ++k) sum += rows[row * K + k] * columns[k * N + column];
    d.x[i] = (D)sum;
  }
}
}  // namespace wmma
}  // namespace nvcuda
#endif
