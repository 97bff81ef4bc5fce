// A model with some of its weights put in others' place, without copying the rest: how a mix of formats is tried before
// it is written.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "compress/model/model.hpp"
#include "compress/quantize/plan.hpp"
#include "task/checkpoint.hpp"

namespace tqm::compress {

// Asked for every weight; nothing: the original's own.
using Replacement = std::function<Result<std::optional<Weight>>(const std::string& name)>;

Model overlay(const Model& original, Replacement replacement);

// The weights of a run: what the plan names comes from the checkpoint where it has the plan's bits, else (raised to 8
// bits by a repair) it is rounded to nearest from the original. Both must outlive the result.
Replacement quantized_weights(const Model& original, const Plan& made, const Plan& wanted,
                              const task::CheckpointFolder& checkpoint);

// The original's weight rounded to nearest, as a repair puts it back.
Result<QuantTensor> rounded(const Model& original, const std::string& name, const QuantSpec& spec);

// "model.layers.12.…" → 12; −1 where the name is of no block.
int64_t layer_of(const std::string& name);

}  // namespace tqm::compress
