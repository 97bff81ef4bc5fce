// For the benches: the few names of mlu-ops' interface that its kernels' files mention in their host functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cnrt.h"

typedef enum { MLUOP_STATUS_SUCCESS = 0, MLUOP_STATUS_BAD_PARAM = 3, MLUOP_STATUS_EXECUTION_FAILED = 8 } mluOpStatus_t;
typedef enum {
  MLUOP_DTYPE_INVALID,
  MLUOP_DTYPE_HALF,
  MLUOP_DTYPE_FLOAT,
  MLUOP_DTYPE_DOUBLE,
  MLUOP_DTYPE_INT8,
  MLUOP_DTYPE_INT16,
  MLUOP_DTYPE_INT32,
  MLUOP_DTYPE_INT64,
  MLUOP_DTYPE_UINT8,
  MLUOP_DTYPE_UINT16,
  MLUOP_DTYPE_UINT32,
  MLUOP_DTYPE_BOOL,
  MLUOP_DTYPE_COMPLEX_FLOAT,
  MLUOP_DTYPE_BFLOAT16,
} mluOpDataType_t;
typedef enum {
  MLUOP_COMPUTATION_FAST,
  MLUOP_COMPUTATION_HIGH_PRECISION,
  MLUOP_COMPUTATION_ULTRAHIGH_PRECISION
} mluOpComputationPreference_t;
typedef enum { MLUOP_LAYOUT_ARRAY, MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_NHWC } mluOpTensorLayout_t;
typedef struct mluOpContext* mluOpHandle_t;
typedef struct mluOpTensorStruct* mluOpTensorDescriptor_t;
typedef enum { COMPUTE_FOCAL_LOSS_WEIGHT_HALF, COMPUTE_FOCAL_LOSS_WEIGHT_FLOAT } mluOpFocalWeightKind_t;

typedef enum { MLUOP_REDUCE_DMAX, MLUOP_REDUCE_DMEAN } mluOpReduceMode_t;
#define MLUOP_DIM_MAX 8

#define MLUOP_WIN_API
#define KERNEL_CHECK(...) \
  {                       \
    __VA_ARGS__;          \
  }
#define LOG(level) \
  if (false) standin_log()
struct StandinLog {
  template <class T>
  StandinLog& operator<<(const T&) {
    return *this;
  }
};
inline StandinLog standin_log() {
  return {};
}
#define VLOG(level) LOG(level)
