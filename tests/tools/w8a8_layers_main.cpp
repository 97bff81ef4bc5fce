// Tests' tool: what each linear layer of a model reads and gives on the plain path, for comparison with other programs.
//   w8a8_layers MODEL TOKENS.json OUT
// TOKENS.json holds {"windows": [[id, …], …]}. OUT/model.safetensors gets, for each layer NAME of the decoder blocks,
// f32 [tokens, …]: NAME.input, NAME.quantised (the input as the product sees it) and NAME.output.
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"
#include "compress/format/format.hpp"
#include "compress/runtime/plain_block.hpp"
#include "compress/runtime/plain_decoder.hpp"
#include "tensor/safetensors.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

// The layer applied as a block applies it (LinearInput in plain_block.cpp).
Status apply(const Model& model, const std::string& name, const at::Tensor& input,
             std::map<std::string, at::Tensor>& seen) {
  Linear layer = TRY(load_linear(model, name, shape_of(model.config, name), input.device()));
  const std::string bias = name.substr(0, name.rfind('.')) + ".bias";
  if (model.weights->has(bias)) layer.bias = TRY(load_plain(model, bias, {layer.weight.size(0)}, input.device()));
  const at::Tensor quantised = layer.quantize_activations ? fake_quantize_tokens(input) : input;
  seen[name + ".input"] = input;
  seen[name + ".quantised"] = quantised;
  seen[name + ".output"] = at::linear(quantised, layer.weight, layer.bias);
  return {};
}

Status run(const std::filesystem::path& path, const std::filesystem::path& tokens, const std::filesystem::path& out) {
  const Model model = TRY(open_model(path, {{}, false}));
  const Json json = TRY(read_json(tokens));
  std::map<std::string, at::Tensor> seen;
  for (const auto& window : json.at("windows").get<std::vector<std::vector<int32_t>>>()) {
    at::Tensor hidden = TRY(embed(model, {window}, {}));
    std::map<std::string, at::Tensor> inputs;
    for (int64_t layer = 0; layer < model.config.layers; ++layer) {
      const PlainBlock block = TRY(PlainBlock::load(model, layer, {}));
      hidden = block.forward(hidden,
                             [&](const std::string& name, const at::Tensor& input) { inputs[name] = input.clone(); });
    }
    for (const auto& [name, input] : inputs) {
      std::map<std::string, at::Tensor> one;
      TRY(apply(model, name, input, one));
      for (auto& [key, tensor] : one) seen[key] = seen.contains(key) ? at::cat({seen[key], tensor}) : tensor;
    }
  }
  TRY(make_folders(out));
  std::vector<tensor::SafetensorsDescription> list;
  for (const auto& [name, value] : seen) list.push_back({name, tensor::DType::f32, value.sizes().vec()});
  auto writer = TRY(tensor::SafetensorsWriter::create(out, list));
  for (const auto& [name, value] : seen) {
    const tensor::HostTensor host = tensor::to_host(value);
    TRY(writer.put(name, host.bytes));
  }
  return writer.finish();
}

}  // namespace
}  // namespace tqm::compress

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: w8a8_layers MODEL TOKENS.json OUT\n";
    return 1;
  }
  const tqm::Status status = tqm::compress::run(argv[1], argv[2], argv[3]);
  if (!status) std::cerr << status.error().message() << "\n";
  return status ? 0 : tqm::exit_code(status.error().kind);
}
