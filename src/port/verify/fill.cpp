#include "port/verify/fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tqm::port {
namespace {

constexpr std::array<std::pair<Fill, std::string_view>, 10> kNames = {{{Fill::random, "random"},
                                                                       {Fill::zeros, "zeros"},
                                                                       {Fill::signed_zeros, "signed-zeros"},
                                                                       {Fill::ones, "ones"},
                                                                       {Fill::denormals, "denormals"},
                                                                       {Fill::largest, "largest"},
                                                                       {Fill::mixed, "mixed"},
                                                                       {Fill::not_finite, "not-finite"},
                                                                       {Fill::permutation, "permutation"},
                                                                       {Fill::ramp, "ramp"}}};

bool is_unsigned(Element element) {
  return element == Element::u8 || element == Element::u16 || element == Element::u32 || element == Element::u64;
}

// Within the range, both ends included.
double in_range(Element element, const Range& range, Random& random) {
  if (is_floating(element)) return range.low + (range.high - range.low) * random.uniform();
  const double low = std::ceil(range.low);
  const auto count = static_cast<std::uint64_t>(std::max(0.0, std::floor(range.high) - low)) + 1;
  return low + static_cast<double>(random.below(count));
}

// Half of it near one, where sums stay exact enough to compare; the rest over six powers of ten.
double random_float(Element element, Random& random) {
  if (random.below(2) == 0) return 2 * random.uniform() - 1;
  const double size = std::pow(10.0, 4 * random.uniform() - 3);
  const double value = random.below(2) == 0 ? size : -size;
  return element == Element::f16 ? value / 4 : value;
}

void put_random(Element element, Random& random, std::byte* at) {
  if (is_floating(element)) return put_value(element, random_float(element, random), at);
  const auto value = static_cast<std::int64_t>(random.below(201));
  put_integer(element, is_unsigned(element) ? value : value - 100, at);
}

void put_denormal(Element element, Random& random, std::byte* at) {
  if (!is_floating(element)) return put_integer(element, static_cast<std::int64_t>(random.below(2)), at);
  const int fraction_bits = float_shape(element).precision - 1;
  const std::uint64_t fraction = 1 + random.below((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t sign = random.below(2) << (8 * bytes_of(element) - 1);
  put_bits(element, sign | fraction, at);
}

void put_largest(Element element, Random& random, std::byte* at) {
  const bool below = random.below(2) == 1;
  if (is_floating(element)) {
    const double largest = float_shape(element).largest;
    return put_value(element, below ? -largest : largest, at);
  }
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - 8 * bytes_of(element));
  if (is_unsigned(element)) return put_bits(element, below ? 0 : ones, at);
  put_bits(element, below ? (ones >> 1) + 1 : ones >> 1, at);
}

void put_not_finite(Element element, Random& random, std::byte* at) {
  if (!is_floating(element) || random.below(8) != 0) return put_random(element, random, at);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 3> kSorts = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};
  put_value(element, kSorts[random.below(3)], at);
}

double nearest(const Range& range, double value) {
  return std::clamp(value, range.low, range.high);
}

void fill_in_range(Element element, Fill fill, const Range& range, Random& random, std::byte* at) {
  switch (fill) {
    case Fill::zeros:
    case Fill::signed_zeros:
    case Fill::denormals:
      return put_value(element, nearest(range, 0), at);
    case Fill::ones:
      return put_value(element, nearest(range, 1), at);
    case Fill::largest:
      return put_value(element, random.below(2) == 0 ? range.low : range.high, at);
    case Fill::mixed:
      if (random.below(4) == 0) return put_value(element, random.below(2) == 0 ? range.low : range.high, at);
      break;
    default:
      break;
  }
  put_value(element, in_range(element, range, random), at);
}

std::vector<std::byte> counted(Element element, std::size_t count, bool shuffled, const std::optional<Range>& range,
                               Random& random) {
  const double first = range ? std::ceil(range->low) : 0;
  const double most = range ? std::floor(range->high) - first + 1 : std::numeric_limits<double>::infinity();
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  if (shuffled) random.shuffle(order);
  std::vector<std::byte> bytes(count * bytes_of(element));
  for (std::size_t i = 0; i < count; ++i)
    put_value(element, first + std::fmod(static_cast<double>(order[i]), most), bytes.data() + i * bytes_of(element));
  return bytes;
}

}  // namespace

std::string_view name(Fill fill) {
  for (const auto& [known, word] : kNames)
    if (known == fill) return word;
  return "";
}

std::optional<Fill> fill_named(std::string_view word) {
  for (const auto& [known, its_name] : kNames)
    if (its_name == word) return known;
  return std::nullopt;
}

void fill_one(Element element, Fill fill, const std::optional<Range>& range, Random& random, std::byte* at) {
  if (range) return fill_in_range(element, fill, *range, random, at);
  constexpr std::array<Fill, 6> kMixed = {Fill::random,    Fill::zeros,   Fill::signed_zeros,
                                          Fill::denormals, Fill::largest, Fill::ones};
  switch (fill) {
    case Fill::zeros:
      return put_value(element, 0, at);
    case Fill::signed_zeros:
      return put_value(element, random.below(2) == 0 ? 0.0 : -0.0, at);
    case Fill::ones:
      return put_value(element, 1, at);
    case Fill::denormals:
      return put_denormal(element, random, at);
    case Fill::largest:
      return put_largest(element, random, at);
    case Fill::mixed:
      return fill_one(element, kMixed[random.below(kMixed.size())], range, random, at);
    case Fill::not_finite:
      return put_not_finite(element, random, at);
    default:
      return put_random(element, random, at);
  }
}

std::vector<std::byte> filled(Element element, std::size_t count, Fill fill, const std::optional<Range>& range,
                              Random& random) {
  if (fill == Fill::permutation || fill == Fill::ramp)
    return counted(element, count, fill == Fill::permutation, range, random);
  std::vector<std::byte> bytes(count * bytes_of(element));
  for (std::size_t i = 0; i < count; ++i) fill_one(element, fill, range, random, bytes.data() + i * bytes_of(element));
  return bytes;
}

}  // namespace tqm::port
