#include "chips/capability.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tqm::chips {
namespace {

bool has(const FormatList& list, NumberFormat format) {
  return std::find(list.formats.begin(), list.formats.end(), format) != list.formats.end();
}

// What weights are unpacked to: the 16-bit formats before fp32.
std::optional<NumberFormat> unpacked(const Chip& chip) {
  for (NumberFormat format : {NumberFormat::fp16, NumberFormat::bf16, NumberFormat::fp32})
    if (has(chip.computes, format)) return format;
  return std::nullopt;
}

// What comes closest to each format, best first: in size for those made to be small, in range and precision for the
// others.
std::vector<NumberFormat> replacements(NumberFormat format) {
  using enum NumberFormat;
  switch (format) {
    case fp32:
      return {tf32, bf16, fp16};
    case tf32:
      return {bf16, fp16, fp32};
    case fp16:
      return {bf16, fp32};
    case bf16:
      return {fp16, fp32};
    case fp8:
      return {int8_w8a8, int8, bf16, fp16, fp32};
    case int8_w8a8:
      return {fp8, int8, bf16, fp16, fp32};
    case int8:
      return {int8_w8a8, fp8};
    case int4:
      return {int8_w8a8, fp8};
    case int3:
      return {int8_w8a8, fp8};
  }
  ASSERT(false);
}

bool works(const Chip& chip, NumberFormat format) {
  if (has(chip.computes, format)) return true;
  return (is_weight_only(format) || has(chip.stores, format)) && unpacked(chip).has_value();
}

std::string doubt(const Source& source) {
  return source.unverified ? " (by a secondary source)" : "";
}

}  // namespace

std::string_view name(Answer answer) {
  switch (answer) {
    case Answer::computes:
      return "computes";
    case Answer::only_stores:
      return "only stores";
    case Answer::refuses:
      return "refuses";
  }
  ASSERT(false);
}

Capability capability(const Chip& chip, NumberFormat format) {
  const std::string word(name(format));
  Capability result;
  if (has(chip.computes, format)) {
    result.answer = Answer::computes;
    result.computes_in = format;
    result.reason = "the " + chip.name + " computes in " + word + doubt(chip.computes.source);
    return result;
  }
  const std::optional<NumberFormat> target = unpacked(chip);
  if (target && (is_weight_only(format) || has(chip.stores, format))) {
    result.answer = Answer::only_stores;
    result.computes_in = target;
    result.reason = "the " + chip.name + " can keep weights in " + word +
                    ", which saves memory and bandwidth; it unpacks them and computes in " + std::string(name(*target));
    return result;
  }
  for (NumberFormat candidate : replacements(format))
    if (works(chip, candidate) && result.nearest.size() < 3) result.nearest.push_back(candidate);
  std::vector<std::string> computed;
  for (NumberFormat known : chip.computes.formats) computed.emplace_back(name(known));
  result.reason = "the " + chip.name + " does not compute in " + word + ", only in " + join(computed, ", ") +
                  doubt(chip.computes.source);
  if (is_weight_only(format))
    result.reason = "the " + chip.name + " computes in none of fp16, bf16 and fp32, to which weights in " + word +
                    " would have to be unpacked";
  return result;
}

}  // namespace tqm::chips
