#include <map>

#include "compress/model/architecture.hpp"
#include "compress/model/compressed_tensors.hpp"
#include "compress/model/open_forms.hpp"
#include "compress/model/tensor_table.hpp"
#include "tensor/safetensors.hpp"

namespace tqm::compress {
namespace fs = std::filesystem;
namespace {

using tensor::DType;
using tensor::SafetensorsEntry;
using tensor::SafetensorsReader;

// Carried to the written folder as they are.
constexpr const char* kSideFiles[] = {"tokenizer.json",    "tokenizer_config.json", "special_tokens_map.json",
                                      "added_tokens.json", "tokenizer.model",       "vocab.json",
                                      "merges.txt",        "chat_template.jinja"};

bool is_plain_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

std::string without(const std::string& name, std::string_view ending) {
  return name.substr(0, name.size() - ending.size());
}

// Entries of the table: plain tensors as they are, quantised layers gathered from their parts.
Result<std::vector<TensorTable::Entry>> entries_of(std::shared_ptr<const SafetensorsReader> reader,
                                                   const std::vector<StoredScheme>& schemes, const std::string& where) {
  std::map<std::string, StoredParts> layers;  // by the layer's name, "….q_proj"
  if (!schemes.empty()) {
    for (const SafetensorsEntry& entry : reader->entries()) {
      const std::string& name = entry.name;
      if (name.ends_with(".weight_packed")) layers[without(name, ".weight_packed")].values = &entry;
      if (name.ends_with(".weight") && entry.dtype == DType::i8) layers[without(name, ".weight")].values = &entry;
    }
  }
  std::vector<TensorTable::Entry> entries;
  for (const SafetensorsEntry& stored : reader->entries()) {
    const std::string& name = stored.name;
    const size_t dot = name.rfind('.');
    const auto layer = dot == std::string::npos ? layers.end() : layers.find(name.substr(0, dot));
    if (layer != layers.end()) {
      const std::string part = name.substr(dot + 1);
      if (part == "weight_scale")
        layer->second.scale = &stored;
      else if (part == "weight_shape")
        layer->second.shape = &stored;
      else if (part == "weight_zero_point")
        layer->second.zero_point = &stored;
      else if (part == "weight_g_idx" || part == "input_scale" || part == "input_zero_point")
        return Error{ErrorKind::unsupported, "the tensor \"" + name + "\" belongs to a quantisation that is not read",
                     where, "known are weights without reordered groups and activations quantised per token"};
      if (part != "bias") continue;
    }
    if (!is_plain_float(stored.dtype)) {
      return Error{ErrorKind::unsupported,
                   "the tensor \"" + name + "\" has the element type " +
                       std::string(tensor::safetensors_name(stored.dtype)) + ", which is not read as a weight",
                   where, "known are F32, F16 and BF16"};
    }
    TensorTable::Entry entry;
    entry.info = {name, stored.shape, std::string(tensor::safetensors_name(stored.dtype)), stored.size};
    const SafetensorsEntry* place = &stored;
    entry.load = [reader, place]() -> Result<Weight> { return Weight(reader->view(*place)); };
    entry.release = [reader, place] { reader->release(*place); };
    entries.push_back(std::move(entry));
  }
  for (const auto& [layer, parts] : layers)
    entries.push_back(TRY(quantised_entry(layer + ".weight", parts, schemes, reader, where)));
  return entries;
}

// "license: apache-2.0" of the model card's front matter.
std::string license_in(const fs::path& card) {
  const auto text = read_file(card, uint64_t{1} << 24);
  if (!text || !text->starts_with("---")) return {};
  const size_t end = text->find("\n---", 3);
  const std::string front = text->substr(0, end == std::string::npos ? 0 : end);
  const size_t at = front.find("\nlicense:");
  if (at == std::string::npos) return {};
  const size_t from = front.find_first_not_of(" \t", at + 9), to = front.find_first_of("\r\n", at + 9);
  if (from == std::string::npos || (to != std::string::npos && from >= to)) return {};
  std::string value = front.substr(from, to == std::string::npos ? to : to - from);
  while (!value.empty() && (value.back() == ' ' || value.back() == '"' || value.back() == '\'')) value.pop_back();
  if (!value.empty() && (value.front() == '"' || value.front() == '\'')) value.erase(0, 1);
  return value;
}

Result<std::string> chat_template_of(const fs::path& folder) {
  std::error_code code;
  if (const fs::path own = folder / "chat_template.jinja"; fs::exists(own, code))
    return read_file(own, uint64_t{1} << 24);
  const fs::path path = folder / "tokenizer_config.json";
  if (!fs::exists(path, code)) return std::string();
  const Json json = TRY(read_json(path));
  if (!json.is_object() || !json.contains("chat_template")) return std::string();
  const Json& held = json["chat_template"];
  if (held.is_string()) return held.get<std::string>();
  if (held.is_array())
    for (const Json& one : held)
      if (one.is_object() && one.value("name", Json()) == "default" && one.value("template", Json()).is_string())
        return one["template"].get<std::string>();
  return std::string();
}

}  // namespace

Result<Model> open_huggingface(const fs::path& folder, const OpenOptions& options) {
  const fs::path config_path = folder / "config.json";
  Model model;
  model.path = folder;
  model.form = "huggingface";
  model.huggingface_config = TRY(read_json(config_path));
  model.config = TRY(config_from_huggingface(model.huggingface_config, config_path.string()));
  std::vector<StoredScheme> schemes;
  Json& json = model.huggingface_config;
  if (json.contains("quantization_config") && !json["quantization_config"].is_null())
    schemes = TRY(schemes_from_json(json["quantization_config"], config_path.string()));
  json.erase("quantization_config");

  auto reader = std::make_shared<SafetensorsReader>(TRY(SafetensorsReader::open_folder(folder)));
  for (const SafetensorsEntry& entry : reader->entries()) model.stored_bytes += entry.size;
  std::vector<TensorTable::Entry> entries = TRY(entries_of(reader, schemes, folder.string()));
  model.weights = TRY(TensorTable::make(model.config, std::move(entries), folder.string()));

  std::error_code code;
  if (fs::exists(folder / "generation_config.json", code))
    model.generation_config = TRY(read_json(folder / "generation_config.json"));
  model.chat_template = TRY(chat_template_of(folder));
  for (const char* name : kSideFiles)
    if (fs::is_regular_file(folder / name, code)) model.side_files.push_back(folder / name);
  model.license = license_in(folder / "README.md");
  model.name = fs::absolute(folder, code).lexically_normal().filename().string();
  if (model.name.empty()) model.name = fs::absolute(folder, code).lexically_normal().parent_path().filename().string();
  if (options.need_tokenizer) model.tokenizer = TRY(tokenizer_from_folder(folder));
  return model;
}

}  // namespace tqm::compress
