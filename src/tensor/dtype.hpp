// Element types as they stand in files, and their widths; conversion to and from float on raw memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tqm::tensor {

enum class DType { f64, f32, f16, bf16, f8_e4m3, i64, i32, i16, i8, u8, boolean };

size_t size_of(DType dtype);                     // bytes an element
std::string_view safetensors_name(DType dtype);  // "F32", "BF16", …
std::optional<DType> from_safetensors_name(std::string_view name);
bool is_floating(DType dtype);

float f16_to_float(uint16_t bits);
float bf16_to_float(uint16_t bits);
uint16_t float_to_f16(float value);   // round to nearest even; overflow to infinity
uint16_t float_to_bf16(float value);  // round to nearest even

// from holds count elements of dtype (a floating type); to holds count floats.
void to_float(DType dtype, const std::byte* from, size_t count, float* to);
void from_float(DType dtype, const float* from, size_t count, std::byte* to);

}  // namespace tqm::tensor
