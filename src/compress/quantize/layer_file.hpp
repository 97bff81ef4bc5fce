// The two kinds of file that the pass over the blocks keeps in its checkpoint, both safetensors: a block's quantised
// layers in the plain form (codes, scales, zero points), and the calibration tokens' hidden states between two blocks.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "compress/model/quant.hpp"

namespace at {
class Tensor;
}

namespace tqm::compress {

Status write_layer(const std::filesystem::path& path, const std::vector<std::pair<std::string, QuantTensor>>& tensors);
Result<QuantTensor> read_layer_tensor(const std::filesystem::path& path, const std::string& name);

Status write_hidden(const std::filesystem::path& path, const std::vector<at::Tensor>& batches);
Result<std::vector<at::Tensor>> read_hidden(const std::filesystem::path& path, const std::string& device);

}  // namespace tqm::compress
