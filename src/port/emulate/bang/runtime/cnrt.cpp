// CNRT for whole programs: memory of the device is the emulator's GDRAM, a launch runs at once on a machine that lives
// as long as the program, and what was found wrong is said at its end.
#include <chrono>
#include <cnrt.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

#include "port/emulate/bang/runtime/machine.hpp"
#include "port/emulate/bang/runtime/registry.hpp"

namespace {

using namespace tqm::port::bang;

// A program that has no side's main has its machine from here; faults make it fail.
class Program {
 public:
  Program() : machine_(registry().chip, {}) {
    set_machine(&machine_);
    machine_.catch_traps();
  }
  ~Program() {
    const auto faults = machine_.faults().resolved(registry().header_folder);
    for (const auto& fault : faults) {
      std::fprintf(stderr, "%s:%d: %s: %s\n", fault.file.c_str(), fault.line, fault.kind.c_str(), fault.text.c_str());
    }
    if (!faults.empty()) {
      std::fflush(nullptr);
      _exit(1);
    }
  }
  Machine& machine() { return machine_; }

 private:
  Machine machine_;
};

Machine& program_machine() {
  if (has_machine()) {
    return machine();
  }
  static Program program;
  return program.machine();
}

bool of_device(const void* address) {
  return program_machine().arena().holds(address);
}

void mark_written(void* address, size_t bytes) {
  std::uint8_t* flags = program_machine().arena().flags(address);
  for (size_t i = 0; i < bytes; ++i) {
    flags[i] = static_cast<std::uint8_t>(flags[i] | kInitialised);
  }
}

}  // namespace

namespace tqm_bang {

void launch(Dim dim, int clusters, void (*body)(void*), void* closure) {
  Launch launch;
  launch.x = dim.x;
  launch.y = dim.y;
  launch.z = dim.z;
  launch.clusters = static_cast<unsigned>(clusters);
  launch.body = body;
  launch.closure = closure;
  program_machine().run(launch);
}

}  // namespace tqm_bang

extern "C" {

cnrtRet_t cnrtGetDeviceCount(unsigned int* count) {
  *count = 1;
  return cnrtSuccess;
}
cnrtRet_t cnrtSetDevice(int) {
  return cnrtSuccess;
}
cnrtRet_t cnrtMalloc(void** pointer, size_t bytes) {
  Machine& here = program_machine();
  *pointer = here.arena().give(Space::gdram, 0, bytes == 0 ? 1 : bytes, here.poison(), "an allocation");
  return *pointer == nullptr ? cnrtErrorNoMem : cnrtSuccess;
}
cnrtRet_t cnrtFree(void*) {
  return cnrtSuccess;
}  // addresses are never given out twice: use after free stays visible
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes) {
  *pointer = std::malloc(bytes);
  return *pointer == nullptr ? cnrtErrorNoMem : cnrtSuccess;
}
cnrtRet_t cnrtFreeHost(void* pointer) {
  std::free(pointer);
  return cnrtSuccess;
}
cnrtRet_t cnrtMemcpy(void* dst, void* src, size_t bytes, cnrtMemTransDir_t direction) {
  const bool to_device = direction == cnrtMemcpyHostToDev || direction == cnrtMemcpyDevToDev;
  const bool from_device = direction == cnrtMemcpyDevToHost || direction == cnrtMemcpyDevToDev;
  if (of_device(dst) != to_device || of_device(src) != from_device) {
    return cnrtErrorArgsInvalid;
  }
  std::memcpy(dst, src, bytes);
  if (to_device) {
    mark_written(dst, bytes);
  }
  return cnrtSuccess;
}
cnrtRet_t cnrtMemcpyAsync(void* dst, void* src, size_t bytes, cnrtQueue_t, cnrtMemTransDir_t direction) {
  return cnrtMemcpy(dst, src, bytes, direction);
}
cnrtRet_t cnrtMemcpyAsync_V2(void* dst, void* src, size_t bytes, cnrtQueue_t, cnrtMemTransDir_t direction) {
  return cnrtMemcpy(dst, src, bytes, direction);
}
cnrtRet_t cnrtMemset(void* pointer, int value, size_t bytes) {
  if (!of_device(pointer)) {
    return cnrtErrorArgsInvalid;
  }
  std::memset(pointer, value, bytes);
  mark_written(pointer, bytes);
  return cnrtSuccess;
}
cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue) {
  *queue = nullptr;
  return cnrtSuccess;
}
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t) {
  return cnrtSuccess;
}
cnrtRet_t cnrtQueueSync(cnrtQueue_t) {
  return cnrtSuccess;
}
cnrtRet_t cnrtSyncDevice(void) {
  return cnrtSuccess;
}
cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier) {
  *notifier = reinterpret_cast<cnrtNotifier_t>(new std::chrono::steady_clock::time_point());
  return cnrtSuccess;
}
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier) {
  delete reinterpret_cast<std::chrono::steady_clock::time_point*>(notifier);
  return cnrtSuccess;
}
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t) {
  *reinterpret_cast<std::chrono::steady_clock::time_point*>(notifier) = std::chrono::steady_clock::now();
  return cnrtSuccess;
}
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* microseconds) {
  const auto& from = *reinterpret_cast<std::chrono::steady_clock::time_point*>(start);
  const auto& to = *reinterpret_cast<std::chrono::steady_clock::time_point*>(end);
  *microseconds = std::chrono::duration<float, std::micro>(to - from).count();
  return cnrtSuccess;
}
cnrtRet_t cnrtGetLastError(void) {
  return cnrtSuccess;
}
}
