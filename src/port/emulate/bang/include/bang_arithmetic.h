// Element-wise vector calls: arithmetic, comparison, logic, functions, fusion.
#pragma once

#include "bang_types.h"

// dst = a op b, in the plain, the scalar and the repeating form
#define TQM_PLAIN(name, op, kind)                                                                                     \
  template <tqm_bang::kind T>                                                                                         \
  TQM_CALL void __bang_##name(T* dst, const tqm_bang::Same<T>* src0, const tqm_bang::Same<T>* src1, int elem_count) { \
    tqm_bang::binary("__bang_" #name, tqm_bang::Binary::op, tqm_bang::type_of<T>, dst, src0, src1, elem_count,        \
                     elem_count);                                                                                     \
  }
#define TQM_SCALAR(name, op, kind)                                                                             \
  template <tqm_bang::kind T>                                                                                  \
  TQM_CALL void __bang_##name(T* dst, const tqm_bang::Same<T>* src, tqm_bang::Same<T> value, int elem_count) { \
    tqm_bang::binary_scalar("__bang_" #name, tqm_bang::Binary::op, tqm_bang::type_of<T>, dst, src,             \
                            tqm_bang::bits<T>(value), elem_count);                                             \
  }
#define TQM_CYCLE(name, op, kind)                                                                                      \
  template <tqm_bang::kind T>                                                                                          \
  TQM_CALL void __bang_cycle_##name(T* dst, const tqm_bang::Same<T>* src, const tqm_bang::Same<T>* seg,                \
                                    int src_elem_count, int seg_elem_count) {                                          \
    tqm_bang::binary("__bang_cycle_" #name, tqm_bang::Binary::op, tqm_bang::type_of<T>, dst, src, seg, src_elem_count, \
                     seg_elem_count);                                                                                  \
  }
#define TQM_ALL(name, op, kind)       \
  TQM_PLAIN(name, op, kind)           \
  TQM_SCALAR(name##_scalar, op, kind) \
  TQM_CYCLE(name, op, kind)

TQM_ALL(add, add, Wide)
TQM_ALL(sub, sub, Wide)
TQM_ALL(mul, mul, Wide)
TQM_SCALAR(add_const, add, Float)
TQM_SCALAR(sub_const, sub, Float)
TQM_SCALAR(mul_const, mul, Float)
TQM_PLAIN(add_tz, add_tz, Float)
TQM_CYCLE(add_tz, add_tz, Float)
TQM_ALL(eq, eq, Wide)
TQM_ALL(ne, ne, Wide)
TQM_ALL(gt, gt, Wide)
TQM_ALL(ge, ge, Wide)
TQM_ALL(lt, lt, Wide)
TQM_ALL(le, le, Wide)
TQM_SCALAR(ge_const, ge, Float)
TQM_ALL(and, logical_and, Number)
TQM_ALL(or, logical_or, Number)
TQM_ALL(xor, logical_xor, Number)
TQM_ALL(band, bit_and, Number)
TQM_ALL(bor, bit_or, Number)
TQM_ALL(bxor, bit_xor, Number)
TQM_PLAIN(maxequal, maximum, Wide)
TQM_PLAIN(minequal, minimum, Wide)
TQM_CYCLE(maxequal, maximum, Wide)
TQM_CYCLE(minequal, minimum, Wide)
TQM_SCALAR(maxeq_scalar, maximum, Wide)
TQM_SCALAR(mineq_scalar, minimum, Wide)
TQM_PLAIN(maximum, maximum, Float)
TQM_PLAIN(minimum, minimum, Float)
TQM_CYCLE(maximum, maximum, Float)
TQM_CYCLE(minimum, minimum, Float)
TQM_PLAIN(nan_maximum, nan_maximum, Float)
TQM_PLAIN(nan_minimum, nan_minimum, Float)
TQM_CYCLE(nan_maximum, nan_maximum, Float)
TQM_CYCLE(nan_minimum, nan_minimum, Float)
TQM_SCALAR(sll, shift_left, Integer)
TQM_SCALAR(srl, shift_right, Integer)
#undef TQM_ALL
#undef TQM_CYCLE

// Floats too: less exactly than recip and mul, and whole lines of 128 bytes only.
TQM_PLAIN(div, div, Integer)
TQM_PLAIN(rem, rem, Integer)
template <tqm_bang::Integer T>
TQM_CALL void __bang_rem(T* dst, const tqm_bang::Same<T>* src, tqm_bang::Same<T> value, int elem_count) {
  tqm_bang::absent("__bang_rem with a scalar");
}
#undef TQM_PLAIN
#undef TQM_SCALAR
template <tqm_bang::Float T>
TQM_CALL void __bang_div(T* dst, const tqm_bang::Same<T>* src0, const tqm_bang::Same<T>* src1, int elem_count) {
  tqm_bang::binary("__bang_div", tqm_bang::Binary::div, tqm_bang::type_of<T>, dst, src0, src1, elem_count, elem_count);
}

#define TQM_BITS(name)                                                                                                 \
  template <tqm_bang::Float T>                                                                                         \
  TQM_CALL void __bang_##name##_bitindex(T* dst, const tqm_bang::Same<T>* src0, const tqm_bang::Same<T>* src1,         \
                                         int elem_count) {                                                             \
    tqm_bang::compare_bits("__bang_" #name "_bitindex", tqm_bang::Binary::name, tqm_bang::type_of<T>, dst, src0, src1, \
                           elem_count);                                                                                \
  }
