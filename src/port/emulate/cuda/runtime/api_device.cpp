// The runtime API's errors, device, streams, events and graphs.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cuda_runtime_api.h>

#include "port/emulate/cuda/runtime/export.hpp"
#include "port/emulate/cuda/runtime/memory.hpp"
#include "port/emulate/cuda/runtime/session.hpp"

using namespace tqm::port::cuda;

namespace {

struct ErrorRow {
  cudaError_t error;
  const char* name;
  const char* text;
};
#define TQM_ROW(name, number, text) {name, #name, text},
constexpr ErrorRow kErrors[] = {TQM_CUDA_ERRORS(TQM_ROW)};
#undef TQM_ROW

cudaError_t of_device(int device) {
  return device == 0 ? cudaSuccess : failed(cudaErrorInvalidDevice);
}

}  // namespace

// The handles that the API hands out.
struct CUstream_st {
  unsigned flags;
};
struct CUevent_st {
  bool recorded = false;
  std::chrono::steady_clock::time_point at;
};
struct CUgraph_st {
  Capture capture;
};
struct CUgraphExec_st {
  Capture capture;
};

TQM_EXPORT cudaError_t cudaGetLastError() {
  const cudaError_t error = session().last_error;
  session().last_error = cudaSuccess;
  return session().sticky != cudaSuccess ? session().sticky : error;
}
TQM_EXPORT cudaError_t cudaPeekAtLastError() {
  return session().last_error;
}
TQM_EXPORT const char* cudaGetErrorString(cudaError_t error) {
  for (const ErrorRow& row : kErrors)
    if (row.error == error) return row.text;
  return "unrecognized error code";
}
TQM_EXPORT const char* cudaGetErrorName(cudaError_t error) {
  for (const ErrorRow& row : kErrors)
    if (row.error == error) return row.name;
  return "unrecognized error code";
}
TQM_EXPORT cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaSetDevice(int device) {
  return of_device(device);
}
TQM_EXPORT cudaError_t cudaSetDeviceFlags(unsigned) {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  *device = 0;
  return cudaSuccess;
}
// Limits of compute capability 8.0, as the programming guide lists them; the number of processors is ours.
TQM_EXPORT cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return failed(cudaErrorInvalidDevice);
  std::memset(p, 0, sizeof *p);
  std::snprintf(p->name, sizeof p->name, "Torquetum CUDA emulator");
  p->totalGlobalMem = DeviceMemory::get().total();
  p->sharedMemPerBlock = 48 << 10;
  p->sharedMemPerBlockOptin = kMostDynamicBytes;
  p->sharedMemPerMultiprocessor = 164 << 10;
  p->reservedSharedMemPerBlock = 1 << 10;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = 1000000;
  p->memoryClockRate = 1000000;
  p->memoryBusWidth = 64;
  p->totalConstMem = 65536;
  p->major = 8;
  p->textureAlignment = 512;
  p->multiProcessorCount = kProcessors;
  p->maxThreadsPerMultiProcessor = kThreadsOfProcessor;
  p->maxBlocksPerMultiProcessor = 32;
  p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->concurrentManagedAccess = 1;
  p->cooperativeLaunch = p->concurrentKernels = 1;
  p->l2CacheSize = 4 << 20;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  const cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error != cudaSuccess) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      *value = 1024;
      break;
    case cudaDevAttrMaxBlockDimZ:
      *value = 64;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = p.maxGridSize[0];
      break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      *value = p.maxGridSize[1];
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(p.sharedMemPerBlock);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrTotalConstantMemory:
      *value = static_cast<int>(p.totalConstMem);
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = p.regsPerBlock;
      break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
      *value = p.clockRate;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = p.memoryBusWidth;
      break;
    case cudaDevAttrL2CacheSize:
      *value = p.l2CacheSize;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = kProcessors;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = kThreadsOfProcessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = p.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
    case cudaDevAttrIntegrated:
    case cudaDevAttrPageableMemoryAccess:
      *value = 0;
      break;
    default:
      *value = 1;
      break;
  }
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaDeviceSynchronize() {
  return failed(session().sticky);
}
TQM_EXPORT cudaError_t cudaThreadSynchronize() {
  return failed(session().sticky);
}
TQM_EXPORT cudaError_t cudaDeviceReset() {
  session().sticky = session().last_error = cudaSuccess;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}
TQM_EXPORT cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize ? kStackBytes : DeviceMemory::get().total();
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = 0;
  return device == peer                     ? failed(cudaErrorInvalidDevice)
         : of_device(device) == cudaSuccess ? of_device(peer)
                                            : cudaErrorInvalidDevice;
}
TQM_EXPORT cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return failed(cudaErrorInvalidDevice);
}
TQM_EXPORT cudaError_t cudaDeviceDisablePeerAccess(int) {
  return failed(cudaErrorInvalidDevice);
}
TQM_EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}

TQM_EXPORT cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st{0};
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{flags};
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
TQM_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!stream) return failed(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return failed(session().sticky);
}
TQM_EXPORT cudaError_t cudaStreamQuery(cudaStream_t) {
  return failed(session().sticky);
}
TQM_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned) {
  return event ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}
TQM_EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  callback(stream, session().sticky, data);
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
  return now_or_captured([=] {
    function(data);
    return cudaSuccess;
  });
}
TQM_EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
TQM_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return failed(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (!event) return failed(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return event ? failed(session().sticky) : failed(cudaErrorInvalidResourceHandle);
}
TQM_EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) {
  return event ? failed(session().sticky) : failed(cudaErrorInvalidResourceHandle);
}
// The emulator's own time: it says nothing of a GPU's.
TQM_EXPORT cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (!start || !stop || !start->recorded || !stop->recorded) return failed(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(stop->at - start->at).count();
  return cudaSuccess;
}

TQM_EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  if (session().capturing) return failed(cudaErrorStreamCaptureUnsupported);
  session().capturing = new Capture;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  if (!session().capturing) return failed(cudaErrorStreamCaptureUnsupported);
  *graph = new CUgraph_st{*session().capturing};
  delete session().capturing;
  session().capturing = nullptr;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  if (!graph) return failed(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{graph->capture};
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  if (!executable) return failed(cudaErrorInvalidValue);
  for (const auto& work : executable->capture.work) {
    const cudaError_t error = work();
    if (error != cudaSuccess) return failed(error);
  }
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
