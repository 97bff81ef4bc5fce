// Calls whose meaning a target must know, by one name each, whatever CUDA spelling they came from (sqrtf, sqrt and
// __fsqrt_rn are "sqrt"; the type of the node says which). An emitter that does not know one refuses it.
#pragma once

#include <string_view>

namespace tqm::port::ir {

enum class IntrinsicGroup {
  math,    // a value from values
  bits,    // popc, clz, float_as_int, …
  warp,    // meets the other threads of the warp
  vote,    // a barrier that gives a value: syncthreads_count, …
  atomic,  // place, values
  effect,  // fences, traps: kept as effects or dropped by the emitter
};

struct IntrinsicInfo {
  std::string_view name;
  IntrinsicGroup group;
  int args;
  bool approximate;  // CUDA's own documentation gives it an error of more than 2 ulp
};

const IntrinsicInfo* find_intrinsic(std::string_view name);
bool is_pure(std::string_view name);  // math and bits
bool is_warp(std::string_view name);
bool is_vote(std::string_view name);
bool is_atomic(std::string_view name);

}  // namespace tqm::port::ir
