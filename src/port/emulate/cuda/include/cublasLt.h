// The part of cuBLASLt that programs check themselves with: float products with a bias and GELU behind them.
#pragma once

#include "cublas_v2.h"

typedef cublasHandle_t cublasLtHandle_t;
typedef enum {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 6,
  CUBLASLT_EPILOGUE_GELU = 32,
  CUBLASLT_EPILOGUE_GELU_BIAS = 36
} cublasLtEpilogue_t;
typedef enum {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8
} cublasLtMatmulDescAttributes_t;
typedef enum { CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 } cublasLtMatmulPreferenceAttributes_t;
typedef struct {
  unsigned long long data[8];
} cublasLtMatmulAlgo_t;
typedef struct {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
} cublasLtMatmulHeuristicResult_t;
struct cublasLtMatmulDescOpaque {
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};
struct cublasLtMatrixLayoutOpaque {
  cudaDataType type;
  unsigned long long rows, columns;
  long long ld;
};
struct cublasLtMatmulPreferenceOpaque {
  size_t workspace = 0;
};
typedef cublasLtMatmulDescOpaque* cublasLtMatmulDesc_t;
typedef cublasLtMatrixLayoutOpaque* cublasLtMatrixLayout_t;
typedef cublasLtMatmulPreferenceOpaque* cublasLtMatmulPreference_t;

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return cublasCreate(handle); }
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return cublasDestroy(handle); }
inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* d, cublasComputeType_t, cudaDataType scale) {
  *d = new cublasLtMatmulDescOpaque;
  return scale == CUDA_R_32F ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}
inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) {
  delete d;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t which,
                                                     const void* value, size_t bytes) {
  void* to = which == CUBLASLT_MATMUL_DESC_TRANSA     ? (void*)&d->a
             : which == CUBLASLT_MATMUL_DESC_TRANSB   ? (void*)&d->b
             : which == CUBLASLT_MATMUL_DESC_EPILOGUE ? (void*)&d->epilogue
                                                      : (void*)&d->bias;
  __builtin_memcpy(to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* l, cudaDataType type, unsigned long long rows,
                                                 unsigned long long columns, long long ld) {
  *l = new cublasLtMatrixLayoutOpaque{type, rows, columns, ld};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) {
  delete l;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* p) {
  *p = new cublasLtMatmulPreferenceOpaque;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) {
  delete p;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p,
                                                           cublasLtMatmulPreferenceAttributes_t, const void* value,
                                                           size_t bytes) {
  __builtin_memcpy(&p->workspace, value, bytes < sizeof p->workspace ? bytes : sizeof p->workspace);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int wanted,
                                                     cublasLtMatmulHeuristicResult_t* results, int* found) {
  *found = wanted > 0 ? 1 : 0;
  if (wanted > 0) results[0] = {};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t d, const void* alpha, const void* a,
                                     cublasLtMatrixLayout_t la, const void* b, cublasLtMatrixLayout_t lb, const void* beta,
                                     const void* c, cublasLtMatrixLayout_t lc, void* out, cublasLtMatrixLayout_t lo,
                                     const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t) {
  if (la->type != CUDA_R_32F || lb->type != CUDA_R_32F || lc->type != CUDA_R_32F || lo->type != CUDA_R_32F || c != out)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const int k = (int)(d->a == CUBLAS_OP_N ? la->columns : la->rows);
  float* result = (float*)out;
  const cublasStatus_t status =
      tqm_cublas::gemm<float>(d->a, d->b, (int)lo->rows, (int)lo->columns, k, *(const float*)alpha, (const float*)a, la->ld,
                              (const float*)b, lb->ld, *(const float*)beta, result, lo->ld);
  for (unsigned long long j = 0; j < lo->columns; ++j)
    for (unsigned long long i = 0; i < lo->rows; ++i) {
      float& v = result[j * (unsigned long long)lo->ld + i];
      if (d->epilogue & CUBLASLT_EPILOGUE_BIAS) v += ((const float*)d->bias)[i];
      if (d->epilogue & CUBLASLT_EPILOGUE_RELU) v = v > 0 ? v : 0.0f;
      if (d->epilogue & CUBLASLT_EPILOGUE_GELU)
        v = 0.5f * v * (1.0f + tanhf(0.797884561f * (v + 0.044715f * v * v * v)));
    }
  return status;
}
