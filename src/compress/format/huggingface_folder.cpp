#include "compress/format/huggingface_folder.hpp"

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "compress/model/compressed_tensors.hpp"

namespace tqm::compress {
namespace {

Status write_json(const std::filesystem::path& path, const Json& json) {
  return write_file_atomic(path, dump_json(json) + "\n");
}

}  // namespace

Status write_config(const WriteJob& job, std::string_view dtype, const Json& quantization) {
  Json json = job.model.huggingface_config;
  json.erase("quantization_config");
  json[json.contains("dtype") && !json.contains("torch_dtype") ? "dtype" : "torch_dtype"] = dtype;
  json["tie_word_embeddings"] = job.model.config.tied_embeddings;
  if (!quantization.is_null()) json["quantization_config"] = quantization;
  return write_json(job.folder / "config.json", json);
}

Status folder_can_hold_tokenizer(const Model& model) {
  const auto is_tokenizer = [](const std::filesystem::path& file) { return file.filename() == "tokenizer.json"; };
  if (!model.tokenizer || std::any_of(model.side_files.begin(), model.side_files.end(), is_tokenizer)) return {};
  const Result<Json> made = model.tokenizer->to_tokenizer_json();
  return made ? Status() : Status(made.error());
}

Status write_side_files(const WriteJob& job, std::string_view form) {
  const Model& model = job.model;
  Json generation = model.generation_config;
  if (generation.is_null()) {
    for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"})
      if (model.huggingface_config.contains(key) && !model.huggingface_config[key].is_null())
        generation[key] = model.huggingface_config[key];
  }
  if (!generation.is_null()) TRY(write_json(job.folder / "generation_config.json", generation));

  bool has_tokenizer = false;
  for (const std::filesystem::path& file : model.side_files) {
    has_tokenizer = has_tokenizer || file.filename() == "tokenizer.json";
    const std::string content = TRY(read_file(file));
    TRY(write_file_atomic(job.folder / file.filename(), content));
  }
  if (!has_tokenizer && model.tokenizer) {
    const Json tokenizer = TRY(model.tokenizer->to_tokenizer_json());
    TRY(write_json(job.folder / "tokenizer.json", tokenizer));
    Json config = model.tokenizer->to_tokenizer_config();
    if (!model.chat_template.empty()) config["chat_template"] = model.chat_template;
    TRY(write_json(job.folder / "tokenizer_config.json", config));
  }
  if (!model.chat_template.empty()) TRY(write_file_atomic(job.folder / "chat_template.jinja", model.chat_template));
  return write_card(job, form);
}

Status write_card(const WriteJob& job, std::string_view form) {
  const Model& model = job.model;
  const std::string name = model.name.empty() ? model.path.filename().string() : model.name;
  std::string front = "---\n", text;
  if (!model.license.empty()) front += "license: " + model.license + "\n";
  front += "pipeline_tag: text-generation\ntags:\n  - " + std::string(form == "safetensors" ? "safetensors" : form) +
           "\n---\n";
  text = "\n# " + name + ", " + (job.plan.quantised.empty() ? "unquantised" : "compressed") + "\n\n";
  text += "- Base: " + name + " (opened as " + model.form + ")\n";
  text += "- Licence: " +
          (model.license.empty() ? "that of the base model, which names none"
                                 : model.license + ", as the base model says") +
          "\n";
  text += "- File form: " + std::string(form) + "\n";
  std::set<std::string> formats;
  for (const auto& [tensor, spec] : job.plan.quantised) formats.insert(stored_as_text(spec));
  std::string list;
  for (const std::string& format : formats) list += (list.empty() ? "" : ", ") + format;
  if (!list.empty()) text += "- Number formats of the linear layers: " + list + "\n";
  std::string loaders;
  const FileForm* row = TRY(form_named(form));
  for (const std::string& engine : row->engines(job.plan)) loaders += (loaders.empty() ? "" : ", ") + engine;
  text += "- Loaded by: " + loaders + "\n";
  if (!job.plan.card_method.empty()) text += "\n## Method\n\n" + job.plan.card_method + "\n";
  if (!job.plan.card_verdict.empty()) text += "\n## Checked against the original\n\n" + job.plan.card_verdict + "\n";
  text += "\nMade with Torquetum.\n";
  return write_file_atomic(job.folder / "README.md", front + text);
}

}  // namespace tqm::compress
