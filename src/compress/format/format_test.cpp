#include "compress/format/format.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "compress/model/architecture.hpp"
#include "compress/model/synthetic.hpp"
#include "compress/model/tensor_table.hpp"

namespace tqm::compress {
namespace {

namespace fs = std::filesystem;
using tensor::DType;
using tensor::HostTensor;

const OpenOptions kNoTokenizer{{}, false};

// Plain rounding, enough to have something to write.
QuantTensor rounded(const HostTensor& weight, const QuantSpec& spec) {
  QuantTensor layer;
  layer.spec = spec;
  layer.rows = weight.shape[0];
  layer.columns = weight.shape[1];
  const std::vector<float> values = weight.floats();
  const int low = -(1 << (spec.bits - 1)), high = (1 << (spec.bits - 1)) - 1;
  layer.codes.resize(values.size());
  for (int64_t row = 0; row < layer.rows; ++row)
    for (int64_t g = 0; g < layer.groups(); ++g) {
      const float* from = values.data() + row * layer.columns + g * layer.group_width();
      float least = 0, most = 0;
      for (int64_t i = 0; i < layer.group_width(); ++i) {
        least = std::min(least, from[i]);
        most = std::max(most, from[i]);
      }
      const float wanted = spec.symmetric ? std::max(-least, most) / static_cast<float>(high)
                                          : (most - least) / static_cast<float>(high - low);
      const float scale = round_scale(wanted, spec.symmetric);
      const int zero =
          spec.symmetric
              ? 0
              : std::clamp(static_cast<int>(std::lround(static_cast<float>(low) - least / scale)), low, high);
      layer.scales.push_back(scale);
      if (!spec.symmetric) layer.zero_points.push_back(static_cast<int8_t>(zero));
      for (int64_t i = 0; i < layer.group_width(); ++i)
        layer.codes[static_cast<size_t>(row * layer.columns + g * layer.group_width() + i)] =
            static_cast<int8_t>(std::clamp(static_cast<int>(std::lround(from[i] / scale)) + zero, low, high));
    }
  return layer;
}

class Format : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tqm-format-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Model tiny(const ModelConfig& config, DType dtype = DType::bf16) {
    const fs::path path = folder_ / ("model" + std::to_string(made_++));
    EXPECT_TRUE(write_synthetic_model(path, config, 11, dtype));
    auto model = open_model(path, kNoTokenizer);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(model).take();
  }
  static WritePlan plan_for(const ModelConfig& config, const QuantSpec& spec) {
    WritePlan plan;
    for (int64_t layer = 0; layer < config.layers; ++layer)
      for (const std::string& name : linear_names(config, layer)) plan.quantised[name] = spec;
    return plan;
  }
  static TensorSupply supply_for(const Model& model, const WritePlan& plan) {
    return [&model, &plan](const std::string& name) -> Result<Weight> {
      Weight weight = TRY(model.weights->load(name));
      const auto spec = plan.quantised.find(name);
      if (spec == plan.quantised.end()) return weight;
      return Weight(rounded(plain(weight), spec->second));
    };
  }
  std::string refusal(const std::string& form, const ModelConfig& config, const WritePlan& plan) {
    const Status status = can_hold(form, config, plan);
    return status ? "held" : status.error().message();
  }

