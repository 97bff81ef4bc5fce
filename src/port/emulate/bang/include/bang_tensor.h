// Calls that look at more than one element: pools, reductions, selection, layout, matrix products.
#pragma once

#include "bang_types.h"

// Tensors are HWC; the stride along the width comes first.
#define TQM_POOL(name, kind)                                                                              \
  template <tqm_bang::Float T>                                                                            \
  TQM_CALL void __bang_##name(T* dst, const tqm_bang::Same<T>* src, int channel, int height, int width,   \
                              int kernel_height, int kernel_width, int stride_width, int stride_height) { \
    tqm_bang::pool("__bang_" #name, tqm_bang::Pool::kind, tqm_bang::type_of<T>, dst, src,                 \
                   {channel, height, width, kernel_height, kernel_width, stride_width, stride_height});   \
  }                                                                                                       \
  template <tqm_bang::Float T>                                                                            \
  TQM_CALL void __bang_##name(T* dst, const tqm_bang::Same<T>* src, int channel, int height, int width,   \
                              int kernel_height, int kernel_width) {                                      \
    tqm_bang::pool("__bang_" #name, tqm_bang::Pool::kind, tqm_bang::type_of<T>, dst, src,                 \
                   {channel, height, width, kernel_height, kernel_width, kernel_width, kernel_height});   \
  }
TQM_POOL(sumpool, sum)
TQM_POOL(avgpool, avg)
TQM_POOL(maxpool, max)
TQM_POOL(minpool, min)
#undef TQM_POOL

#define TQM_POOL_INDEX(name, kind, index, type)                                                                   \
  TQM_CALL void __bang_##name(index* dst, const type* src, int channel, int height, int width, int kernel_height, \
                              int kernel_width, int stride_width, int stride_height) {                            \
    tqm_bang::pool_index("__bang_" #name, tqm_bang::Pool::kind, tqm_bang::type_of<type>, dst, src,                \
                         {channel, height, width, kernel_height, kernel_width, stride_width, stride_height});     \
  }
TQM_POOL_INDEX(maxpool_index, max, unsigned short, half)
TQM_POOL_INDEX(maxpool_index, max, unsigned short, bfloat16_t)
TQM_POOL_INDEX(maxpool_index, max, unsigned int, float)
TQM_POOL_INDEX(minpool_index, min, unsigned short, half)
TQM_POOL_INDEX(minpool_index, min, unsigned int, float)
#undef TQM_POOL_INDEX

#define TQM_POOL_BACKWARD(mask_type, type)                                                                             \
  TQM_CALL void __bang_maxpool_bp(type* dst, const type* src, const mask_type* mask, int channel, int height,          \
                                  int width, int kernel_height, int kernel_width, int stride_width, int stride_height, \
                                  mluPoolBPOverlap overlap = OVERLAP_ACC) {                                            \
    tqm_bang::pool_backward("__bang_maxpool_bp", tqm_bang::Pool::max, tqm_bang::type_of<type>, dst, src, mask,         \
                            {channel, height, width, kernel_height, kernel_width, stride_width, stride_height},        \
                            overlap == OVERLAP_ACC);                                                                   \
  }
TQM_POOL_BACKWARD(short, half)
TQM_POOL_BACKWARD(unsigned short, bfloat16_t)
TQM_POOL_BACKWARD(int, float)
#undef TQM_POOL_BACKWARD
template <tqm_bang::Float T>
TQM_CALL void __bang_avgpool_bp(T* dst, const tqm_bang::Same<T>* src, int channel, int height, int width,
                                int kernel_height, int kernel_width, int stride_width, int stride_height,
                                mluPoolBPOverlap overlap = OVERLAP_ACC) {
  tqm_bang::pool_backward("__bang_avgpool_bp", tqm_bang::Pool::avg, tqm_bang::type_of<T>, dst, src, nullptr,
                          {channel, height, width, kernel_height, kernel_width, stride_width, stride_height},
                          overlap == OVERLAP_ACC);
}
template <tqm_bang::Float T>
TQM_CALL void __bang_unpool(T* dst, const tqm_bang::Same<T>* src, int channel, int height, int width, int kernel_height,
                            int kernel_width, int stride_width, int stride_height, int index) {
  tqm_bang::unpool("__bang_unpool", tqm_bang::type_of<T>, dst, src,
                   {channel, height, width, kernel_height, kernel_width, stride_width, stride_height}, index);
}

