// The runtime API's memory: allocation, copies, symbols.
#include <cstring>
#include <cuda_runtime_api.h>
#include <tuple>

#include "port/emulate/cuda/runtime/export.hpp"
#include "port/emulate/cuda/runtime/limits.hpp"
#include "port/emulate/cuda/runtime/memory.hpp"
#include "port/emulate/cuda/runtime/session.hpp"

using namespace tqm::port::cuda;

namespace {

cudaError_t allocate(void** p, std::size_t bytes, MemoryKind kind) {
  start_limits();
  if (!p) return failed(cudaErrorInvalidValue);
  *p = nullptr;
  if (bytes == 0) return cudaSuccess;
  *p = DeviceMemory::get().allocate(bytes, kind);
  return *p ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}

cudaError_t release(void* p) {
  if (!p || DeviceMemory::get().release(p)) return cudaSuccess;
  return failed(cudaErrorInvalidValue);
}

enum class Side { host, device, bad };

// Whose memory a range is: the device's wholly, a variable of device code, or the host's.
Side side_of(const void* p, std::size_t bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(p);
  const DeviceMemory& memory = DeviceMemory::get();
  if (!memory.contains(a)) return image_at(a) ? Side::device : Side::host;
  const Allocation* allocation = memory.find(a);
  if (!allocation || a + bytes > allocation->end()) return Side::bad;
  return Side::device;
}

bool fits(Side side, const void* p, bool device_wanted) {
  if (side == Side::bad) return false;
  if (device_wanted) return side == Side::device;
  if (side == Side::host) return true;
  const Allocation* allocation = DeviceMemory::get().find(reinterpret_cast<std::uintptr_t>(p));
  return allocation && allocation->kind != MemoryKind::device;
}

void mark_copied(void* to, const void* from, std::size_t bytes) {
  DeviceMemory& memory = DeviceMemory::get();
  const auto t = reinterpret_cast<std::uintptr_t>(to);
  const auto f = reinterpret_cast<std::uintptr_t>(from);
  if (!memory.contains(t)) return;
  if (memory.contains(f) && !memory.range_written(f, bytes))
    memory.copy_marks(t, f, bytes);
  else
    memory.mark_written(t, bytes);
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) return cudaErrorInvalidValue;
  const Side to_side = side_of(to, bytes);
  const Side from_side = side_of(from, bytes);
  if (to_side == Side::bad || from_side == Side::bad) return cudaErrorInvalidValue;
  if (kind != cudaMemcpyDefault) {
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (!fits(to_side, to, to_device) || !fits(from_side, from, from_device)) return cudaErrorInvalidValue;
  }
  std::memmove(to, from, bytes);
  mark_copied(to, from, bytes);
  return cudaSuccess;
}

cudaError_t copy_or_capture(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (session().sticky != cudaSuccess) return failed(session().sticky);
  return failed(now_or_captured([=] { return copy(to, from, bytes, kind); }));
}

cudaError_t set(void* p, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!p || side_of(p, bytes) != Side::device) return cudaErrorInvalidValue;
  std::memset(p, value, bytes);
  if (DeviceMemory::get().contains(reinterpret_cast<std::uintptr_t>(p)))
    DeviceMemory::get().mark_written(reinterpret_cast<std::uintptr_t>(p), bytes);
  return cudaSuccess;
}

const Variable* variable_of(const void* shadow) {
  const auto found = session().variables.find(shadow);
  return found == session().variables.end() || !found->second.device ? nullptr : &found->second;
}

}  // namespace

