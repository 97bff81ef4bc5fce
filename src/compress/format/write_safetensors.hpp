// The two forms that keep their weights in safetensors: compressed-tensors and plain.
#pragma once

#include "compress/format/format.hpp"

namespace tqm::compress {

extern const FileForm kCompressedTensors, kSafetensors;

}  // namespace tqm::compress
