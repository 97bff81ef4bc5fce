// Copies, settings, synchronisation, atomics, gather and scatter.
#pragma once

#include "bang_types.h"

// segnum is the number of segments less one; strides are in bytes. An id_dst_cluster belongs to SRAM2SRAM alone.
#define TQM_COPY(name, is_async)                                                                                       \
  TQM_CALL void name(void* dst, const void* src, int size, mluMemcpyDirection_t dir) {                                 \
    tqm_bang::copy(#name, is_async, dst, src, size, dir, {});                                                          \
  }                                                                                                                    \
  TQM_CALL void name(void* dst, const void* src, int size, mluMemcpyDirection_t dir, int id_dst_cluster) {             \
    tqm_bang::copy(#name, is_async, dst, src, size, dir, {.cluster = id_dst_cluster});                                 \
  }                                                                                                                    \
  TQM_CALL void name(void* dst, const void* src, int size, mluMemcpyDirection_t dir, int dst_stride, int src_stride,   \
                     int segnum) {                                                                                     \
    tqm_bang::copy(                                                                                                    \
        #name, is_async, dst, src, size, dir,                                                                          \
        {.dst0 = dst_stride, .src0 = src_stride, .dst_count1 = segnum, .src_count1 = segnum, .dimensions = 2});        \
  }                                                                                                                    \
  TQM_CALL void name(void* dst, const void* src, int size, mluMemcpyDirection_t dir, int dst_stride, int src_stride,   \
                     int segnum, int id_dst_cluster) {                                                                 \
    tqm_bang::copy(#name, is_async, dst, src, size, dir,                                                               \
                   {.dst0 = dst_stride,                                                                                \
                    .src0 = src_stride,                                                                                \
                    .dst_count1 = segnum,                                                                              \
                    .src_count1 = segnum,                                                                              \
                    .dimensions = 2,                                                                                   \
                    .cluster = id_dst_cluster});                                                                       \
  }                                                                                                                    \
  TQM_CALL void name(void* dst, const void* src, int size, mluMemcpyDirection_t dir, int dst_stride0, int dst_segnum1, \
                     int dst_stride1, int dst_segnum2, int src_stride0, int src_segnum1, int src_stride1,              \
                     int src_segnum2) {                                                                                \
    tqm_bang::copy(#name, is_async, dst, src, size, dir,                                                               \
                   {.dst0 = dst_stride0,                                                                               \
                    .src0 = src_stride0,                                                                               \
                    .dst_count1 = dst_segnum1,                                                                         \
                    .src_count1 = src_segnum1,                                                                         \
                    .dst1 = dst_stride1,                                                                               \
                    .src1 = src_stride1,                                                                               \
                    .dst_count2 = dst_segnum2,                                                                         \
                    .src_count2 = src_segnum2,                                                                         \
                    .dimensions = 3});                                                                                 \
  }
TQM_COPY(__memcpy, false)
TQM_COPY(__memcpy_async, true)
#undef TQM_COPY

TQM_CALL void __memcpy_nram_to_nram(void* dst, const void* src, int size, int dst_stride, int src_stride, int segnum) {
  if (size % 128 != 0) {
    tqm_bang::absent("__memcpy_nram_to_nram of a size that 128 does not divide");
  }
  tqm_bang::copy(
      "__memcpy_nram_to_nram", false, dst, src, size, NRAM2NRAM,
      {.dst0 = dst_stride, .src0 = src_stride, .dst_count1 = segnum - 1, .src_count1 = segnum - 1, .dimensions = 2});
}
template <tqm_bang::Number T>
TQM_CALL void __bang_move(T* dst, const T* src, int bytes) {
  tqm_bang::move("__bang_move", dst, src, bytes);
}
TQM_CALL void __bang_move(void* dst, const void* src, int bytes) {
  tqm_bang::move("__bang_move", dst, src, bytes);
}

#define TQM_SYNC(name, what)                     \
  TQM_CALL void name() {                         \
    tqm_bang::sync(#name, tqm_bang::Sync::what); \
  }
TQM_SYNC(__sync, all)
TQM_SYNC(__sync_io, io)
TQM_SYNC(__sync_move, move)
TQM_SYNC(__sync_compute, compute)
TQM_SYNC(__sync_io_move, io_move)
TQM_SYNC(__sync_io_move_compute, all)
TQM_SYNC(__sync_cluster, cluster)
TQM_SYNC(__sync_all, union_all)
TQM_SYNC(__sync_all_ipu, union_ipu)
TQM_SYNC(__sync_all_mpu, union_mpu)
TQM_SYNC(__sync_all_ipu_within_cluster, cluster_ipu)
#undef TQM_SYNC
#define TQM_SYNC_COPY(name, direction)                                           \
  TQM_CALL void __sync_copy_##name() {                                           \
    tqm_bang::sync("__sync_copy_" #name, tqm_bang::Sync::directions, direction); \
  }
TQM_SYNC_COPY(nram_to_nram, NRAM2NRAM)
TQM_SYNC_COPY(nram_to_dram, NRAM2GDRAM)
TQM_SYNC_COPY(dram_to_nram, GDRAM2NRAM)
TQM_SYNC_COPY(wram_to_dram, WRAM2GDRAM)
TQM_SYNC_COPY(dram_to_wram, GDRAM2WRAM)
TQM_SYNC_COPY(sram_to_dram, SRAM2GDRAM)
TQM_SYNC_COPY(dram_to_sram, GDRAM2SRAM)
TQM_SYNC_COPY(nram_to_sram, NRAM2SRAM)
TQM_SYNC_COPY(sram_to_nram, SRAM2NRAM)
TQM_SYNC_COPY(wram_to_sram, WRAM2SRAM)
TQM_SYNC_COPY(sram_to_wram, SRAM2WRAM)
TQM_SYNC_COPY(sram_to_sram, SRAM2SRAM)
#undef TQM_SYNC_COPY

TQM_CALL bool __is_mpu() {
  return tqm_bang::is_mpu();
}
TQM_CALL bool __is_ipu() {
  return !tqm_bang::is_mpu();
}
TQM_CALL bool __is_nram(const void* ptr) {
  return tqm_bang::is_space('n', ptr);
}
TQM_CALL bool __is_wram(const void* ptr) {
  return tqm_bang::is_space('w', ptr);
}
TQM_CALL bool __is_sram(const void* ptr) {
  return tqm_bang::is_space('s', ptr);
}
TQM_CALL bool __is_dram(const void* ptr) {
  return tqm_bang::is_space('g', ptr);
}

// Settings: the value's type is the element's, whatever the pointer's.
#define TQM_FILL(name, space)                                                                                      \
  template <tqm_bang::Number T>                                                                                    \
  TQM_CALL void name(void* dst, int elem_count, T value) {                                                         \
    tqm_bang::fill(#name, space, tqm_bang::type_of<T>, dst, tqm_bang::bits<T>(value), elem_count);                 \
  }                                                                                                                \
  template <tqm_bang::Number T>                                                                                    \
  TQM_CALL void name(void* dst, int elem_count, T value, int stride0, int iter1, int stride1 = 0, int iter2 = 0) { \
    tqm_bang::fill(#name, space, tqm_bang::type_of<T>, dst, tqm_bang::bits<T>(value), elem_count, stride0, iter1,  \
                   stride1, iter2);                                                                                \
  }
TQM_FILL(__bang_write_value, 'n')
TQM_FILL(__nramset, 'n')
TQM_FILL(__memset_nram, 'n')
TQM_FILL(__sramset, 's')
TQM_FILL(__ldramset, 'l')
TQM_FILL(__gdramset, 'g')
TQM_FILL(__nramset_async, 'n')
#undef TQM_FILL
#define TQM_FILL_TYPED(name, type)                                                                                  \
  TQM_CALL void __nramset_##name(type* dst, int elem_count, type value) {                                           \
    tqm_bang::fill("__nramset_" #name, 'n', tqm_bang::type_of<type>, dst, tqm_bang::bits<type>(value), elem_count); \
  }
TQM_FILL_TYPED(float, float)
TQM_FILL_TYPED(half, half)
TQM_FILL_TYPED(int, int)
TQM_FILL_TYPED(unsigned_int, unsigned int)
TQM_FILL_TYPED(short, short)
TQM_FILL_TYPED(unsigned_short, unsigned short)
#undef TQM_FILL_TYPED
template <tqm_bang::Number T>
TQM_CALL void __bang_write_zero(T* dst, int elem_count) {
  tqm_bang::fill("__bang_write_zero", 'n', tqm_bang::type_of<T>, dst, 0, elem_count);
}

#define TQM_LOAD(name, space)                                                                  \
  template <tqm_bang::Number T>                                                                \
  TQM_CALL T __load_##name(const T* address) {                                                 \
    return tqm_bang::from_bits<T>(tqm_bang::load("__load_" #name, space, address, sizeof(T))); \
  }                                                                                            \
  template <tqm_bang::Number T>                                                                \
  TQM_CALL void __store_##name(T* address, tqm_bang::Same<T> value) {                          \
    tqm_bang::store("__store_" #name, space, address, tqm_bang::bits<T>(value), sizeof(T));    \
  }
TQM_LOAD(nram, 'n')
TQM_LOAD(sram, 's')
TQM_LOAD(gdram, 'g')
TQM_LOAD(ldram, 'l')
#undef TQM_LOAD

// Atomics on GDRAM; the former values go to NRAM in the first family, nowhere in the second.
#define TQM_ATOMIC(name, op)                                                                                           \
  template <tqm_bang::Wide T>                                                                                          \
  TQM_CALL void __bang_atomic_##name(T* dst, T* src1, tqm_bang::Same<T> src2, int size = 1) {                          \
    tqm_bang::atomic("__bang_atomic_" #name, tqm_bang::Atomic::op, tqm_bang::type_of<T>, dst, src1, nullptr,           \
                     tqm_bang::bits<T>(src2), size);                                                                   \
  }                                                                                                                    \
  template <tqm_bang::Wide T>                                                                                          \
  TQM_CALL void __bang_atomic_##name(T* dst, T* src1, const tqm_bang::Same<T>* src2, int size) {                       \
    tqm_bang::atomic("__bang_atomic_" #name, tqm_bang::Atomic::op, tqm_bang::type_of<T>, dst, src1, src2, 0, size);    \
  }                                                                                                                    \
  template <tqm_bang::Wide T>                                                                                          \
  TQM_CALL void __bang_atomic_reduce_##name(T* dst, tqm_bang::Same<T> src1, int size = 1) {                            \
    tqm_bang::atomic("__bang_atomic_reduce_" #name, tqm_bang::Atomic::op, tqm_bang::type_of<T>, nullptr, dst, nullptr, \
                     tqm_bang::bits<T>(src1), size);                                                                   \
  }                                                                                                                    \
  template <tqm_bang::Wide T>                                                                                          \
  TQM_CALL void __bang_atomic_reduce_##name(T* dst, const tqm_bang::Same<T>* src1, int size) {                         \
    tqm_bang::atomic("__bang_atomic_reduce_" #name, tqm_bang::Atomic::op, tqm_bang::type_of<T>, nullptr, dst, src1, 0, \
                     size);                                                                                            \
  }
TQM_ATOMIC(add, add)
TQM_ATOMIC(inc, inc)
TQM_ATOMIC(dec, dec)
TQM_ATOMIC(max, max)
TQM_ATOMIC(min, min)
TQM_ATOMIC(and, bit_and)
TQM_ATOMIC(or, bit_or)
TQM_ATOMIC(xor, bit_xor)
TQM_ATOMIC(exch, exch)
#undef TQM_ATOMIC
template <tqm_bang::Wide T>
TQM_CALL void __bang_atomic_cas(T* dst, T* src1, tqm_bang::Same<T> src2, tqm_bang::Same<T> src3) {
  tqm_bang::atomic_cas("__bang_atomic_cas", tqm_bang::type_of<T>, dst, src1, tqm_bang::bits<T>(src2),
                       tqm_bang::bits<T>(src3));
}
template <tqm_bang::Wide T>
TQM_CALL void __bang_atomic_reduce_cas(T* dst, tqm_bang::Same<T> src1, tqm_bang::Same<T> src2) {
  tqm_bang::atomic_cas("__bang_atomic_reduce_cas", tqm_bang::type_of<T>, nullptr, dst, tqm_bang::bits<T>(src1),
                       tqm_bang::bits<T>(src2));
}

// Rows by byte offsets; a mask's zero bits leave their rows alone. Of the newer 372 toolchain, absent in the 3.0
// headers.
TQM_CALL void __gather(void* dst, const void* src, const unsigned int* offset, int size, mluMemcpyDirection_t dir,
                       int dst_stride, int count) {
  tqm_bang::gather("__gather", dst, src, offset, nullptr, size, dir, dst_stride, count);
}
TQM_CALL void __gather(void* dst, const void* src, const unsigned int* offset, const void* bitmask, int size,
                       mluMemcpyDirection_t dir, int dst_stride, int count) {
  tqm_bang::gather("__gather", dst, src, offset, bitmask, size, dir, dst_stride, count);
}
TQM_CALL void __scatter(void* dst, const void* src, const unsigned int* offset, int size, mluMemcpyDirection_t dir,
                        int src_stride, int count) {
  tqm_bang::scatter("__scatter", dst, src, offset, nullptr, size, dir, src_stride, count);
}
TQM_CALL void __scatter(void* dst, const void* src, const unsigned int* offset, const void* bitmask, int size,
                        mluMemcpyDirection_t dir, int src_stride, int count) {
  tqm_bang::scatter("__scatter", dst, src, offset, bitmask, size, dir, src_stride, count);
}

template <class... A>
TQM_CALL int __bang_printf(const char* format, A... arguments) {
  tqm_bang::print(format, arguments...);
  return 0;
}
TQM_CALL void __bang_lock(int, int) {}
TQM_CALL void __bang_unlock(int, int) {}
