// The number formats that a chip may compute in or store weights in.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tqm::chips {

enum class NumberFormat {
  fp32,
  tf32,
  fp16,
  bf16,
  fp8,        // e4m3, weights and activations
  int8_w8a8,  // weights and activations
  int8,       // weights only
  int4,       // weights only
  int3,       // weights only
};

inline constexpr std::array kNumberFormats = {NumberFormat::fp32, NumberFormat::tf32, NumberFormat::fp16,
                                              NumberFormat::bf16, NumberFormat::fp8,  NumberFormat::int8_w8a8,
                                              NumberFormat::int8, NumberFormat::int4, NumberFormat::int3};

std::string_view name(NumberFormat format);         // "int8-w8a8"
std::string_view description(NumberFormat format);  // "8-bit integers, weights and activations"
bool is_weight_only(NumberFormat format);           // int8, int4, int3: unpacked before computing
bool is_integer(NumberFormat format);

// Case does not count. The refusal names the nearest and all formats.
Result<NumberFormat> parse_format(std::string_view word);

std::vector<std::string> format_names();

}  // namespace tqm::chips
