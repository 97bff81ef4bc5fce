#include "compress/model/rope.hpp"

#include <cmath>
#include <numbers>

namespace tqm::compress {
namespace {

// Llama 3.1's rule: long wavelengths are stretched by factor, short ones kept, those between blended smoothly.
float llama3_scaled(float frequency, const Llama3Rope& rope) {
  const double original = static_cast<double>(rope.original_max_position);
  const double wavelength = 2 * std::numbers::pi / static_cast<double>(frequency);
  if (wavelength < original / rope.high_freq_factor) return frequency;
  if (wavelength > original / rope.low_freq_factor) return static_cast<float>(frequency / rope.factor);
  const double smooth = (original / wavelength - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
  return static_cast<float>((1 - smooth) * frequency / rope.factor + smooth * frequency);
}

}  // namespace

std::vector<float> rope_inverse_frequencies(const ModelConfig& config) {
  const int64_t half = config.head_dim / 2;
  std::vector<float> frequencies(static_cast<size_t>(half));
  for (int64_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(config.head_dim);
    float frequency = 1.0F / std::pow(static_cast<float>(config.rope_theta), exponent);
    if (config.llama3_rope) frequency = llama3_scaled(frequency, *config.llama3_rope);
    frequency = frequency / static_cast<float>(config.linear_rope_factor);
    if (!config.rope_frequency_factors.empty()) frequency /= config.rope_frequency_factors[static_cast<size_t>(i)];
    frequencies[static_cast<size_t>(i)] = frequency;
  }
  return frequencies;
}

}  // namespace tqm::compress