  fs::path folder_;
  int made_ = 0;
};

TEST_F(Format, CompressedTensorsFoldersOpenAgainWithTheSameCodes) {
  int i = 0;
  for (Family family : {Family::llama, Family::mistral, Family::qwen2, Family::qwen3})
    for (const QuantSpec& spec :
         {QuantSpec{8, 0, true, true}, QuantSpec{8, 0, true, false}, QuantSpec{4, 32, true, false},
          QuantSpec{4, 64, false, false}, QuantSpec{3, 32, true, false}, QuantSpec{3, 0, false, false}}) {
      ModelConfig config = tiny_config(family);
      config.tied_embeddings = family == Family::qwen2;
      const Model model = tiny(config);
      const WritePlan plan = plan_for(config, spec);
      const TensorSupply supply = supply_for(model, plan);
      const fs::path out = folder_ / ("out" + std::to_string(i++));
      uint64_t told = 0;
      const Status written =
          write_model(model, "compressed-tensors", plan, supply, out, [&](uint64_t done, uint64_t total) -> Status {
            EXPECT_LE(done, total);
            told = total;
            return {};
          });
      ASSERT_TRUE(written) << written.error().message();
      auto again = open_model(out, kNoTokenizer);
      ASSERT_TRUE(again) << again.error().message();
      EXPECT_EQ(again->stored_bytes, told);
      EXPECT_EQ(again->stored_bytes, (*form_named("compressed-tensors"))->weight_bytes(config, plan));
      EXPECT_FALSE(again->huggingface_config.contains("quantization_config"));
      for (const TensorInfo& info : again->weights->tensors()) {
        auto weight = again->weights->load(info.name);
        ASSERT_TRUE(weight) << weight.error().message();
        auto wanted = supply(info.name);
        if (plan.quantised.contains(info.name)) {
          ASSERT_EQ(std::get<QuantTensor>(*weight), std::get<QuantTensor>(*wanted)) << info.name;
        } else {
          ASSERT_EQ(plain(*weight).floats(), plain(*wanted).floats());
        }
      }
    }
}

TEST_F(Format, MixedBitsNameTheirLayers) {
  const ModelConfig config = tiny_config(Family::llama);
  const Model model = tiny(config);
  WritePlan plan = plan_for(config, {4, 64, true, false});
  plan.quantised["model.layers.1.mlp.down_proj.weight"] = {8, 0, true, false};
  plan.quantised.erase("model.layers.0.self_attn.v_proj.weight");
  ASSERT_TRUE(write_model(model, "compressed-tensors", plan, supply_for(model, plan), folder_ / "out"));
  const Json config_json = *read_json(folder_ / "out" / "config.json");
  const Json& quantization = config_json["quantization_config"];
  EXPECT_EQ(quantization["ignore"], Json({"model.layers.0.self_attn.v_proj", "lm_head"}));
  EXPECT_EQ(quantization["config_groups"]["group_1"]["targets"], Json({"model.layers.1.mlp.down_proj"}));
  EXPECT_EQ(quantization["config_groups"]["group_0"]["targets"].size(), 12u);
  EXPECT_EQ(quantization["config_groups"]["group_0"]["weights"], Json({{"num_bits", 4},
                                                                       {"type", "int"},
                                                                       {"symmetric", true},
                                                                       {"strategy", "group"},
                                                                       {"dynamic", false},
                                                                       {"group_size", 64}}));
  auto again = open_model(folder_ / "out", kNoTokenizer);
  ASSERT_TRUE(again) << again.error().message();
  for (const TensorInfo& info : again->weights->tensors()) {
    if (info.name == "model.layers.1.mlp.down_proj.weight") {
      EXPECT_EQ(info.stored_as, "int8 per channel");
    }
    if (info.name == "model.layers.0.self_attn.v_proj.weight") {
      EXPECT_EQ(info.stored_as, "BF16");
    }
    if (info.name == "model.layers.0.self_attn.q_proj.weight") {
      EXPECT_EQ(info.stored_as, "int4 g64");
    }
  }
  ASSERT_TRUE(write_model(model, "gguf", plan_for(config, {4, 64, true, false}),
                          supply_for(model, plan_for(config, {4, 64, true, false})), folder_ / "gguf"));
}

TEST_F(Format, GgufFilesOpenAgainWithTheSameValues) {
  int i = 0;
  for (Family family : {Family::llama, Family::qwen2, Family::qwen3})
    for (int kind = 0; kind < 4; ++kind) {
      ModelConfig config = tiny_config(family);
      if (family == Family::qwen3) config.qkv_bias = config.o_bias = false;
      if (family == Family::llama && kind == 1) config.llama3_rope = Llama3Rope{8, 1, 4, 8192};
      if (family == Family::llama && kind == 2) config.linear_rope_factor = 2;
      config.tied_embeddings = kind == 3;
      const Model model = tiny(config, DType::f16);
      WritePlan plan;
      const QuantSpec specs[] = {{}, {8, 0, true, false}, {4, 64, true, false}, {4, 32, false, false}};
      if (kind > 0) plan = plan_for(config, specs[kind]);
      const TensorSupply supply = supply_for(model, plan);
      const fs::path out = folder_ / ("gguf" + std::to_string(i++));
      const Status written = write_model(model, "gguf", plan, supply, out);
      ASSERT_TRUE(written) << written.error().message();
      auto again = open_model(out, kNoTokenizer);
      ASSERT_TRUE(again) << again.error().message();
      EXPECT_EQ(again->form, "gguf");
      EXPECT_EQ(again->stored_bytes, (*form_named("gguf"))->weight_bytes(config, plan));
      EXPECT_EQ(again->config.family, family);
      EXPECT_EQ(again->config.head_dim, config.head_dim);
      EXPECT_EQ(again->config.qkv_bias, config.qkv_bias);
      EXPECT_EQ(again->config.mlp_bias, config.mlp_bias);
      EXPECT_EQ(again->config.tied_embeddings, config.tied_embeddings);
      EXPECT_EQ(again->config.rms_norm_eps, config.rms_norm_eps);
      EXPECT_EQ(again->config.linear_rope_factor, config.linear_rope_factor);
      EXPECT_TRUE(again->config.rope_frequency_factors.empty());
      for (const TensorInfo& info : again->weights->tensors()) {
        const auto got = plain(*again->weights->load(info.name)).floats();
        const auto wanted = plain(*supply(info.name)).floats();
        const auto blocks = again->weights->load_blocks(info.name);
        ASSERT_TRUE(blocks && blocks->has_value() == info.stored_as.starts_with("Q")) << info.name;
        for (size_t at = 0; *blocks && at < got.size(); ++at) {
          const BlockWeight& block = **blocks;
          const auto code = static_cast<float>(block.codes.codes[at]);
          const float scale = block.codes.scales[at / 32];
          ASSERT_EQ(block.minimums.empty() ? scale * code : scale * (code + 8) + block.minimums[at / 32], got[at])
              << info.name << " " << at;
        }
        const bool outer = kind > 0 && (info.name == "model.embed_tokens.weight" || info.name == "lm_head.weight");
        if (!outer) {
          ASSERT_EQ(got, wanted) << info.name;
        } else {
          EXPECT_EQ(info.stored_as, "Q8_0");
          for (size_t at = 0; at < got.size(); ++at) ASSERT_NEAR(got[at], wanted[at], 0.003f);
        }
      }
    }
}

TEST_F(Format, LlamaThreeScalingGoesThroughGgufDivisors) {
  for (const Llama3Rope& rope : {Llama3Rope{8, 1, 4, 8192}, Llama3Rope{32, 1, 4, 8192}, Llama3Rope{4, 1, 4, 256}}) {
    ModelConfig config = tiny_config(Family::llama);
    config.head_dim = 64;
    config.rope_theta = 500000;
    config.llama3_rope = rope;
    const Model model = tiny(config);
    const fs::path out = folder_ / ("out" + std::to_string(static_cast<int>(rope.factor)));
    ASSERT_TRUE(write_model(model, "gguf", {}, {}, out));
    auto again = open_model(out, kNoTokenizer);
    ASSERT_TRUE(again) << again.error().message();
    ASSERT_TRUE(again->config.llama3_rope);
    EXPECT_EQ(again->config.llama3_rope->factor, rope.factor);
    EXPECT_EQ(again->config.llama3_rope->original_max_position, rope.original_max_position);
  }
  ModelConfig own = tiny_config(Family::llama);
  own.rope_frequency_factors = {1, 1.5f, 2, 2, 3, 3, 3, 5};
  EXPECT_EQ(refusal("safetensors", own, {}),
            "config.json can't say this model's own rope frequencies: write the form gguf");
}

TEST_F(Format, PlainSafetensorsHoldDequantisedWeightsExactly) {
  const ModelConfig config = tiny_config(Family::qwen3);
  const Model model = tiny(config);
  WritePlan plan = plan_for(config, {4, 32, true, false});
  plan.card_method = "Rounded to nearest.";
  plan.card_verdict = "Not judged yet.";
  const TensorSupply supply = supply_for(model, plan);
  ASSERT_TRUE(write_model(model, "safetensors", plan, supply, folder_ / "out"));
  auto again = open_model(folder_ / "out", kNoTokenizer);
  ASSERT_TRUE(again) << again.error().message();
  for (const TensorInfo& info : again->weights->tensors()) {
    EXPECT_EQ(info.stored_as, "F32");
    ASSERT_EQ(plain(*again->weights->load(info.name)).floats(), plain(*supply(info.name)).floats());
  }
  EXPECT_EQ(again->huggingface_config["torch_dtype"], "float32");
  const std::string card = *read_file(folder_ / "out" / "README.md");
  EXPECT_NE(card.find("## Method\n\nRounded to nearest.\n"), std::string::npos) << card;
  EXPECT_NE(card.find("## Checked against the original\n\nNot judged yet.\n"), std::string::npos);

  WritePlan halves;
  halves.plain_dtype = DType::bf16;
  halves.shard_bytes = 20000;
  ASSERT_TRUE(write_model(model, "safetensors", halves, {}, folder_ / "bf16"));
  EXPECT_TRUE(fs::exists(folder_ / "bf16" / "model.safetensors.index.json"));
  auto bf16 = open_model(folder_ / "bf16", kNoTokenizer);
  ASSERT_TRUE(bf16) << bf16.error().message();
  EXPECT_EQ(bf16->stored_bytes, bf16_bytes(config));
}

TEST_F(Format, WhatAFormCannotHoldIsRefusedBeforehand) {
  const ModelConfig config = tiny_config(Family::llama);
  const auto plan = [&](QuantSpec spec) { return plan_for(config, spec); };
  EXPECT_EQ(refusal("gguf", config, plan({8, 0, true, true})),
            "GGUF can't hold W8A8: it has no place for quantised activations: write the form compressed-tensors");
  EXPECT_EQ(refusal("gguf", config, plan({3, 32, true, false})),
            "GGUF can't hold int3: its blocks of 32 have 4 bits (with or without zero points) or 8 (without): "
            "write the form compressed-tensors");
  EXPECT_EQ(refusal("gguf", config, plan({8, 0, false, false})),
            "GGUF can't hold int8 with zero points: its blocks of 32 have 4 bits (with or without zero points) or 8 "
            "(without): "
            "write the form compressed-tensors");
  EXPECT_EQ(refusal("gguf", config, plan({4, 16, true, false})),
            "GGUF's blocks have 32 values, and the group is 16: choose a group that 32 divides");
  EXPECT_EQ(refusal("compressed-tensors", config, plan({4, 48, true, false})),
            "the group 48 does not divide the 128 columns of \"model.layers.0.mlp.down_proj.weight\": groups that do: "
            "16, 32, 64; "
            "0 is the whole row");
  EXPECT_EQ(refusal("gguf", config, plan({4, 96, true, false})),
            "the group 96 does not divide the 128 columns of \"model.layers.0.mlp.down_proj.weight\": groups that do: "
            "16, 32, 64");
  EXPECT_EQ(refusal("compressed-tensors", config, plan({8, 32, true, true})),
            "W8A8 has one symmetric scale a channel, not 8 bits, groups or zero points: leave out the group");
  EXPECT_EQ(refusal("safetensors", config, plan({8, 0, true, true})),
            "plain safetensors can't say that activations are quantised (W8A8): write the form compressed-tensors");
  EXPECT_EQ(refusal("compressed-tensors", config, {}),
            "compressed-tensors holds quantised models, and nothing is to be quantised: write the form safetensors");
  EXPECT_EQ(refusal("onnx", config, {}),
            "the file form \"onnx\" is not known: known are: compressed-tensors, gguf, safetensors");
  WritePlan mixed = plan({8, 0, true, true});
  mixed.quantised["model.layers.0.mlp.up_proj.weight"] = {8, 0, true, false};
  EXPECT_EQ(refusal("compressed-tensors", config, mixed),
            "compressed-tensors holds W8A8 and weight-only layers in one model only in its newest release: "
            "quantise all layers one way, or leave some out with --ignore");
  WritePlan head;
  head.quantised["lm_head.weight"] = {8, 0, true, false};
  EXPECT_EQ(refusal("gguf", config, head),
            "\"lm_head.weight\" is not a linear layer of a decoder block: embedding, head, norms and biases are never "
            "quantised");
  ModelConfig narrow = config;
  narrow.intermediate = 80;
  EXPECT_EQ(
      refusal("gguf", narrow, plan({8, 0, true, false})),
      "the group 32 does not divide the 80 columns of \"model.layers.0.mlp.down_proj.weight\": groups that do: 16");
  ModelConfig qwen = tiny_config(Family::qwen3);
  EXPECT_EQ(refusal("gguf", qwen, {}),
            "llama.cpp's qwen3 has no biases: write the form compressed-tensors or safetensors");
  EXPECT_EQ((*form_named("compressed-tensors"))->engines(plan({3, 32, true, false})),
            std::vector<std::string>{"transformers with compressed-tensors 0.19 or newer (3 bits are not portable)"});
  EXPECT_EQ((*form_named("compressed-tensors"))->engines(plan({4, 32, false, false})),
            (std::vector<std::string>{"vLLM", "SGLang"}));
}

TEST_F(Format, AFolderWithSomethingInItIsLeftAlone) {
  const Model model = tiny(tiny_config(Family::llama));
  ASSERT_TRUE(make_folders(folder_ / "out"));
  ASSERT_TRUE(write_file_atomic(folder_ / "out" / "notes", "mine"));
  const Status status = write_model(model, "safetensors", {}, {}, folder_ / "out");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::conflict);
  EXPECT_EQ(status.error().what, "the folder is not empty");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "out"), fs::directory_iterator()), 1);
}

