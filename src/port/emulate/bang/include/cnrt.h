// The host side of CNRT as far as launches, memory, queues and timing go. A launch runs at once; a queue has nothing to
// wait for.
#pragma once

#include <cstddef>
#include <cstdint>

typedef struct cnrtDim3_s {
  unsigned int x, y, z;
} cnrtDim3_t;

typedef enum {
  cnrtFuncTypeBlock = 1,
  cnrtFuncTypeUnion1 = 4,
  cnrtFuncTypeUnion2 = 8,
  cnrtFuncTypeUnion4 = 16,
  cnrtFuncTypeUnion8 = 32,
  cnrtFuncTypeUnion16 = 64,
} cnrtFunctionType_t;
#define CNRT_FUNC_TYPE_BLOCK cnrtFuncTypeBlock
#define CNRT_FUNC_TYPE_UNION1 cnrtFuncTypeUnion1
#define CNRT_FUNC_TYPE_UNION2 cnrtFuncTypeUnion2
#define CNRT_FUNC_TYPE_UNION4 cnrtFuncTypeUnion4
#define CNRT_FUNC_TYPE_UNION8 cnrtFuncTypeUnion8
#define CNRT_FUNC_TYPE_UNION16 cnrtFuncTypeUnion16

typedef enum { cnrtSuccess = 0, cnrtErrorArgsInvalid = 1, cnrtErrorNoMem = 2 } cnrtRet_t;
#define CNRT_RET_SUCCESS cnrtSuccess
typedef enum {
  cnrtMemcpyHostToDev,
  cnrtMemcpyDevToHost,
  cnrtMemcpyDevToDev,
  cnrtMemcpyHostToHost,
} cnrtMemTransDir_t;
#define CNRT_MEM_TRANS_DIR_HOST2DEV cnrtMemcpyHostToDev
#define CNRT_MEM_TRANS_DIR_DEV2HOST cnrtMemcpyDevToHost

typedef enum {
  CNRT_INVALID,
  CNRT_FLOAT16,
  CNRT_FLOAT32,
  CNRT_FLOAT64,
  CNRT_INT8,
  CNRT_INT16,
  CNRT_INT32,
  CNRT_INT64,
  CNRT_UINT8,
  CNRT_UINT32,
  CNRT_BOOL,
  cnrtHalf = CNRT_FLOAT16,
  cnrtFloat = CNRT_FLOAT32,
  cnrtInt = CNRT_INT32,
} cnrtDataType_t;
typedef cnrtDataType_t cnrtDataType_V2_t;

typedef struct cnrtQueue* cnrtQueue_t;
typedef struct cnrtNotifier* cnrtNotifier_t;

#ifdef __cplusplus
extern "C" {
#endif
cnrtRet_t cnrtGetDeviceCount(unsigned int* count);
cnrtRet_t cnrtSetDevice(int ordinal);
cnrtRet_t cnrtMalloc(void** pointer, size_t bytes);
cnrtRet_t cnrtFree(void* pointer);
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes);
cnrtRet_t cnrtFreeHost(void* pointer);
cnrtRet_t cnrtMemcpy(void* dst, void* src, size_t bytes, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyAsync(void* dst, void* src, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyAsync_V2(void* dst, void* src, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemset(void* pointer, int value, size_t bytes);
cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue);
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue);
cnrtRet_t cnrtQueueSync(cnrtQueue_t queue);
cnrtRet_t cnrtSyncDevice(void);
cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier);
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier);
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue);
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* microseconds);
cnrtRet_t cnrtGetLastError(void);
#ifdef __cplusplus
}
#endif
