// Tests' tool: a tiny random model written in every file form that can hold it, with what we read back from each.
//   write_forms OUT [MODEL]
// makes OUT/FAMILY-FORMAT/FORM (the folder as written) and OUT/FAMILY-FORMAT/FORM.expected/model.safetensors (every
// tensor of that folder as we open it, dequantised to f32, canonical names). tests/peers/forms_test.py compares it with
// other projects' readers. With MODEL only that model is opened, and OUT becomes its expected folder.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "compress/format/format.hpp"
#include "compress/model/synthetic.hpp"
#include "compress/quantize/round.hpp"
#include "tensor/safetensors.hpp"

namespace tqm::compress {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  QuantSpec spec;
};

const std::vector<Case> kCases = {
    {"int8-w8a8", {8, 0, true, true}},
    {"int8", {8, 0, true, false}},
    {"int8-g32", {8, 32, true, false}},
    {"int4-g32", {4, 32, true, false}},
    {"int4-g64-asymmetric", {4, 64, false, false}},
    {"int4", {4, 0, true, false}},
    {"int3-g32", {3, 32, true, false}},
    {"int3-asymmetric", {3, 0, false, false}},
};

Status dump(const Model& model, const fs::path& folder) {
  TRY(make_folders(folder));
  std::vector<tensor::SafetensorsDescription> list;
  for (const TensorInfo& info : model.weights->tensors()) list.push_back({info.name, tensor::DType::f32, info.shape});
  auto writer = TRY(tensor::SafetensorsWriter::create(folder, list));
  for (const auto& tensor : list) {
    const Weight weight = TRY(model.weights->load(tensor.name));
    TRY(writer.put(tensor.name, plain(weight).bytes));
  }
  return writer.finish();
}

Status write_case(const fs::path& out, Family family, const std::string& family_name, const Case& one, bool mixed) {
  ModelConfig config = tiny_config(family);
  if (family == Family::qwen3) config.qkv_bias = config.o_bias = false;  // llama.cpp's qwen3 has none
  config.tied_embeddings = family == Family::qwen2;
  if (family == Family::llama) config.llama3_rope = Llama3Rope{8, 1, 4, 32};
  const fs::path folder = out / (family_name + "-" + one.name + (mixed ? "-mixed" : ""));
  TRY(write_synthetic_model(folder / "original", config, 7));
  const Model model = TRY(open_model(folder / "original", {{}, false}));
  WritePlan plan;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    for (const std::string& name : linear_names(config, layer)) plan.quantised[name] = one.spec;
  if (mixed) {
    plan.quantised["model.layers.1.mlp.down_proj.weight"] = {8, one.spec.group, true, false};
    plan.quantised.erase("model.layers.0.self_attn.o_proj.weight");
  }
  const TensorSupply supply = [&](const std::string& name) -> Result<Weight> {
    Weight weight = TRY(model.weights->load(name));
    const auto spec = plan.quantised.find(name);
    if (spec == plan.quantised.end()) return weight;
    const tensor::HostTensor values = plain(weight);
    return Weight(round_to_nearest(spec->second, values.f32(), values.shape[0], values.shape[1], ScaleRule::absmax));
  };
  for (const std::string& form : form_names()) {
    if (!can_hold(form, config, plan)) continue;
    TRY(write_model(model, form, plan, supply, folder / form));
    const Model again = TRY(open_model(folder / form, {{}, false}));
    TRY(dump(again, folder / (form + ".expected")));
  }
  return {};
}

Status run(const fs::path& out) {
  for (const Case& one : kCases) TRY(write_case(out, Family::llama, "llama", one, false));
  TRY(write_case(out, Family::llama, "llama", kCases[3], true));
  TRY(write_case(out, Family::mistral, "mistral", kCases[3], false));
  for (size_t i : {size_t{0}, size_t{3}, size_t{4}}) TRY(write_case(out, Family::qwen2, "qwen2", kCases[i], false));
  return write_case(out, Family::qwen3, "qwen3", kCases[3], false);
}

}  // namespace
}  // namespace tqm::compress

int main(int argc, char** argv) {
  using namespace tqm::compress;
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: write_forms OUT [MODEL]\n";
    return 1;
  }
  const auto work = [&]() -> tqm::Status {
    if (argc == 2) return run(argv[1]);
    const Model model = TRY(open_model(argv[2], {{}, false}));
    return dump(model, argv[1]);
  };
  const tqm::Status status = work();
  if (!status) std::cerr << status.error().message() << "\n";
  return status ? 0 : tqm::exit_code(status.error().kind);
}