TQM_BITS(eq)
TQM_BITS(ne)
TQM_BITS(gt)
TQM_BITS(ge)
TQM_BITS(lt)
TQM_BITS(le)
#undef TQM_BITS

#define TQM_UNARY(name, op, kind)                                                                      \
  template <tqm_bang::kind T>                                                                          \
  TQM_CALL void __bang_##name(T* dst, const tqm_bang::Same<T>* src, int elem_count) {                  \
    tqm_bang::unary("__bang_" #name, tqm_bang::Unary::op, tqm_bang::type_of<T>, dst, src, elem_count); \
  }
TQM_UNARY(abs, abs, Wide)
TQM_UNARY(neg, neg, Wide)
TQM_UNARY(not, logical_not, Number)
TQM_UNARY(bnot, bit_not, Integer)
TQM_UNARY(relu, relu, Float)
TQM_UNARY(square, square, Float)
#undef TQM_UNARY

// Functions of the vector unit, float alone.
#define TQM_FUNCTION(name, op)                                                                        \
  TQM_CALL void __bang_##name(float* dst, const float* src, int elem_count) {                         \
    tqm_bang::unary("__bang_" #name, tqm_bang::Unary::op, tqm_bang::Type::f32, dst, src, elem_count); \
  }
TQM_FUNCTION(sqrt, sqrt)
TQM_FUNCTION(rsqrt, rsqrt)
TQM_FUNCTION(recip, recip)
TQM_FUNCTION(log, log2)  // binary, in spite of its name; log2 is the newer one
TQM_FUNCTION(log2, log2)
TQM_FUNCTION(pow2, pow2)
TQM_FUNCTION(sin, sin)
TQM_FUNCTION(cos, cos)
TQM_FUNCTION(floor, floor)
TQM_FUNCTION(round, round)
#undef TQM_FUNCTION

#define TQM_ACTIVE(name)                                                                                          \
  template <tqm_bang::Float T>                                                                                    \
  TQM_CALL void __bang_active_##name(T* dst, const tqm_bang::Same<T>* src, int elem_count) {                      \
    tqm_bang::active("__bang_active_" #name, tqm_bang::Active::name, tqm_bang::type_of<T>, dst, src, elem_count); \
  }
TQM_ACTIVE(exp)
TQM_ACTIVE(exphp)
TQM_ACTIVE(exp_less_0)
TQM_ACTIVE(pow2)
TQM_ACTIVE(relu)
TQM_ACTIVE(abs)
TQM_ACTIVE(sign)
TQM_ACTIVE(sigmoid)
TQM_ACTIVE(tanh)
TQM_ACTIVE(gelu)
TQM_ACTIVE(gelup)
TQM_ACTIVE(sqrt)
TQM_ACTIVE(sqrthp)
TQM_ACTIVE(rsqrt)
TQM_ACTIVE(rsqrthp)
TQM_ACTIVE(recip)
TQM_ACTIVE(reciphp)
TQM_ACTIVE(recip_greater_1)
TQM_ACTIVE(sin)
TQM_ACTIVE(cos)
TQM_ACTIVE(log)
TQM_ACTIVE(loghp)
#undef TQM_ACTIVE

template <tqm_bang::Float T>
TQM_CALL void __bang_relun(T* dst, const tqm_bang::Same<T>* src, int elem_count, tqm_bang::Same<T> nvalue) {
  tqm_bang::unary("__bang_relun", tqm_bang::Unary::relu, tqm_bang::type_of<T>, dst, src, elem_count);
  tqm_bang::binary_scalar("__bang_relun", tqm_bang::Binary::minimum, tqm_bang::type_of<T>, dst, dst,
                          tqm_bang::bits<T>(nvalue), elem_count);
}

