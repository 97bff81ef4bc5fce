// Types of the runtime API: error codes, directions, flags, properties. Numbers as documented for CUDA 12.
#pragma once

#include "vector_types.h"

#define CUDART_VERSION 12040
#define CUDA_VERSION 12040
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterReadOnly 0x08
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaOccupancyDefault 0x00
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define cudaCooperativeLaunchMultiDeviceNoPreSync 0x01

// One list: the enumerators, and the names and texts that cudaGetErrorName and cudaGetErrorString give.
#define TQM_CUDA_ERRORS(ROW)                                                               \
  ROW(cudaSuccess, 0, "no error")                                                          \
  ROW(cudaErrorInvalidValue, 1, "invalid argument")                                        \
  ROW(cudaErrorMemoryAllocation, 2, "out of memory")                                       \
  ROW(cudaErrorInitializationError, 3, "initialization error")                             \
  ROW(cudaErrorCudartUnloading, 4, "driver shutting down")                                 \
  ROW(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                  \
  ROW(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                            \
  ROW(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                 \
  ROW(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                         \
  ROW(cudaErrorInvalidTexture, 18, "invalid texture reference")                            \
  ROW(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                 \
  ROW(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")            \
  ROW(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
  ROW(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")     \
  ROW(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                       \
  ROW(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                        \
  ROW(cudaErrorInvalidDevice, 101, "invalid device ordinal")                               \
  ROW(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                  \
  ROW(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
  ROW(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                      \
  ROW(cudaErrorSymbolNotFound, 500, "named symbol not found")                              \
  ROW(cudaErrorNotReady, 600, "device not ready")                                          \
  ROW(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")            \
  ROW(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")       \
  ROW(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")              \
  ROW(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")            \
  ROW(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")              \
  ROW(cudaErrorAssert, 710, "device-side assert triggered")                                \
  ROW(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
  ROW(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
  ROW(cudaErrorMisalignedAddress, 716, "misaligned address")                               \
  ROW(cudaErrorLaunchFailure, 719, "unspecified launch failure")                           \
  ROW(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")    \
  ROW(cudaErrorNotSupported, 801, "operation not supported")                               \
  ROW(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
  ROW(cudaErrorUnknown, 999, "unknown error")

#define TQM_ROW(name, number, text) name = number,
enum cudaError { TQM_CUDA_ERRORS(TQM_ROW) };
#undef TQM_ROW
typedef enum cudaError cudaError_t;
#define cudaErrorLaunchFailed cudaErrorLaunchFailure

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100, cudaSharedmemCarveoutMaxL1 = 0 };
enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4
};
enum cudaComputeMode {
  cudaComputeModeDefault = 0,
  cudaComputeModeExclusive = 1,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrPageableMemoryAccess = 88,
  cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMemoryPoolsSupported = 115
};

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};
typedef void(CUDART_CB* cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* data);
typedef void(CUDART_CB* cudaHostFn_t)(void* data);

struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
};
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  enum cudaChannelFormatKind f;
};
typedef struct {
  char bytes[16];
} cudaUUID_t;

struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate;
  size_t totalConstMem;
  int major;
  int minor;
  size_t textureAlignment;
  int deviceOverlap;
  int multiProcessorCount;
  int kernelExecTimeoutEnabled;
  int integrated;
  int canMapHostMemory;
  int computeMode;
  int maxTexture1D;
  int maxTexture2D[2];
  int maxTexture3D[3];
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
  int tccDriver;
  int asyncEngineCount;
  int unifiedAddressing;
  int memoryClockRate;
  int memoryBusWidth;
  int l2CacheSize;
  int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  int hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int computePreemptionSupported;
  int cooperativeLaunch;
  size_t sharedMemPerBlockOptin;
  int maxBlocksPerMultiProcessor;
  size_t reservedSharedMemPerBlock;
};
#ifndef __cplusplus
typedef enum cudaMemcpyKind cudaMemcpyKind;
typedef struct cudaDeviceProp cudaDeviceProp;
#endif
