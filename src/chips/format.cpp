#include "chips/format.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tqm::chips {
namespace {

struct Row {
  NumberFormat format;
  std::string_view name;
  std::string_view description;
  bool weight_only;
  bool integer;
};

constexpr std::array<Row, kNumberFormats.size()> kRows = {{
    {NumberFormat::fp32, "fp32", "32-bit floating point", false, false},
    {NumberFormat::tf32, "tf32", "fp32 rounded to 10 bits of fraction for matrix products", false, false},
    {NumberFormat::fp16, "fp16", "16-bit floating point, 10 bits of fraction", false, false},
    {NumberFormat::bf16, "bf16", "16-bit floating point with the range of fp32", false, false},
    {NumberFormat::fp8, "fp8", "8-bit floating point (e4m3), weights and activations", false, false},
    {NumberFormat::int8_w8a8, "int8-w8a8", "8-bit integers, weights and activations", false, true},
    {NumberFormat::int8, "int8", "8-bit integers, weights only", true, true},
    {NumberFormat::int4, "int4", "4-bit integers, weights only", true, true},
    {NumberFormat::int3, "int3", "3-bit integers, weights only", true, true},
}};

const Row& row(NumberFormat format) {
  const Row& found = kRows[static_cast<size_t>(format)];
  ASSERT(found.format == format);
  return found;
}

}  // namespace

std::string_view name(NumberFormat format) {
  return row(format).name;
}
std::string_view description(NumberFormat format) {
  return row(format).description;
}
bool is_weight_only(NumberFormat format) {
  return row(format).weight_only;
}
bool is_integer(NumberFormat format) {
  return row(format).integer;
}

Result<NumberFormat> parse_format(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const Row& candidate : kRows)
    if (candidate.name == lower) return candidate.format;
  const std::vector<std::string> names = format_names();
  std::string next = did_you_mean(word, names);
  next += std::string(next.empty() ? "" : " ") + "known are " + join(names, ", ");
  return Error{ErrorKind::usage, "no such number format", std::string(word), next};
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Row& candidate : kRows) names.emplace_back(candidate.name);
  return names;
}

}  // namespace tqm::chips