TQM_EXPORT cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  return allocate(p, bytes, MemoryKind::device);
}
TQM_EXPORT cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t) {
  return allocate(p, bytes, MemoryKind::device);
}
TQM_EXPORT cudaError_t cudaMallocManaged(void** p, std::size_t bytes, unsigned) {
  return allocate(p, bytes, MemoryKind::managed);
}
TQM_EXPORT cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
  return allocate(p, bytes, MemoryKind::host);
}
TQM_EXPORT cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) {
  return allocate(p, bytes, MemoryKind::host);
}
TQM_EXPORT cudaError_t cudaFree(void* p) {
  return release(p);
}
TQM_EXPORT cudaError_t cudaFreeAsync(void* p, cudaStream_t) {
  return release(p);
}
TQM_EXPORT cudaError_t cudaFreeHost(void* p) {
  return release(p);
}
// Memory of the host stays outside the device's: a kernel may not read it by this, and says so.
TQM_EXPORT cudaError_t cudaHostRegister(void* p, std::size_t, unsigned flags) {
  if (!p) return failed(cudaErrorInvalidValue);
  return flags & cudaHostRegisterMapped ? failed(cudaErrorNotSupported) : cudaSuccess;
}
TQM_EXPORT cudaError_t cudaHostUnregister(void*) {
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (!DeviceMemory::get().find(reinterpret_cast<std::uintptr_t>(host))) return failed(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(p, *pitch * height, MemoryKind::device);
}
TQM_EXPORT cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent) {
  p->pitch = (extent.width + 511) / 512 * 512;
  p->xsize = extent.width;
  p->ysize = extent.height;
  return allocate(&p->ptr, p->pitch * extent.height * extent.depth, MemoryKind::device);
}
TQM_EXPORT cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_or_capture(to, from, bytes, kind);
}
TQM_EXPORT cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                       cudaStream_t) {
  return copy_or_capture(to, from, bytes, kind);
}
TQM_EXPORT cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy_or_capture(to, from, bytes, cudaMemcpyDeviceToDevice);
}
TQM_EXPORT cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t) {
  return copy_or_capture(to, from, bytes, cudaMemcpyDeviceToDevice);
}
TQM_EXPORT cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return failed(cudaErrorInvalidPitchValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = copy_or_capture(static_cast<char*>(to) + row * to_pitch,
                                              static_cast<const char*>(from) + row * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                         std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
TQM_EXPORT cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                          cudaMemcpyKind kind) {
  const Variable* variable = variable_of(symbol);
  if (!variable) return failed(cudaErrorInvalidSymbol);
  if (offset + bytes > variable->bytes) return failed(cudaErrorInvalidValue);
  return copy_or_capture(static_cast<char*>(variable->device) + offset, from, bytes, kind);
}
TQM_EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                               std::size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
TQM_EXPORT cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                            cudaMemcpyKind kind) {
  const Variable* variable = variable_of(symbol);
  if (!variable) return failed(cudaErrorInvalidSymbol);
  if (offset + bytes > variable->bytes) return failed(cudaErrorInvalidValue);
  return copy_or_capture(to, static_cast<char*>(variable->device) + offset, bytes, kind);
}
TQM_EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                                 cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
TQM_EXPORT cudaError_t cudaGetSymbolAddress(void** p, const void* symbol) {
  const Variable* variable = variable_of(symbol);
  if (!variable) return failed(cudaErrorInvalidSymbol);
  *p = variable->device;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  const Variable* variable = variable_of(symbol);
  if (!variable) return failed(cudaErrorInvalidSymbol);
  *bytes = variable->bytes;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaMemset(void* p, int value, std::size_t bytes) {
  if (session().sticky != cudaSuccess) return failed(session().sticky);
  return failed(now_or_captured([=] { return set(p, value, bytes); }));
}
TQM_EXPORT cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, cudaStream_t) {
  return cudaMemset(p, value, bytes);
}
TQM_EXPORT cudaError_t cudaMemset2D(void* p, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = cudaMemset(static_cast<char*>(p) + row * pitch, value, width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *total_bytes = DeviceMemory::get().total();
  *free_bytes = *total_bytes - DeviceMemory::get().used();
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  *attributes = {};
  attributes->hostPointer = const_cast<void*>(p);
  const Allocation* allocation = DeviceMemory::get().find(reinterpret_cast<std::uintptr_t>(p));
  if (!allocation) return cudaSuccess;
  attributes->devicePointer = const_cast<void*>(p);
  if (allocation->kind == MemoryKind::device) attributes->hostPointer = nullptr;
  attributes->type = allocation->kind == MemoryKind::device    ? cudaMemoryTypeDevice
                     : allocation->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                               : cudaMemoryTypeHost;
  return cudaSuccess;
}
TQM_EXPORT cudaError_t cudaMemPrefetchAsync(const void* p, std::size_t, int, cudaStream_t) {
  return p ? cudaSuccess : failed(cudaErrorInvalidValue);
}
TQM_EXPORT cudaError_t cudaMemAdvise(const void* p, std::size_t, cudaMemoryAdvise, int) {
  return p ? cudaSuccess : failed(cudaErrorInvalidValue);
}
