// The functions that -fsanitize=thread calls before each access of device code; the names are that instrumentation's.
#include <cstring>

#include "port/emulate/cuda/runtime/check.hpp"
#include "port/emulate/cuda/runtime/export.hpp"

using tqm::port::cuda::Access;
using tqm::port::cuda::check_access;

namespace {

std::uintptr_t number(const volatile void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace

#define SITE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define HOOKS(bytes)                                            \
  TQM_EXPORT void __tsan_read##bytes(void* p) {                 \
    check_access(number(p), bytes, Access::read, SITE, bytes);  \
  }                                                             \
  TQM_EXPORT void __tsan_write##bytes(void* p) {                \
    check_access(number(p), bytes, Access::write, SITE, bytes); \
  }                                                             \
  TQM_EXPORT void __tsan_unaligned_read##bytes(void* p) {       \
    check_access(number(p), bytes, Access::read, SITE, 1);      \
  }                                                             \
  TQM_EXPORT void __tsan_unaligned_write##bytes(void* p) {      \
    check_access(number(p), bytes, Access::write, SITE, 1);     \
  }
#define VOLATILE_HOOKS(bytes)                                       \
  TQM_EXPORT void __tsan_volatile_read##bytes(void* p) {            \
    tqm::port::cuda::step_of_warp(number(p));                       \
    check_access(number(p), bytes, Access::read, SITE, bytes);      \
  }                                                                 \
  TQM_EXPORT void __tsan_volatile_write##bytes(void* p) {           \
    tqm::port::cuda::step_of_warp(number(p));                       \
    check_access(number(p), bytes, Access::write, SITE, bytes);     \
  }                                                                 \
  TQM_EXPORT void __tsan_unaligned_volatile_read##bytes(void* p) {  \
    check_access(number(p), bytes, Access::read, SITE, 1);          \
  }                                                                 \
  TQM_EXPORT void __tsan_unaligned_volatile_write##bytes(void* p) { \
    check_access(number(p), bytes, Access::write, SITE, 1);         \
  }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
VOLATILE_HOOKS(1)
VOLATILE_HOOKS(2)
VOLATILE_HOOKS(4)
VOLATILE_HOOKS(8)
VOLATILE_HOOKS(16)

// Atomic operations are carried out here; no other thread runs in between.
#define ATOMICS(bits, T)                                                                             \
  TQM_EXPORT T __tsan_atomic##bits##_load(const volatile T* p, int) {                                \
    check_access(number(p), sizeof(T), Access::atomic, SITE, sizeof(T));                             \
    return *p;                                                                                       \
  }                                                                                                  \
  TQM_EXPORT void __tsan_atomic##bits##_store(volatile T* p, T v, int) {                             \
    check_access(number(p), sizeof(T), Access::atomic, SITE, sizeof(T));                             \
    *p = v;                                                                                          \
  }                                                                                                  \
  TQM_EXPORT T __tsan_atomic##bits##_exchange(volatile T* p, T v, int) {                             \
    check_access(number(p), sizeof(T), Access::atomic, SITE, sizeof(T));                             \
    const T old = *p;                                                                                \
    *p = v;                                                                                          \
    return old;                                                                                      \
  }                                                                                                  \
  TQM_EXPORT T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int) {                            \
    check_access(number(p), sizeof(T), Access::atomic, SITE, sizeof(T));                             \
    const T old = *p;                                                                                \
    *p = static_cast<T>(old + v);                                                                    \
    return old;                                                                                      \
  }                                                                                                  \
  TQM_EXPORT T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int) {                            \
    check_access(number(p), sizeof(T), Access::atomic, SITE, sizeof(T));                             \
    const T old = *p;                                                                                \
    *p = static_cast<T>(old - v);                                                                    \
    return old;                                                                                      \
  }                                                                                                  \
  TQM_EXPORT T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T compare, T v, int, int) { \
    check_access(number(p), sizeof(T), Access::atomic, SITE, sizeof(T));                             \
    const T old = *p;                                                                                \
    if (old == compare) *p = v;                                                                      \
    return old;                                                                                      \
  }
ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned int)
ATOMICS(64, unsigned long)
TQM_EXPORT void __tsan_atomic_thread_fence(int) {
  tqm::port::cuda::note_fence();
}

TQM_EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  if (bytes) {
    check_access(number(from), bytes, Access::read, SITE, 1);
    check_access(number(to), bytes, Access::write, SITE, 1);
  }
  return std::memcpy(to, from, bytes);
}
TQM_EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  if (bytes) {
    check_access(number(from), bytes, Access::read, SITE, 1);
    check_access(number(to), bytes, Access::write, SITE, 1);
  }
  return std::memmove(to, from, bytes);
}
TQM_EXPORT void* __tsan_memset(void* to, int value, std::size_t bytes) {
  if (bytes) check_access(number(to), bytes, Access::write, SITE, 1);
  return std::memset(to, value, bytes);
}
TQM_EXPORT void __tsan_vptr_read(void** p) {
  check_access(number(p), 8, Access::read, SITE, 8);
}
TQM_EXPORT void __tsan_vptr_update(void** p, void*) {
  check_access(number(p), 8, Access::write, SITE, 8);
}
TQM_EXPORT void __tsan_init() {}
TQM_EXPORT void __tsan_func_entry(void*) {}
TQM_EXPORT void __tsan_func_exit() {}
