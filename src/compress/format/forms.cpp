#include <array>
#include <numeric>

#include "base/file.hpp"
#include "compress/format/format.hpp"
#include "compress/format/write_gguf.hpp"
#include "compress/format/write_safetensors.hpp"
#include "compress/model/architecture.hpp"

namespace tqm::compress {
namespace {

// Adding a file form is one row here.
const std::array<const FileForm*, 3> kForms = {&kCompressedTensors, &kGguf, &kSafetensors};

}  // namespace

std::vector<std::string> form_names() {
  std::vector<std::string> names;
  for (const FileForm* form : kForms) names.emplace_back(form->name);
  return names;
}

Result<const FileForm*> form_named(std::string_view name) {
  std::string known;
  for (const FileForm* form : kForms) {
    if (form->name == name) return form;
    known += (known.empty() ? "" : ", ") + std::string(form->name);
  }
  return Error{ErrorKind::unsupported, "the file form \"" + std::string(name) + "\" is not known", "",
               "known are: " + known};
}

std::vector<int64_t> shape_of(const ModelConfig& config, const std::string& name) {
  for (const TensorShape& tensor : expected_tensors(config))
    if (tensor.name == name) return tensor.shape;
  return {};
}

std::string groups_that_divide(const ModelConfig& config, const WritePlan& plan) {
  std::string list;
  int64_t columns = 0;
  for (const TensorShape& tensor : expected_tensors(config))
    if (plan.quantised.contains(tensor.name)) columns = std::gcd(columns, tensor.shape[1]);
  for (int64_t group : {16, 32, 64, 96, 128, 192, 256})
    if (columns % group == 0) list += (list.empty() ? "" : ", ") + std::to_string(group);
  return list.empty() ? "none of 16 to 256" : list;
}

uint64_t bf16_bytes(const ModelConfig& config) {
  uint64_t bytes = 0;
  for (const TensorShape& tensor : expected_tensors(config))
    bytes += 2 * static_cast<uint64_t>(tensor::element_count(tensor.shape));
  return bytes;
}

Status can_hold(const std::string& form, const ModelConfig& config, const WritePlan& plan) {
  const FileForm* row = TRY(form_named(form));
  std::map<std::string, bool> linear;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    for (const std::string& name : linear_names(config, layer)) linear[name] = true;
  for (const auto& [name, spec] : plan.quantised)
    if (!linear.contains(name))
      return Error{ErrorKind::unsupported, "\"" + name + "\" is not a linear layer of a decoder block", "",
                   "embedding, head, norms and biases are never quantised"};
  return row->can_hold(config, plan);
}

Status can_hold_tokenizer(const std::string& form, const Model& model) {
  const FileForm* row = TRY(form_named(form));
  return row->can_hold_tokenizer(model);
}

Status write_model(const Model& model, const std::string& form, const WritePlan& plan, const TensorSupply& supply,
                   const std::filesystem::path& folder, const WriteProgress& progress) {
  TRY(can_hold(form, model.config, plan));
  TRY(can_hold_tokenizer(form, model));
  std::error_code code;
  if (std::filesystem::exists(folder, code) && !std::filesystem::is_empty(folder, code))
    return Error{ErrorKind::conflict, "the folder is not empty", folder.string(), "name another, or remove it first"};
  TRY(make_folders(folder));
  const TensorSupply own = [&](const std::string& name) { return model.weights->load(name); };
  const FileForm* row = TRY(form_named(form));
  const Status written = row->write({model, plan, supply ? supply : own, folder, progress});
  if (!written)
    std::filesystem::remove_all(folder, code);  // nothing half-made stays behind; the first error is the one told
  return written;
}

}  // namespace tqm::compress
