#include "compress/model/model.hpp"

#include <cstring>

#include "base/file.hpp"
#include "compress/model/open_forms.hpp"

namespace tqm::compress {

Result<std::optional<BlockWeight>> WeightSource::load_blocks(const std::string&) const {
  return std::optional<BlockWeight>();
}

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

Result<Model> open_model(const std::filesystem::path& path, const OpenOptions& options) {
  namespace fs = std::filesystem;
  std::error_code code;
  const auto own_tokenizer = [&](const char* form) -> Status {
    if (options.tokenizer.empty()) return {};
    return Error{ErrorKind::usage, std::string(form) + " holds its tokenizer itself: no other is read",
                 "--tokenizer " + options.tokenizer.string(), "leave it away; it is for llama2.c files"};
  };
  if (fs::is_directory(path, code)) {
    TRY(own_tokenizer("a model's folder"));
    if (fs::exists(path / "config.json", code)) return open_huggingface(path, options);
    if (fs::exists(path / "model.gguf", code)) return open_model(path / "model.gguf", options);
    return Error{ErrorKind::not_found, "the folder holds neither config.json nor model.gguf", path.string(),
                 "give a model's folder, or a file in it"};
  }
  const MappedFile file = TRY(MappedFile::open(path));
  const auto begins_with = [&](std::string_view magic) {
    return file.bytes().size() >= magic.size() && std::memcmp(file.bytes().data(), magic.data(), magic.size()) == 0;
  };
  const std::string forms = "known are a Hugging Face folder, a GGUF file and a llama2.c file of version 0";
  if (begins_with("GGUF")) {
    TRY(own_tokenizer("a GGUF file"));
    return open_gguf(file, options);
  }
  if (path.extension() == ".safetensors")
    return Error{ErrorKind::unsupported, "safetensors alone hold no configuration", path.string(),
                 "give the folder that holds config.json"};
  if (begins_with("24ka"))
    return Error{ErrorKind::unsupported, "a llama2.c file of version 1 or newer is not read", path.string(),
                 "export it as version 0"};
  if (looks_like_llama2c(file)) return open_llama2c(file, options);
  return Error{ErrorKind::unsupported, "not a model in a form that is known", path.string(), forms};
}

}  // namespace tqm::compress
