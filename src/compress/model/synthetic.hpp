// Small random models, for tests and for benches that need a model of a given size: never for results.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.hpp"
#include "compress/model/model.hpp"

namespace tqm::compress {

// A configuration of the family that uses all it has (biases, q/k norms), a few kilobytes large.
ModelConfig tiny_config(Family family);

// A Hugging Face folder (config.json, model.safetensors or shards, no tokenizer) with seeded weights, the scale of a
// trained model's: same arguments, same bytes.
Status write_synthetic_model(const std::filesystem::path& folder, const ModelConfig& config, uint64_t seed,
                             tensor::DType dtype = tensor::DType::bf16, uint64_t shard_bytes = 5'000'000'000);

}  // namespace tqm::compress
