// What a kernel may use, and by which words it is known. One table serves both readers of a source: Clang's tree, where
// a word is the name of a function called, a type or a variable; and the plain words of a file that Clang gave up on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tqm::port {

enum class Feature {
  shared_static,
  shared_dynamic,
  barrier,
  barrier_in_loop,
  barrier_divergent,   // under a condition that depends on the thread
  barrier_after_exit,  // after a return under such a condition
  warp_shuffle,
  warp_vote,
  warp_reduce,
  warp_match,
  warp_sync,
  warp_implicit,  // relies on threads of a warp running in step
  atomic_shared,
  atomic_global,
  atomic_float,  // a sum of floats, whose result depends on the order
  fence,
  spin_wait,
  double_type,
  half_type,
  bfloat16_type,
  vector_type,
  texture,
  surface,
  template_,
  cooperative_groups,
  grid_barrier,
  cluster,
  async_copy,
  wmma,
  dynamic_parallelism,
  inline_ptx,
  printf_,
  assert_,
  recursion,
  virtual_function,
  function_pointer,
  constant_memory,
  device_variable,
  device_heap,
  device_library,  // cuRAND, Thrust, … within a kernel
  cub_block,       // CUB's block and warp algorithms
  accessor,        // PyTorch's
  fast_math,
  read_only_load,  // __ldg and the like
  clock,
  launch_bounds,
  indirect_access,  // an index that was itself read from memory
};

std::string_view name(Feature feature);  // "shared-dynamic", as in --json
std::optional<Feature> feature_named(std::string_view name);

// The feature that a word stands for: a function called, a type, a variable. None for most words.
std::optional<Feature> feature_of_word(std::string_view word);

struct FeatureUse {
  Feature feature{};
  int line = 0;
  std::string detail = {};  // the word, or what exactly; may be empty
  std::string file = {};    // where it is not the kernel's: a function that the kernel calls
};

}  // namespace tqm::port
