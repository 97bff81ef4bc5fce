#include "port/ir/intrinsics.hpp"

#include <array>

namespace tqm::port::ir {

namespace {

constexpr auto kMath = IntrinsicGroup::math;
constexpr auto kBits = IntrinsicGroup::bits;
constexpr auto kWarp = IntrinsicGroup::warp;
constexpr auto kVote = IntrinsicGroup::vote;
constexpr auto kAtomic = IntrinsicGroup::atomic;
constexpr auto kEffect = IntrinsicGroup::effect;

constexpr IntrinsicInfo kIntrinsics[] = {
    {"sqrt", kMath, 1, false},
    {"rsqrt", kMath, 1, false},
    {"cbrt", kMath, 1, false},
    {"exp", kMath, 1, false},
    {"exp2", kMath, 1, false},
    {"exp10", kMath, 1, false},
    {"expm1", kMath, 1, false},
    {"log", kMath, 1, false},
    {"log2", kMath, 1, false},
    {"log10", kMath, 1, false},
    {"log1p", kMath, 1, false},
    {"sin", kMath, 1, false},
    {"cos", kMath, 1, false},
    {"tan", kMath, 1, false},
    {"asin", kMath, 1, false},
    {"acos", kMath, 1, false},
    {"atan", kMath, 1, false},
    {"atan2", kMath, 2, false},
    {"sinh", kMath, 1, false},
    {"cosh", kMath, 1, false},
    {"tanh", kMath, 1, false},
    {"asinh", kMath, 1, false},
    {"acosh", kMath, 1, false},
    {"atanh", kMath, 1, false},
    {"sinpi", kMath, 1, false},
    {"cospi", kMath, 1, false},
    {"erf", kMath, 1, false},
    {"erfc", kMath, 1, false},
    {"lgamma", kMath, 1, false},
    {"tgamma", kMath, 1, false},
    {"normcdf", kMath, 1, false},
    {"pow", kMath, 2, false},
    {"hypot", kMath, 2, false},
    {"fmod", kMath, 2, false},
    {"remainder", kMath, 2, false},
    {"copysign", kMath, 2, false},
    {"ldexp", kMath, 2, false},
    {"fdim", kMath, 2, false},
    {"abs", kMath, 1, false},
    {"floor", kMath, 1, false},
    {"ceil", kMath, 1, false},
    {"trunc", kMath, 1, false},
    {"round", kMath, 1, false},
    {"rint", kMath, 1, false},
    {"saturate", kMath, 1, false},
    {"min", kMath, 2, false},  // of integers
    {"max", kMath, 2, false},
    {"fmin", kMath, 2, false},  // of floats: the other one where one is NaN
    {"fmax", kMath, 2, false},
    {"fma", kMath, 3, false},
    {"isnan", kMath, 1, false},
    {"isinf", kMath, 1, false},
    {"isfinite", kMath, 1, false},
    {"signbit", kMath, 1, false},
    {"fast_exp", kMath, 1, true},
    {"fast_exp10", kMath, 1, true},
    {"fast_log", kMath, 1, true},
    {"fast_log2", kMath, 1, true},
    {"fast_log10", kMath, 1, true},
    {"fast_sin", kMath, 1, true},
    {"fast_cos", kMath, 1, true},
    {"fast_tan", kMath, 1, true},
    {"fast_pow", kMath, 2, true},
    {"fast_divide", kMath, 2, false},
    {"fast_tanh", kMath, 1, true},
    {"float_to_int", kMath, 1, false},  // nearest even, saturated
    {"float_to_uint", kMath, 1, false},
    {"float_floor_int", kMath, 1, false},
    {"float_ceil_int", kMath, 1, false},
    {"popcount", kBits, 1, false},
    {"count_leading_zeros", kBits, 1, false},
    {"find_first_set", kBits, 1, false},
    {"reverse_bits", kBits, 1, false},
    {"multiply_high", kBits, 2, false},
    {"byte_permute", kBits, 3, false},
    {"bits_of", kBits, 1, false},  // float_as_int and the like: the bits under another type
    {"rotate_left", kBits, 2, false},
    {"funnel_left", kBits, 3, false},
    {"funnel_right", kBits, 3, false},
    {"sum_abs_diff", kBits, 3, false},
    {"shuffle", kWarp, 3, false},  // value, source lane, width
    {"shuffle_up", kWarp, 3, false},
    {"shuffle_down", kWarp, 3, false},
    {"shuffle_xor", kWarp, 3, false},
    {"ballot", kWarp, 1, false},
    {"vote_any", kWarp, 1, false},
    {"vote_all", kWarp, 1, false},
    {"active_mask", kWarp, 0, false},
    {"match_any", kWarp, 1, false},
    {"warp_sum", kWarp, 1, false},
    {"warp_min", kWarp, 1, false},
    {"warp_max", kWarp, 1, false},
    {"warp_and", kWarp, 1, false},
    {"warp_or", kWarp, 1, false},
    {"warp_xor", kWarp, 1, false},
    {"warp_barrier", kWarp, 0, false},
    {"fragment_fill", kWarp, 2, false},  // start of a 16 x 16 matrix that the warp holds, value
    {"fragment_load", kWarp, 4, false},  // start, where from, elements from row to row, 1: rows become columns
    {"fragment_store", kWarp, 4, false},
    {"fragment_multiply", kWarp, 4, false},  // starts of d, a, b by columns, c: d = a b + c
    {"block_count", kVote, 1, false},
    {"block_and", kVote, 1, false},
    {"block_or", kVote, 1, false},
    {"atomic_add", kAtomic, 2, false},  // address, value -> old
    {"atomic_sub", kAtomic, 2, false},
    {"atomic_min", kAtomic, 2, false},
    {"atomic_max", kAtomic, 2, false},
    {"atomic_and", kAtomic, 2, false},
    {"atomic_or", kAtomic, 2, false},
    {"atomic_xor", kAtomic, 2, false},
    {"atomic_exchange", kAtomic, 2, false},
    {"atomic_increment", kAtomic, 2, false},
    {"atomic_decrement", kAtomic, 2, false},
    {"atomic_compare_exchange", kAtomic, 3, false},
    {"block_barrier", kEffect, 0, false},
    {"fence", kEffect, 0, false},
    {"trap", kEffect, 0, false},
};

IntrinsicGroup group_of(std::string_view name) {
  const IntrinsicInfo* info = find_intrinsic(name);
  return info ? info->group : kEffect;
}

}  // namespace

const IntrinsicInfo* find_intrinsic(std::string_view name) {
  for (const auto& info : kIntrinsics)
    if (info.name == name) return &info;
  return nullptr;
}

bool is_pure(std::string_view name) {
  const auto group = group_of(name);
  return group == kMath || group == kBits;
}

bool is_warp(std::string_view name) {
  return group_of(name) == kWarp;
}

bool is_vote(std::string_view name) {
  return group_of(name) == kVote;
}

bool is_atomic(std::string_view name) {
  return group_of(name) == kAtomic;
}

}  // namespace tqm::port::ir