// One sum every 128 bytes; the other lanes stay.
template <tqm_bang::Float T>
TQM_CALL void __bang_reduce_sum(T* dst, const tqm_bang::Same<T>* src, int elem_count) {
  tqm_bang::reduce_sum("__bang_reduce_sum", tqm_bang::type_of<T>, dst, src, elem_count);
}
template <tqm_bang::Float T>
TQM_CALL T __bang_sum(const T* src, int elem_count) {
  return tqm_bang::from_bits<T>(tqm_bang::sum("__bang_sum", tqm_bang::type_of<T>, src, elem_count));
}
#define TQM_EXTREME(name)                                                                                    \
  template <tqm_bang::Float T>                                                                               \
  TQM_CALL void __bang_##name(T* dst, const tqm_bang::Same<T>* src, int elem_count) {                        \
    tqm_bang::extreme("__bang_" #name, tqm_bang::Extreme::name, tqm_bang::type_of<T>, dst, src, elem_count); \
  }
TQM_EXTREME(max)
TQM_EXTREME(min)
TQM_EXTREME(argmax)
TQM_EXTREME(argmin)
TQM_EXTREME(fabsmax)
TQM_EXTREME(fabsmin)
#undef TQM_EXTREME
template <tqm_bang::Float T>
TQM_CALL T __bang_max(const T* src, int elem_count) {
  return tqm_bang::from_bits<T>(
      tqm_bang::extreme_value("__bang_max", tqm_bang::Extreme::max, tqm_bang::type_of<T>, src, elem_count));
}
template <tqm_bang::Float T>
TQM_CALL T __bang_min(const T* src, int elem_count) {
  return tqm_bang::from_bits<T>(
      tqm_bang::extreme_value("__bang_min", tqm_bang::Extreme::min, tqm_bang::type_of<T>, src, elem_count));
}

#define TQM_COUNT(name, function, extra)                                                               \
  template <tqm_bang::Number T>                                                                        \
  TQM_CALL void __bang_##name(unsigned int* dst, const T* src, int elem_count) {                       \
    tqm_bang::function("__bang_" #name, tqm_bang::type_of<T>, dst, src, elem_count, extra);            \
  }                                                                                                    \
  template <tqm_bang::Number T>                                                                        \
  TQM_CALL unsigned int __bang_##name(const T* src, int elem_count) {                                  \
    return tqm_bang::function("__bang_" #name, tqm_bang::type_of<T>, nullptr, src, elem_count, extra); \
  }
TQM_COUNT(count, count, false)
TQM_COUNT(count_bitindex, count, true)
TQM_COUNT(findfirst1, find, true)
TQM_COUNT(findlast1, find, false)
#undef TQM_COUNT

// The chosen elements close up. select puts their number before them, in 128 bytes of its own.
#define TQM_PICK(name, kind, mask_type)                                                                              \
  template <tqm_bang::Number T>                                                                                      \
  TQM_CALL unsigned int __bang_##name(T* dst, const tqm_bang::Same<T>* src, const mask_type* mask, int elem_count) { \
    return tqm_bang::pick("__bang_" #name, tqm_bang::Pick::kind, tqm_bang::type_of<T>, dst, src, mask, elem_count);  \
  }
