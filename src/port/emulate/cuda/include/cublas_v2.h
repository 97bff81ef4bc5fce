// The part of cuBLAS that programs check themselves with: matrix products and vector operations in column order, as
// loops of the host over the device's memory.
#pragma once

#include <vector>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "library_types.h"

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
typedef enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32I = 72
} cublasComputeType_t;
struct cublasContext {
  cudaStream_t stream = 0;
};
typedef struct cublasContext* cublasHandle_t;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t mode) {
  return mode == CUBLAS_POINTER_MODE_HOST ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}
inline const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "cuBLAS failed";
}

namespace tqm_cublas {
// C = alpha·op(A)·op(B) + beta·C, m×n over k, summed in Sum.
template <class Sum, class A, class B, class C, class Scale>
inline cublasStatus_t gemm(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, Scale alpha, const A* a,
                           long long lda, const B* b, long long ldb, Scale beta, C* c, long long ldc) {
  if (m < 0 || n < 0 || k < 0) return CUBLAS_STATUS_INVALID_VALUE;
  std::vector<Sum> left((size_t)m * (size_t)k);
  for (int p = 0; p < k; ++p)
    for (int i = 0; i < m; ++i)
      left[(size_t)p * m + i] = (Sum)(float)0 + (Sum)a[ta == CUBLAS_OP_N ? i + p * lda : p + i * lda];
  std::vector<Sum> column((size_t)m);
  for (int j = 0; j < n; ++j) {
    std::fill(column.begin(), column.end(), Sum(0));
    for (int p = 0; p < k; ++p) {
      const Sum factor = (Sum)b[tb == CUBLAS_OP_N ? p + j * ldb : j + p * ldb];
      const Sum* from = left.data() + (size_t)p * m;
      for (int i = 0; i < m; ++i) column[(size_t)i] += from[i] * factor;
    }
    for (int i = 0; i < m; ++i) {
      C& out = c[i + j * ldc];
      const Sum scaled = (Sum)alpha * column[(size_t)i];
      out = (C)(beta == Scale(0) ? scaled : scaled + (Sum)beta * (Sum)out);
    }
  }
  // The emulator sees who wrote what by its copies: the result is copied onto itself.
  for (int j = 0; j < n; ++j) cudaMemcpy(c + j * ldc, c + j * ldc, (size_t)m * sizeof(C), cudaMemcpyDefault);
  return CUBLAS_STATUS_SUCCESS;
}
template <class Sum, class A, class C, class Scale>
inline cublasStatus_t gemm_batches(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, Scale alpha,
                                   const A* a, int lda, long long sa, const A* b, int ldb, long long sb, Scale beta, C* c,
                                   int ldc, long long sc, int count) {
  for (int i = 0; i < count; ++i) {
    const cublasStatus_t status =
        gemm<Sum>(ta, tb, m, n, k, alpha, a + i * sa, lda, b + i * sb, ldb, beta, c + i * sc, ldc);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}
}  // namespace tqm_cublas

#define TQM_GEMM(letter, T, Sum, Scale, scale_of)                                                                      \
  inline cublasStatus_t cublas##letter##gemm(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n,   \
                                             int k, const T* alpha, const T* a, int lda, const T* b, int ldb,          \
                                             const T* beta, T* c, int ldc) {                                           \
    return tqm_cublas::gemm<Sum>(ta, tb, m, n, k, (Scale)*alpha, a, lda, b, ldb, (Scale)*beta, c, ldc);                 \
  }                                                                                                                    \
  inline cublasStatus_t cublas##letter##gemmStridedBatched(                                                            \
      cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T* alpha, const T* a,     \
      int lda, long long sa, const T* b, int ldb, long long sb, const T* beta, T* c, int ldc, long long sc, int count) { \
    return tqm_cublas::gemm_batches<Sum>(ta, tb, m, n, k, (Scale)*alpha, a, lda, sa, b, ldb, sb, (Scale)*beta, c, ldc,   \
                                         sc, count);                                                                   \
  }
TQM_GEMM(S, float, float, float, )
TQM_GEMM(D, double, double, double, )
TQM_GEMM(H, __half, float, float, )
#undef TQM_GEMM

inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                                 int k, const void* alpha, const void* a, cudaDataType at, int lda,
                                                 long long sa, const void* b, cudaDataType bt, int ldb, long long sb,
                                                 const void* beta, void* c, cudaDataType ct, int ldc, long long sc,
                                                 int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (at != bt || at != ct) return CUBLAS_STATUS_NOT_SUPPORTED;
  const float fa = compute == CUBLAS_COMPUTE_16F ? (float)*(const __half*)alpha : *(const float*)alpha;
  const float fb = compute == CUBLAS_COMPUTE_16F ? (float)*(const __half*)beta : *(const float*)beta;
  if (at == CUDA_R_16F)
    return tqm_cublas::gemm_batches<float>(ta, tb, m, n, k, fa, (const __half*)a, lda, sa, (const __half*)b, ldb, sb, fb,
                                           (__half*)c, ldc, sc, count);
  if (at == CUDA_R_16BF)
    return tqm_cublas::gemm_batches<float>(ta, tb, m, n, k, fa, (const __nv_bfloat16*)a, lda, sa,
                                           (const __nv_bfloat16*)b, ldb, sb, fb, (__nv_bfloat16*)c, ldc, sc, count);
  if (at == CUDA_R_32F && compute != CUBLAS_COMPUTE_16F)
    return tqm_cublas::gemm_batches<float>(ta, tb, m, n, k, fa, (const float*)a, lda, sa, (const float*)b, ldb, sb, fb,
                                           (float*)c, ldc, sc, count);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                   const void* alpha, const void* a, cudaDataType at, int lda, const void* b,
                                   cudaDataType bt, int ldb, const void* beta, void* c, cudaDataType ct, int ldc,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1,
                                    compute, algorithm);
}
#define TQM_VECTOR_OPS(letter, T)                                                                                        \
  inline cublasStatus_t cublas##letter##gemv(cublasHandle_t, cublasOperation_t ta, int m, int n, const T* alpha,          \
                                             const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) { \
    const int rows = ta == CUBLAS_OP_N ? m : n;                                                                          \
    const int columns = ta == CUBLAS_OP_N ? n : m;                                                                       \
    for (int i = 0; i < rows; ++i) {                                                                                     \
      T sum = 0;                                                                                                         \
      for (int j = 0; j < columns; ++j)                                                                                  \
        sum += a[ta == CUBLAS_OP_N ? i + (size_t)j * lda : j + (size_t)i * lda] * x[(size_t)j * incx];                    \
      T& out = y[(size_t)i * incy];                                                                                      \
      out = *alpha * sum + (*beta == T(0) ? T(0) : *beta * out);                                                          \
      cudaMemcpy(&out, &out, sizeof out, cudaMemcpyDefault);                                                             \
    }                                                                                                                    \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }
TQM_VECTOR_OPS(S, float)
TQM_VECTOR_OPS(D, double)
#undef TQM_VECTOR_OPS
