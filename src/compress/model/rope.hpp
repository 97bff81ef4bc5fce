// Rotary position embedding (Su et al. 2021) in rotate-half order: element i of a head is paired with element i +
// head_dim / 2, and the pair is turned by position · inverse_frequencies[i]. Every runtime takes its angles from here.
#pragma once

#include <vector>

#include "compress/model/model.hpp"

namespace tqm::compress {

// head_dim / 2 values, with linear scaling, Llama 3's scaling or a file's own divisors applied; in f32, as transformers
// computes them.
std::vector<float> rope_inverse_frequencies(const ModelConfig& config);

}  // namespace tqm::compress
