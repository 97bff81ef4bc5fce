// What a Hugging Face folder holds beside its weights.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/format/format.hpp"

namespace tqm::compress {

// generation_config.json, tokenizer files (the original's own, or made from another form's), chat template, model card.
Status write_side_files(const WriteJob& job, std::string_view form);
// Whether its tokenizer files are there, or can be made.
Status folder_can_hold_tokenizer(const Model& model);
// config.json: the model's own, the weights' type put in; quantization: null where there is none.
Status write_config(const WriteJob& job, std::string_view dtype, const Json& quantization);
// README.md: base, licence, method, verdict.
Status write_card(const WriteJob& job, std::string_view form);

}  // namespace tqm::compress
