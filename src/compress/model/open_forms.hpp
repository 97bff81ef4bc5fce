// One function a file form; open_model chooses by what it finds.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "base/result.hpp"
#include "compress/model/gguf.hpp"
#include "compress/model/model.hpp"

namespace tqm::compress {

Result<Model> open_huggingface(const std::filesystem::path& folder, const OpenOptions& options);
Result<Model> open_gguf(const MappedFile& file, const OpenOptions& options);
Result<Model> open_llama2c(const MappedFile& file, const OpenOptions& options);
bool looks_like_llama2c(const MappedFile& file);

// What the keys "tokenizer.ggml.…" say.
Result<GgufVocabulary> vocabulary_from_gguf(const GgufFile& file);
// The model's configuration, from the keys; refuses by name what is not known.
Result<ModelConfig> config_from_gguf(const GgufFile& file);

// GGUF's name of a canonical tensor ("blk.0.attn_q.weight") and back; empty where there is none.
std::string gguf_name(const std::string& canonical);
std::string canonical_name(const std::string& gguf);

}  // namespace tqm::compress
