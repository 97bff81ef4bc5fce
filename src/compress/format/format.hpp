// The file forms that a model is written in, one row each: what a form can hold, how large it comes out, who loads it,
// and the writer. Adding a form is one file and one row in forms.cpp. What a form can't hold is refused before any work
// is done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"

namespace tqm::compress {

struct WritePlan {
  std::map<std::string, QuantSpec> quantised;  // by canonical name; the others are written plain
  tensor::DType plain_dtype =
      tensor::DType::f32;  // of the form "safetensors": f32 holds every dequantised weight exactly
  uint64_t shard_bytes = 5'000'000'000;
  std::string card_method, card_verdict;  // paragraphs of the model card; may be empty
};

// Hands over one tensor: a QuantTensor of the plan's spec where the plan has its name. Called once for each, in the
// model's order, so that one at a time is in memory.
using TensorSupply = std::function<Result<Weight>(const std::string& name)>;
// (bytes written, bytes to write); an error returned stops the writing.
using WriteProgress = std::function<Status(uint64_t, uint64_t)>;

struct WriteJob {
  const Model& model;
  const WritePlan& plan;
  const TensorSupply& supply;
  const std::filesystem::path& folder;
  const WriteProgress& progress;
};

struct FileForm {
  std::string_view name;  // "compressed-tensors", "gguf", "safetensors"
  Status (*can_hold)(const ModelConfig& config, const WritePlan& plan);
  Status (*can_hold_tokenizer)(const Model& model);
  uint64_t (*weight_bytes)(const ModelConfig& config, const WritePlan& plan);  // of all tensors, as they will be stored
  Status (*write)(const WriteJob& job);
  std::vector<std::string> (*engines)(const WritePlan& plan);  // that load the result
};

Result<const FileForm*> form_named(std::string_view name);  // refuses by name with the list of what is known
std::vector<std::string> form_names();

// The first reason why the form can't hold what the plan asks for.
Status can_hold(const std::string& form, const ModelConfig& config, const WritePlan& plan);

// Whether the model's tokenizer can be written in this form and read again from it.
Status can_hold_tokenizer(const std::string& form, const Model& model);

// Writes a whole folder that others load: weights, configuration, tokenizer, chat template, model card. The folder is
// made; it must be empty or absent, and is removed again where the writing fails. supply defaults to the model's own
// weights.
Status write_model(const Model& model, const std::string& form, const WritePlan& plan, const TensorSupply& supply,
                   const std::filesystem::path& folder, const WriteProgress& progress = {});

// Weights of the model in bf16, every tensor once: what sizes are compared with.
uint64_t bf16_bytes(const ModelConfig& config);
// A linear layer's shape [out, in]; empty where the name is none of the model's.
std::vector<int64_t> shape_of(const ModelConfig& config, const std::string& name);
// "32, 64, 96": the customary groups that divide the width of every layer to be quantised, for messages.
std::string groups_that_divide(const ModelConfig& config, const WritePlan& plan);

}  // namespace tqm::compress
