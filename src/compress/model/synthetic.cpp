#include "compress/model/synthetic.hpp"

#include <cmath>
#include <random>

#include "base/file.hpp"
#include "compress/model/architecture.hpp"
#include "tensor/safetensors.hpp"

namespace tqm::compress {

ModelConfig tiny_config(Family family) {
  ModelConfig config;
  config.family = family;
  config.vocab = 96;
  config.hidden = 64;
  config.intermediate = 128;
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 16;
  config.max_position = 128;
  const Architecture& row = architecture_of(family);
  config.qkv_bias = row.qkv_bias || row.attention_bias;
  config.o_bias = row.attention_bias;
  config.mlp_bias = row.mlp_bias;
  config.qk_norm = row.qk_norm;
  if (family == Family::qwen3) config.head_dim = 32;  // not hidden / heads
  return config;
}

Status write_synthetic_model(const std::filesystem::path& folder, const ModelConfig& config, uint64_t seed,
                             tensor::DType dtype, uint64_t shard_bytes) {
  TRY(make_folders(folder));
  std::vector<tensor::SafetensorsDescription> list;
  for (const TensorShape& wanted : expected_tensors(config)) list.push_back({wanted.name, dtype, wanted.shape});
  auto writer = TRY(tensor::SafetensorsWriter::create(folder, list, shard_bytes));
  std::mt19937_64 random(seed);
  for (const auto& tensor : list) {
    std::vector<float> values(static_cast<size_t>(tensor::element_count(tensor.shape)));
    const bool norm = tensor.name.find("norm") != std::string::npos;
    const double width = tensor.shape.size() == 2 ? 1 / std::sqrt(static_cast<double>(tensor.shape[1])) : 0.1;
    for (float& value : values) {
      // Two uniform numbers summed: near enough to a bell, and the same on every machine.
      const double a = static_cast<double>(random() >> 11) * 0x1p-53, b = static_cast<double>(random() >> 11) * 0x1p-53;
      value = static_cast<float>((norm ? 1 : 0) + width * 2 * (a + b - 1));
    }
    const auto bytes = tensor::HostTensor::of_floats(tensor.shape, std::move(values)).to(dtype);
    TRY(writer.put(tensor.name, bytes.bytes));
  }
  TRY(writer.finish());
  Json json = config_to_huggingface(config);
  json["torch_dtype"] = dtype == tensor::DType::f32 ? "float32" : dtype == tensor::DType::f16 ? "float16" : "bfloat16";
  return write_file_atomic(folder / "config.json", dump_json(json) + "\n");
}

}  // namespace tqm::compress