TQM_PICK(filter, filter, tqm_bang::Same<T>)
TQM_PICK(collect, filter, tqm_bang::Same<T>)
TQM_PICK(filter_bitindex, filter_bits, void)
TQM_PICK(collect_bitindex, filter_bits, void)
TQM_PICK(maskmove_bitindex, filter_bits, void)
TQM_PICK(select, select, tqm_bang::Same<T>)
TQM_PICK(select_bitindex, select_bits, void)
#undef TQM_PICK
template <tqm_bang::Float T>
TQM_CALL void __bang_maskmove(T* dst, const tqm_bang::Same<T>* src, const tqm_bang::Same<T>* mask, int elem_count) {
  tqm_bang::mask_move("__bang_maskmove", tqm_bang::type_of<T>, dst, src, mask, elem_count);
}

TQM_CALL void __bang_lut_s32(int* dst, const int* src, const int* table, int elem_count, int table_length) {
  tqm_bang::look_up("__bang_lut_s32", tqm_bang::Type::i32, dst, src, table, elem_count, table_length);
}
TQM_CALL void __bang_lut_s16(short* dst, const short* src, const short* table, int elem_count, int table_length) {
  tqm_bang::look_up("__bang_lut_s16", tqm_bang::Type::i16, dst, src, table, elem_count, table_length);
}
template <tqm_bang::Number T>
  requires(sizeof(T) == 4)
TQM_CALL void __bang_lut(T* dst, const unsigned int* src, const T* table, int elem_count, int table_length) {
  tqm_bang::look_up("__bang_lut", tqm_bang::type_of<T>, dst, src, table, elem_count, table_length);
}
template <tqm_bang::Number T>
  requires(sizeof(T) == 2)
TQM_CALL void __bang_lut(T* dst, const unsigned short* src, const T* table, int elem_count, int table_length) {
  tqm_bang::look_up("__bang_lut", tqm_bang::type_of<T>, dst, src, table, elem_count, table_length);
}
template <tqm_bang::Integer T>
TQM_CALL void __bang_incseq(T* dst, int elem_count) {
  tqm_bang::increasing("__bang_incseq", tqm_bang::type_of<T>, dst, elem_count);
}

#define TQM_TURN(name)                                                                                    \
  template <tqm_bang::Number T>                                                                           \
  TQM_CALL void __bang_##name(T* dst, const tqm_bang::Same<T>* src, int height, int width) {              \
    tqm_bang::turn("__bang_" #name, tqm_bang::Turn::name, tqm_bang::type_of<T>, dst, src, height, width); \
  }
TQM_TURN(transpose)
TQM_TURN(rotate90)
TQM_TURN(rotate180)
TQM_TURN(rotate270)
TQM_TURN(mirror)
#undef TQM_TURN
template <tqm_bang::Number T>
TQM_CALL void __bang_pad(T* dst, const tqm_bang::Same<T>* src, int channel, int height, int width, int pad_top,
                         int pad_bottom, int pad_left, int pad_right) {
  tqm_bang::pad("__bang_pad", tqm_bang::type_of<T>, dst, src, channel, height, width, pad_top, pad_bottom, pad_left,
                pad_right);
}
template <tqm_bang::Number T>
TQM_CALL void __bang_pad(T* dst, const tqm_bang::Same<T>* src, int channel, int height, int width, int pad_height,
                         int pad_width) {
  tqm_bang::pad("__bang_pad", tqm_bang::type_of<T>, dst, src, channel, height, width, pad_height, pad_height, pad_width,
                pad_width);
}
template <tqm_bang::Number T>
TQM_CALL void __bang_reshape_filter(T* dst, const tqm_bang::Same<T>* src, int n, int h, int w, int c) {
  tqm_bang::reshape_filter("__bang_reshape_filter", tqm_bang::type_of<T>, dst, src, n, h, w, c);
}
template <tqm_bang::Number T>
TQM_CALL void __bang_reshape_nhwc2nchw(T* dst, const tqm_bang::Same<T>* src, int n, int h, int w, int c) {
  tqm_bang::reshape_layout("__bang_reshape_nhwc2nchw", true, tqm_bang::type_of<T>, dst, src, n, h, w, c);
}
template <tqm_bang::Number T>
TQM_CALL void __bang_reshape_nchw2nhwc(T* dst, const tqm_bang::Same<T>* src, int n, int h, int w, int c) {
  tqm_bang::reshape_layout("__bang_reshape_nchw2nhwc", false, tqm_bang::type_of<T>, dst, src, n, h, w, c);
}

