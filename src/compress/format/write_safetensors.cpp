#include "compress/format/write_safetensors.hpp"

#include <algorithm>

#include "compress/format/huggingface_folder.hpp"
#include "compress/format/layer_codec.hpp"
#include "compress/model/architecture.hpp"
#include "compress/model/tensor_table.hpp"
#include "tensor/safetensors.hpp"

namespace tqm::compress {
namespace {

using tensor::DType;
using tensor::HostTensor;
using tensor::SafetensorsDescription;
using tensor::SafetensorsWriter;

Error refused(std::string what, std::string next) {
  return Error{ErrorKind::unsupported, std::move(what), "", std::move(next)};
}

std::vector<SafetensorsDescription> describe(const ModelConfig& config,
                                             const std::map<std::string, QuantSpec>& quantised, DType plain_dtype) {
  std::vector<SafetensorsDescription> list;
  for (const TensorShape& tensor : expected_tensors(config)) {
    const auto spec = quantised.find(tensor.name);
    if (spec == quantised.end()) {
      list.push_back({tensor.name, plain_dtype, tensor.shape});
      continue;
    }
    for (SafetensorsDescription& part : describe_layer(tensor.name, tensor.shape[0], tensor.shape[1], spec->second))
      list.push_back(std::move(part));
  }
  return list;
}

uint64_t total(const std::vector<SafetensorsDescription>& list) {
  uint64_t bytes = 0;
  for (const SafetensorsDescription& tensor : list) bytes += tensor.size();
  return bytes;
}

// Every tensor from the supply through to the files.
Status stream(const WriteJob& job, const std::map<std::string, QuantSpec>& quantised, DType plain_dtype) {
  const std::vector<SafetensorsDescription> list = describe(job.model.config, quantised, plain_dtype);
  const uint64_t bytes = total(list);
  uint64_t done = 0;
  SafetensorsWriter writer = TRY(SafetensorsWriter::create(job.folder, list, job.plan.shard_bytes));
  for (const TensorShape& wanted : expected_tensors(job.model.config)) {
    const Weight weight = TRY(job.supply(wanted.name));
    const auto spec = quantised.find(wanted.name);
    if (spec == quantised.end()) {
      const HostTensor tensor = std::holds_alternative<HostTensor>(weight)
                                    ? std::get<HostTensor>(weight).to(plain_dtype)
                                    : plain(weight).to(plain_dtype);
      ASSERT(tensor.shape == wanted.shape);
      if (plain_dtype == DType::f16 && !all_finite(tensor))
        return refused("the tensor \"" + wanted.name + "\" holds values beyond float16's range",
                       "write it as bf16 or f32");
      TRY(writer.put(wanted.name, tensor.bytes));
      done += tensor.bytes.size();
    } else {
      const auto* layer = std::get_if<QuantTensor>(&weight);
      ASSERT(layer && layer->spec == spec->second && layer->rows == wanted.shape[0] &&
             layer->columns == wanted.shape[1]);
      const std::vector<EncodedPart> parts = TRY(encode_layer(wanted.name, *layer));
      for (const EncodedPart& part : parts) {
        TRY(writer.put(part.name, part.tensor.bytes));
        done += part.tensor.bytes.size();
      }
    }
    if (job.progress) TRY(job.progress(done, bytes));
  }
  return writer.finish();
}

std::string module_of(const std::string& tensor) {
  return tensor.substr(0, tensor.rfind('.'));
}

// Only keys that have been there since the first releases: the loader refuses those it doesn't know.
Json quantization_config(const ModelConfig& config, const WritePlan& plan) {
  std::vector<std::pair<QuantSpec, std::vector<std::string>>> groups;
  std::vector<std::string> ignored;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    for (const std::string& name : linear_names(config, layer)) {
      const auto it = plan.quantised.find(name);
      if (it == plan.quantised.end()) {
        ignored.push_back(module_of(name));
        continue;
      }
      auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == it->second; });
      if (group == groups.end()) group = groups.insert(groups.end(), {it->second, {}});
      group->second.push_back(module_of(name));
    }
  ignored.push_back("lm_head");
  Json json;
  json["quant_method"] = "compressed-tensors";
  json["format"] = "pack-quantized";
  json["quantization_status"] = "compressed";
  for (size_t i = 0; i < groups.size(); ++i) {
    const QuantSpec& spec = groups[i].first;
    Json weights = {{"num_bits", spec.bits},
                    {"type", "int"},
                    {"symmetric", spec.symmetric},
                    {"strategy", spec.group ? "group" : "channel"},
                    {"dynamic", false}};
    if (spec.group) weights["group_size"] = spec.group;
    Json group;
    // One group takes every linear layer; several name theirs, so that no rule about which comes first is needed.
    group["targets"] = groups.size() == 1 ? Json::array({"Linear"}) : Json(groups[i].second);
    group["weights"] = weights;
    group["input_activations"] = nullptr;
    group["output_activations"] = nullptr;
    if (spec.quantize_activations) {
      group["input_activations"] = {
          {"num_bits", 8}, {"type", "int"}, {"symmetric", true}, {"strategy", "token"}, {"dynamic", true}};
      json["format"] = "int-quantized";
    }
    json["config_groups"]["group_" + std::to_string(i)] = group;
  }
  json["ignore"] = ignored;
  json["kv_cache_scheme"] = nullptr;
  json["global_compression_ratio"] = nullptr;
  return json;
}

