#include "compress/quantize/layer_file.hpp"

#include <cstring>

#include <ATen/core/Tensor.h>

#include "tensor/safetensors.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