// dst[m][n] = left[m][k] times the weights, whose n output channels of k elements lie in WRAM by their layout.
template <tqm_bang::Number D, tqm_bang::Number A, tqm_bang::Number B>
TQM_CALL void __bang_matmul(D* dst, const A* src, const B* weight, int m, int k, int n) {
  tqm_bang::matmul("__bang_matmul", tqm_bang::type_of<D>, tqm_bang::type_of<A>, tqm_bang::type_of<B>, dst, src, weight,
                   m, k, n, 0);
}
template <tqm_bang::Integer A, tqm_bang::Integer B, tqm_bang::Float D>
TQM_CALL void __bang_matmul(D* dst, const A* src, const B* weight, int m, int k, int n, int fix_position) {
  tqm_bang::matmul("__bang_matmul", tqm_bang::type_of<D>, tqm_bang::type_of<A>, tqm_bang::type_of<B>, dst, src, weight,
                   m, k, n, fix_position);
}
template <tqm_bang::Integer A, tqm_bang::Integer B, tqm_bang::Float D>
TQM_CALL void __bang_mlp(D* dst, const A* src, const B* weight, int height, int width, int fix_position) {
  tqm_bang::matmul("__bang_mlp", tqm_bang::type_of<D>, tqm_bang::type_of<A>, tqm_bang::type_of<B>, dst, src, weight, 1,
                   width, height, fix_position);
}
template <tqm_bang::Number D, tqm_bang::Float A, tqm_bang::Float B>
TQM_CALL void __bang_conv(D* dst, const A* src, const B* kernel, int channel_input, int height, int width,
                          int kernel_height, int kernel_width, int stride_width, int stride_height,
                          int channel_output) {
  tqm_bang::conv("__bang_conv", tqm_bang::type_of<D>, tqm_bang::type_of<A>, tqm_bang::type_of<B>, dst, src, kernel,
                 nullptr, tqm_bang::Type::f32, channel_input, height, width, kernel_height, kernel_width, stride_width,
                 stride_height, channel_output, 0);
}
template <tqm_bang::Number D, tqm_bang::Integer A, tqm_bang::Integer B>
TQM_CALL void __bang_conv(D* dst, const A* src, const B* kernel, int channel_input, int height, int width,
                          int kernel_height, int kernel_width, int stride_width, int stride_height, int channel_output,
                          int fix_position) {
  tqm_bang::conv("__bang_conv", tqm_bang::type_of<D>, tqm_bang::type_of<A>, tqm_bang::type_of<B>, dst, src, kernel,
                 nullptr, tqm_bang::Type::f32, channel_input, height, width, kernel_height, kernel_width, stride_width,
                 stride_height, channel_output, fix_position);
}
template <tqm_bang::Float D, tqm_bang::Integer A, tqm_bang::Integer B>
TQM_CALL void __bang_conv(D* dst, const A* src, const B* kernel, const tqm_bang::Same<D>* bias, int channel_input,
                          int height, int width, int kernel_height, int kernel_width, int stride_width,
                          int stride_height, int channel_output, int fix_position) {
  tqm_bang::conv("__bang_conv", tqm_bang::type_of<D>, tqm_bang::type_of<A>, tqm_bang::type_of<B>, dst, src, kernel,
                 bias, tqm_bang::type_of<D>, channel_input, height, width, kernel_height, kernel_width, stride_width,
                 stride_height, channel_output, fix_position);
}