// Each of b and c is a scalar or a vector that repeats.
template <tqm_bang::Float T>
TQM_CALL void __bang_fusion(mluFusionOpCode op_code, T* dst, const tqm_bang::Same<T>* src0, tqm_bang::Same<T> src1,
                            tqm_bang::Same<T> src2, int elem_count) {
  tqm_bang::fusion("__bang_fusion", op_code, tqm_bang::type_of<T>, dst, src0, nullptr, tqm_bang::bits<T>(src1), nullptr,
                   tqm_bang::bits<T>(src2), elem_count, 1, 1);
}
template <tqm_bang::Float T>
TQM_CALL void __bang_fusion(mluFusionOpCode op_code, T* dst, const tqm_bang::Same<T>* src0,
                            const tqm_bang::Same<T>* src1, tqm_bang::Same<T> src2, int elem_count,
                            int src1_elem_count) {
  tqm_bang::fusion("__bang_fusion", op_code, tqm_bang::type_of<T>, dst, src0, src1, 0, nullptr, tqm_bang::bits<T>(src2),
                   elem_count, src1_elem_count, 1);
}
template <tqm_bang::Float T>
TQM_CALL void __bang_fusion(mluFusionOpCode op_code, T* dst, const tqm_bang::Same<T>* src0, tqm_bang::Same<T> src1,
                            const tqm_bang::Same<T>* src2, int elem_count, int src2_elem_count) {
  tqm_bang::fusion("__bang_fusion", op_code, tqm_bang::type_of<T>, dst, src0, nullptr, tqm_bang::bits<T>(src1), src2, 0,
                   elem_count, 1, src2_elem_count);
}
template <tqm_bang::Float T>
TQM_CALL void __bang_fusion(mluFusionOpCode op_code, T* dst, const tqm_bang::Same<T>* src0,
                            const tqm_bang::Same<T>* src1, const tqm_bang::Same<T>* src2, int elem_count,
                            int src1_src2_elem_count) {
  tqm_bang::fusion("__bang_fusion", op_code, tqm_bang::type_of<T>, dst, src0, src1, 0, src2, 0, elem_count,
                   src1_src2_elem_count, src1_src2_elem_count);
}

// The vector functions of the device library: count first.
TQM_CALL void __cn_vector_div_f32_rn(int n, float* dst, const float* a, const float* b) {
  tqm_bang::binary("__cn_vector_div_f32_rn", tqm_bang::Binary::div, tqm_bang::Type::f32, dst, a, b, n, n);
}
TQM_CALL void __cn_vector_hypot_f32(int n, float* dst, const float* a, const float* b) {
  tqm_bang::binary("__cn_vector_hypot_f32", tqm_bang::Binary::hypot, tqm_bang::Type::f32, dst, a, b, n, n);
}
TQM_CALL void __cn_vector_div_s32(int n, int* dst, const int* a, const int* b) {
  tqm_bang::binary("__cn_vector_div_s32", tqm_bang::Binary::div, tqm_bang::Type::i32, dst, a, b, n, n);
}
TQM_CALL void __cn_vector_sin_f32(int n, float* dst, const float* a) {
  tqm_bang::unary("__cn_vector_sin_f32", tqm_bang::Unary::sin, tqm_bang::Type::f32, dst, a, n);
}
TQM_CALL void __cn_vector_cos_f32(int n, float* dst, const float* a) {
  tqm_bang::unary("__cn_vector_cos_f32", tqm_bang::Unary::cos, tqm_bang::Type::f32, dst, a, n);
}
TQM_CALL void __cn_vector_exp_f32(int n, float* dst, const float* a) {
  tqm_bang::unary("__cn_vector_exp_f32", tqm_bang::Unary::exp, tqm_bang::Type::f32, dst, a, n);
}
TQM_CALL void __cn_vector_log_f32(int n, float* dst, const float* a) {
  tqm_bang::unary("__cn_vector_log_f32", tqm_bang::Unary::ln, tqm_bang::Type::f32, dst, a, n);
}
TQM_CALL void __cn_vector_tanh_f32(int n, float* dst, const float* a) {
  tqm_bang::unary("__cn_vector_tanh_f32", tqm_bang::Unary::tanh, tqm_bang::Type::f32, dst, a, n);
}
TQM_CALL void __cn_vector_sqrt_f32_rn(int n, float* dst, const float* a) {
  tqm_bang::unary("__cn_vector_sqrt_f32_rn", tqm_bang::Unary::sqrt, tqm_bang::Type::f32, dst, a, n);
}