TEST_F(Format, ValuesBeyondFloat16AreRefusedByName) {
  const Model model = tiny(tiny_config(Family::llama));
  const TensorSupply huge = [&](const std::string& name) -> Result<Weight> {
    Weight weight = TRY(model.weights->load(name));
    if (name != "model.layers.0.mlp.up_proj.weight") return weight;
    std::vector<float> values = plain(weight).floats();
    values[7] = 70000;
    return Weight(HostTensor::of_floats(std::get<HostTensor>(weight).shape, std::move(values)));
  };
  const Status status = write_model(model, "gguf", {}, huge, folder_ / "out");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what,
            "the tensor \"model.layers.0.mlp.up_proj.weight\" holds values beyond float16's range");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(Format, StoppingHalfWayLeavesNothing) {
  const Model model = tiny(tiny_config(Family::llama));
  for (const char* form : {"gguf", "safetensors"}) {
    const WriteProgress stop = [](uint64_t done, uint64_t total) -> Status {
      if (done * 2 < total) return {};
      return Error{ErrorKind::stopped, "stopped on request", "", "run it again to go on"};
    };
    const Status status = write_model(model, form, {}, {}, folder_ / "out", stop);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::stopped);
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }
}

TEST_F(Format, TheSameModelGivesTheSameBytes) {
  const ModelConfig config = tiny_config(Family::llama);
  const Model model = tiny(config);
  const WritePlan plan = plan_for(config, {4, 32, true, false});
  for (const std::string& form : form_names())
    for (const char* copy : {"a", "b"})
      ASSERT_TRUE(write_model(model, form, plan, supply_for(model, plan), folder_ / copy / form));
  size_t compared = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder_ / "a")) {
    if (!file.is_regular_file()) continue;
    EXPECT_EQ(*read_file(file.path()), *read_file(folder_ / "b" / fs::relative(file.path(), folder_ / "a")))
        << file.path();
    ++compared;
  }
  EXPECT_EQ(compared, 8u);
}

}  // namespace
}  // namespace tqm::compress
