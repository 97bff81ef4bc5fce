// What buffers hold before a launch: seeded, so that a case is the same wherever it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "port/verify/element.hpp"

namespace tqm::port {

// One case of a kernel fills all its buffers of data alike; buffers of indices keep to their range in every case.
enum class Fill : std::uint8_t {
  random,        // floats spread over signs and magnitudes of everyday data, integers over -100 to 100
  zeros,         // +0
  signed_zeros,  // +0 and -0 in turn, by chance
  ones,
  denormals,    // below the smallest normal number; integers: 0 and 1
  largest,      // the largest of either sign, by chance
  mixed,        // all of the above side by side
  not_finite,   // random with NaN and both infinities among it, one element in eight; integers: random
  permutation,  // each of 0 to n - 1 once, in random order: where two elements must not name one place
  ramp,         // 0, 1, 2, …, from the start of the range where there is one
};
inline constexpr Fill kEdgeFills[] = {Fill::zeros,     Fill::ones,    Fill::signed_zeros,
                                      Fill::denormals, Fill::largest, Fill::mixed};

std::string_view name(Fill fill);  // "signed-zeros"
std::optional<Fill> fill_named(std::string_view word);

// From low to high, both included. A buffer with a range never leaves it: zeros become the value of the range that is
// nearest to zero, ones the one nearest to one, largest the two ends, and nothing is NaN.
struct Range {
  double low = 0, high = 0;
};

std::vector<std::byte> filled(Element element, std::size_t count, Fill fill, const std::optional<Range>& range,
                              Random& random);

// Scalars of a kernel that are data and no sizes get the same treatment.
void fill_one(Element element, Fill fill, const std::optional<Range>& range, Random& random, std::byte* at);

}  // namespace tqm::port
