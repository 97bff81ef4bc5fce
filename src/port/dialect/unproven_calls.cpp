#include "port/dialect/unproven_calls.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "port/dialect/bang_calls.hpp"
#include "port/dialect/device_functions.hpp"

namespace tqm::port::dialect {

namespace {

// Made by kernels of bench/port/twins that agree; a test holds docs/unproven-calls.md, which that bench writes, to it.
constexpr std::string_view kExercised = R"(
    __bang_abs __bang_active_exphp __bang_active_loghp __bang_active_reciphp __bang_active_sigmoid __bang_add
    __bang_add_scalar __bang_and __bang_argmax __bang_atomic_reduce_add __bang_atomic_reduce_max __bang_band
    __bang_band_scalar __bang_bnot __bang_bor __bang_conv __bang_cycle_and __bang_cycle_lt __bang_cycle_minequal
    __bang_cycle_mul __bang_eq_scalar __bang_filter __bang_filter_bitindex __bang_float2int32 __bang_float2int32_tz
    __bang_float2int_tz __bang_floor __bang_fusion __bang_ge_scalar __bang_gt __bang_gt_scalar __bang_int2float
    __bang_int322float __bang_log2 __bang_lt_scalar __bang_matmul __bang_maxeq_scalar __bang_maxequal __bang_maxpool
    __bang_maxpool_index __bang_minequal __bang_mul __bang_mul_const __bang_mul_scalar __bang_ne_scalar __bang_not
    __bang_or __bang_recip __bang_reduce_sum __bang_reshape_filter __bang_sqrt __bang_square __bang_srl __bang_sub
    __bang_sub_scalar __bang_sum __bang_sumpool __bang_transpose __bang_write_value __bang_write_zero __gather
    __gdramset __load_nram __memcpy __memcpy_async __nramset __sync __sync_all_ipu __sync_all_ipu_within_cluster
    __sync_cluster __sync_compute __sync_io_move_compute __sync_move
)";

std::unordered_set<std::string_view> words(std::string_view text) {
  std::unordered_set<std::string_view> all;
  for (std::size_t begin = text.find_first_not_of(" \n"); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    all.insert(text.substr(begin, end - begin));
    begin = text.find_first_not_of(" \n", end);
  }
  return all;
}

bool converts_a_scalar(std::string_view call) {
  return call.find('2') != std::string_view::npos && call.substr(0, 6) != "__bang";
}

}  // namespace

bool is_unproven(std::string_view call) {
  static const std::unordered_set<std::string_view> exercised = words(kExercised);
  return is_call_of_372(call) && exercised.count(call) == 0 && !converts_a_scalar(call);
}

std::vector<std::string> unproven_calls(std::string_view text, const std::string& function) {
  const std::vector<Token> tokens = tokenize(text);
  const std::vector<DeviceFunction> functions = device_functions(tokens);
  std::set<std::string> found, seen{function};
  std::vector<std::string> open{function};
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    for (const DeviceFunction& one : functions) {
      if (one.name != name) {
        continue;
      }
      for (std::size_t i = one.body; i < std::min(one.end, tokens.size()); ++i) {
        const std::string word(tokens[i].text);
        if (is_unproven(word)) {
          found.insert(word);
        }
        const bool ours = std::any_of(functions.begin(), functions.end(),
                                      [&](const DeviceFunction& other) { return other.name == word; });
        if (ours && seen.insert(word).second) {
          open.push_back(word);
        }
      }
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace tqm::port::dialect
