#include "compress/model/model.hpp"

namespace tqm::compress {

tensor::HostTensor plain(const Weight& weight) {
  if (const auto* quantised = std::get_if<QuantTensor>(&weight)) return quantised->dequantize();
  return std::get<tensor::HostTensor>(weight).to(tensor::DType::f32);
}

std::vector<std::string> linear_names(const ModelConfig&, int64_t layer) {
  const std::string block = "model.layers." + std::to_string(layer) + ".";
  std::vector<std::string> names;
  for (const char* part : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
                           "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"})
    names.push_back(block + part + ".weight");
  return names;
}

}  // namespace tqm::compress
