// Elements of buffers as bytes: their types, how they are named in a harness and in CUDA, values read out and put in,
// and how far apart two floats of one type are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tqm::port {

enum class Element : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

std::string_view name(Element element);                       // "f32", as a harness says it
std::optional<Element> element_named(std::string_view word);  // of a harness: "f32"
// As CUDA spells it, const or not: "const float", "__half", "unsigned int", "bool" (u8). None for what is no scalar.
std::optional<Element> element_of_cuda_type(std::string_view spelling);

std::size_t bytes_of(Element element);
bool is_floating(Element element);

// The value at `at`, which need not be aligned. Integers beyond 2^53 lose their last bits in value_at, not in bits_at.
double value_at(Element element, const std::byte* at);
std::uint64_t bits_at(Element element, const std::byte* at);
void put_bits(Element element, std::uint64_t bits, std::byte* at);
// Rounded to the nearest, ties to even; a float beyond the largest becomes infinity. An integer keeps its low bits.
void put_value(Element element, double value, std::byte* at);
void put_integer(Element element, std::int64_t value, std::byte* at);

// What tests and fills need of a floating type.
struct FloatShape {
  int precision;       // bits of the significand with the hidden one
  int least_exponent;  // of a normal number: 2^least_exponent is the smallest
  double largest;
};
FloatShape float_shape(Element element);

// The distance of neighbours at a value: one unit in the last place.
double ulp_of(Element element, double value);
// How many representable values lie between two finite floats, given by their bits; +0 and -0 are one value.
std::uint64_t steps_between(Element element, std::uint64_t a, std::uint64_t b);

// For a message: every digit that tells two neighbours apart; "nan", "inf", "-0".
std::string text_at(Element element, const std::byte* at);

}  // namespace tqm::port