// Hugging Face's config.json can't say bare frequency divisors.
Status can_say_rope(const ModelConfig& config) {
  if (!config.rope_frequency_factors.empty())
    return refused("config.json can't say this model's own rope frequencies", "write the form gguf");
  return {};
}

Status compressed_can_hold(const ModelConfig& config, const WritePlan& plan) {
  TRY(can_say_rope(config));
  if (plan.quantised.empty())
    return refused("compressed-tensors holds quantised models, and nothing is to be quantised",
                   "write the form safetensors");
  bool activations = false, weights_only = false;
  for (const auto& [name, spec] : plan.quantised) {
    const std::vector<int64_t> shape = shape_of(config, name);
    if (spec.group && shape[1] % spec.group != 0)
      return refused("the group " + std::to_string(spec.group) + " does not divide the " + std::to_string(shape[1]) +
                         " columns of \"" + name + "\"",
                     "groups that do: " + groups_that_divide(config, plan) + "; 0 is the whole row");
    if (spec.quantize_activations && (spec.group || !spec.symmetric || spec.bits != 8))
      return refused(
          "W8A8 has one symmetric scale a channel, not " + std::to_string(spec.bits) + " bits, groups or zero points",
          "leave out the group");
    (spec.quantize_activations ? activations : weights_only) = true;
  }
  if (activations && weights_only)
    return refused("compressed-tensors holds W8A8 and weight-only layers in one model only in its newest release",
                   "quantise all layers one way, or leave some out with --ignore");
  return {};
}

uint64_t compressed_bytes(const ModelConfig& config, const WritePlan& plan) {
  return total(describe(config, plan.quantised, DType::bf16));
}

Status write_compressed(const WriteJob& job) {
  TRY(stream(job, job.plan.quantised, DType::bf16));
  TRY(write_config(job, "bfloat16", quantization_config(job.model.config, job.plan)));
  return write_side_files(job, "compressed-tensors");
}

std::vector<std::string> compressed_engines(const WritePlan& plan) {
  bool odd_bits = false, zero_points = false;
  for (const auto& [name, spec] : plan.quantised) {
    odd_bits = odd_bits || spec.bits == 3;
    zero_points = zero_points || !spec.symmetric;
  }
  // transformers (5.24 with compressed-tensors 0.20) does not load packed zero points: llm-compressor's issue 1618.
  if (odd_bits && zero_points) return {"compressed-tensors 0.19 or newer, called directly (3 bits are not portable)"};
  if (odd_bits) return {"transformers with compressed-tensors 0.19 or newer (3 bits are not portable)"};
  if (zero_points) return {"vLLM", "SGLang"};
  return {"vLLM", "SGLang", "transformers with compressed-tensors"};
}

Status safetensors_can_hold(const ModelConfig& config, const WritePlan& plan) {
  TRY(can_say_rope(config));
  for (const auto& [name, spec] : plan.quantised)
    if (spec.quantize_activations)
      return refused("plain safetensors can't say that activations are quantised (W8A8)",
                     "write the form compressed-tensors");
  return {};
}

uint64_t safetensors_bytes(const ModelConfig& config, const WritePlan& plan) {
  return total(describe(config, {}, plan.plain_dtype));
}

Status write_plain(const WriteJob& job) {
  TRY(stream(job, {}, job.plan.plain_dtype));
  const std::string_view dtype = job.plan.plain_dtype == DType::f32   ? "float32"
                                 : job.plan.plain_dtype == DType::f16 ? "float16"
                                                                      : "bfloat16";
  TRY(write_config(job, dtype, nullptr));
  return write_side_files(job, "safetensors");
}

std::vector<std::string> safetensors_engines(const WritePlan&) {
  return {"transformers", "vLLM", "SGLang", "llama.cpp's converter"};
}

}  // namespace

const FileForm kCompressedTensors = {"compressed-tensors", compressed_can_hold, folder_can_hold_tokenizer,
                                     compressed_bytes,     write_compressed,    compressed_engines};
const FileForm kSafetensors = {"safetensors",     safetensors_can_hold, folder_can_hold_tokenizer,
                               safetensors_bytes, write_plain,          safetensors_engines};

}  // namespace tqm::compress
