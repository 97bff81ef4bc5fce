// Checkpoints as torch.save writes them, read without running what is in them. Such a file is a ZIP archive of a pickle
// and of raw numbers, and a pickle is a program that may call anything. Ours is run by an interpreter that knows the
// few instructions that plain dictionaries, lists, numbers, strings and tensors of floats need, and three names:
// collections.OrderedDict, torch._utils._rebuild_tensor_v2 and torch.FloatStorage. Everything else is refused by name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "base/json.hpp"
#include "base/result.hpp"
#include "tensor/host_tensor.hpp"

namespace tqm::matter {

struct Checkpoint {
  std::map<std::string, tensor::HostTensor> tensors;  // of ["model"]["state_dict"], f32
  Json arguments;                                     // ["model"]["model_args"]
};

// where: the file to name in messages. Tensors are copies.
Result<Checkpoint> parse_checkpoint(std::span<const std::byte> bytes, const std::string& where);
Result<Checkpoint> read_checkpoint(const std::filesystem::path& path);

}  // namespace tqm::matter
