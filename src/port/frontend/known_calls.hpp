// CUDA's device functions by name: what each is in the tree. Seen by lower_call.cpp only.
#pragma once

#include <string>

#include "port/ir/node.hpp"

namespace tqm::port {

enum class CallForm {
  intrinsic,  // name(args), the type is the call's
  binary,     // args[0] op args[1]
  negate,
  convert,     // a cast to the call's type
  convert_to,  // a cast to `scalar`
  first,       // the first argument (ldg of a pointer is a load: see load)
  load,        // *args[0]
  store,       // *args[0] = args[1]
  bits,        // bits_of under the call's type
  shuffle,     // (mask, value, lane, width = 32); without mask for the old forms
  vote,        // (mask, predicate)
  nothing,     // no effect on one core: fences, prefetches
  barrier,     // the whole block
  warp_barrier,
  atomic,
  reduce,  // (mask, value)
  refuse,
  divide,  // args[0] / args[1]
  fused,   // (a, b, c) -> fma
  reciprocal,
  multiply_24,
  sine_cosine,  // (x, *s, *c)
  compare_unordered,
  make_record,  // make_float4(…), __halves2half2
  print,
  assertion,
  thread_rank,    // of the thread in its block
  block_threads,  // of the block
};

struct KnownCall {
  const char* name;
  CallForm form;
  const char* intrinsic = "";  // or the reason of a refusal
  ir::Op op = ir::Op::none;
  ir::Scalar scalar = ir::Scalar::none;
  int number = 0;  // of a refusal
};

// nullptr: not known.
const KnownCall* find_known_call(const std::string& name);

}  // namespace tqm::port
