// What device code calls: barriers, warp operations, clocks, assert. Each is a C function that include/torquetum/
// runtime_abi.h declares.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

#include "port/emulate/cuda/runtime/block.hpp"
#include "port/emulate/cuda/runtime/check.hpp"
#include "port/emulate/cuda/runtime/export.hpp"
#include "port/emulate/cuda/runtime/fault.hpp"
#include "port/emulate/cuda/runtime/memory.hpp"
#include "port/emulate/cuda/runtime/shared.hpp"

using namespace tqm::port::cuda;

#define SITE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

TQM_EXPORT void __syncthreads() {
  wait_at_barrier(SITE, 0, 0);
}
TQM_EXPORT int __syncthreads_count(int predicate) {
  wait_at_barrier(SITE, 1, predicate);
  return static_cast<int>(current_thread()->result);
}
TQM_EXPORT int __syncthreads_and(int predicate) {
  wait_at_barrier(SITE, 2, predicate);
  return static_cast<int>(current_thread()->result);
}
TQM_EXPORT int __syncthreads_or(int predicate) {
  wait_at_barrier(SITE, 3, predicate);
  return static_cast<int>(current_thread()->result);
}
TQM_EXPORT void tqm_cuda_syncwarp(unsigned mask) {
  meet(SITE, MeetingKind::sync, mask, 0, 0, 0, 32);
}
TQM_EXPORT unsigned long long tqm_cuda_shuffle(unsigned mask, unsigned long long value, int kind, unsigned lane,
                                               int width) {
  if (width < 1 || width > 32 || (width & (width - 1)) != 0) {
    note_fault("wrong-mask", SITE, fmt::format("a shuffle of width {}, which is no power of two up to 32", width));
    width = 32;
  }
  return meet(SITE, MeetingKind::shuffle, mask, value, kind, lane, width);
}
TQM_EXPORT unsigned tqm_cuda_ballot(unsigned mask, int predicate) {
  return static_cast<unsigned>(meet(SITE, MeetingKind::ballot, mask, predicate != 0, 0, 0, 32));
}
TQM_EXPORT unsigned tqm_cuda_match(unsigned mask, unsigned long long value, int all) {
  return static_cast<unsigned>(meet(SITE, MeetingKind::match, mask, value, all, 0, 32));
}
TQM_EXPORT unsigned tqm_cuda_reduce(unsigned mask, unsigned value, int kind) {
  return static_cast<unsigned>(meet(SITE, MeetingKind::reduce, mask, value, kind, 0, 32));
}
TQM_EXPORT unsigned __activemask() {
  return gather(SITE);
}
TQM_EXPORT void tqm_cuda_grid_sync() {
  wait_for_grid(SITE);
}
TQM_EXPORT int tqm_cuda_grid_is_cooperative() {
  return current_shape().cooperative;
}
TQM_EXPORT int tqm_cuda_lane() {
  return static_cast<int>(current_thread()->number % 32);
}
TQM_EXPORT unsigned tqm_cuda_dynamic_shared_bytes() {
  return static_cast<unsigned>(current_shape().dynamic_shared_bytes);
}
// No time passes but by asking: the same program reads the same clock.
TQM_EXPORT long long tqm_cuda_clock() {
  static long long now = 0;
  return now += 16;
}
TQM_EXPORT void tqm_cuda_yield() {
  yield_thread();
}
TQM_EXPORT void tqm_cuda_waited() {
  static int patience = 64;
  if (--patience > 0) return;
  patience = 64;
  yield_thread();
}
TQM_EXPORT void tqm_cuda_trap() {
  note_fault("trap", SITE, thread_name(*current_block(), current_thread()->number) + " executed a trap");
  end_launch(LaunchEnd::failed);
}
TQM_EXPORT unsigned tqm_cuda_is_space(const void* p) {
  const auto a = reinterpret_cast<std::uintptr_t>(p);
  if (DeviceMemory::get().contains(a)) return 1;
  if (SharedMemory::get().range_of(a)) return 2;
  const auto stack = reinterpret_cast<std::uintptr_t>(current_thread()->fiber.stack);
  if (a - stack < kStackBytes) return 4;
  return image_at(a) ? 1 : 0;
}
TQM_EXPORT void tqm_cuda_assert_fail(const char* text, const char* file, unsigned line, const char* function) {
  const Index3& b = current_block()->index;
  const Index3& t = current_thread()->index;
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
               function, b.x, b.y, b.z, t.x, t.y, t.z, text);
  note_fault("assert", SITE,
             fmt::format("assertion `{}` failed in {}", text, thread_name(*current_block(), current_thread()->number)));
  end_launch(LaunchEnd::asserted);
}
// malloc and new of device code: from the device's memory, so that its bounds are known.
TQM_EXPORT void* tqm_cuda_malloc(std::size_t bytes) {
  return DeviceMemory::get().allocate(bytes, MemoryKind::device);
}
TQM_EXPORT void tqm_cuda_free(void* p) {
  if (p) DeviceMemory::get().release(p);
}
