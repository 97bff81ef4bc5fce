#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

#include "base/file.hpp"
#include "compress/model/architecture.hpp"
#include "compress/model/model.hpp"
#include "compress/model/synthetic.hpp"
#include "tensor/safetensors.hpp"

namespace tqm::compress {
namespace {

namespace fs = std::filesystem;
using tensor::DType;

const OpenOptions kNoTokenizer{{}, false};

class OpenModel : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tqm-open-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string refusal() {
    auto model = open_model(folder_, kNoTokenizer);
    return model ? "opened" : model.error().what;
  }
  Json config() { return *read_json(folder_ / "config.json"); }
  void set_config(const Json& json) { ASSERT_TRUE(write_file_atomic(folder_ / "config.json", dump_json(json))); }
  std::string refusal_with(const char* key, const Json& value) {
    const Json before = config();
    Json changed = before;
    changed[key] = value;
    set_config(changed);
    std::string message = refusal();
    set_config(before);
    return message;
  }
  // A folder whose weights are these, with config.json of the tiny llama.
  void write_tensors(const std::vector<std::pair<tensor::SafetensorsDescription, std::vector<std::byte>>>& list) {
    std::vector<tensor::SafetensorsDescription> names;
    for (const auto& [name, bytes] : list) names.push_back(name);
    auto writer = tensor::SafetensorsWriter::create(folder_, names);
    ASSERT_TRUE(writer);
    for (const auto& [name, bytes] : list) ASSERT_TRUE(writer->put(name.name, bytes));
    ASSERT_TRUE(writer->finish());
  }
  // The written model once more with one tensor changed.
  template <class Change>
  void rewrite(Change change) {
    std::vector<std::pair<tensor::SafetensorsDescription, std::vector<std::byte>>> list;
    {
      auto reader = tensor::SafetensorsReader::open_folder(folder_);
      ASSERT_TRUE(reader);
      for (const auto& entry : reader->entries()) {
        const auto view = reader->view(entry);
        list.push_back({{entry.name, entry.dtype, entry.shape}, {view.bytes.begin(), view.bytes.end()}});
      }
    }
    change(list);
    write_tensors(list);
  }

  fs::path folder_;
};

TEST_F(OpenModel, EveryFamilyOpensWithEveryTensor) {
  for (Family family : {Family::llama, Family::mistral, Family::qwen2, Family::qwen3}) {
    const ModelConfig wanted = tiny_config(family);
    ASSERT_TRUE(write_synthetic_model(folder_, wanted, 1));
    auto model = open_model(folder_, kNoTokenizer);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(model->form, "huggingface");
    EXPECT_EQ(model->config.family, family);
    EXPECT_EQ(model->config.head_dim, wanted.head_dim);
    EXPECT_EQ(model->config.qkv_bias, wanted.qkv_bias);
    EXPECT_EQ(model->config.o_bias, wanted.o_bias);
    EXPECT_EQ(model->config.mlp_bias, wanted.mlp_bias);
    EXPECT_EQ(model->config.qk_norm, wanted.qk_norm);
    EXPECT_EQ(model->weights->tensors().size(), expected_tensors(wanted).size());
    for (const TensorInfo& info : model->weights->tensors()) {
      auto weight = model->weights->load(info.name);
      ASSERT_TRUE(weight) << weight.error().message();
      EXPECT_EQ(plain(*weight).shape, info.shape);
      model->weights->release(info.name);
    }
    EXPECT_EQ(model->weights->load("nothing").error().kind, ErrorKind::not_found);
  }
}

TEST_F(OpenModel, ShardsOpenLikeOneFile) {
  ModelConfig tiny = tiny_config(Family::llama);
  ASSERT_TRUE(write_synthetic_model(folder_, tiny, 5, DType::f32));
  auto one = open_model(folder_, kNoTokenizer);
  ASSERT_TRUE(one);
  const auto expected = plain(*one->weights->load("model.layers.1.mlp.down_proj.weight")).floats();
  const fs::path sharded = folder_ / "sharded";
  ASSERT_TRUE(write_synthetic_model(sharded, tiny, 5, DType::f32, 40000));
  EXPECT_FALSE(fs::exists(sharded / "model.safetensors"));
  auto many = open_model(sharded, kNoTokenizer);
  ASSERT_TRUE(many) << many.error().message();
  EXPECT_EQ(plain(*many->weights->load("model.layers.1.mlp.down_proj.weight")).floats(), expected);
  EXPECT_EQ(many->stored_bytes, one->stored_bytes);

  std::string shard;
  for (const auto& file : fs::directory_iterator(sharded))
    if (file.path().filename().string().starts_with("model-00002-of-")) shard = file.path().filename().string();
  fs::remove(sharded / shard);
  auto broken = open_model(sharded, kNoTokenizer);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().what, "the shard \"" + shard + "\" is missing, which the index names");
}

TEST_F(OpenModel, RopeIsReadInBothSpellings) {
  ASSERT_TRUE(write_synthetic_model(folder_, tiny_config(Family::llama), 1));
  Json json = config();
  json["rope_theta"] = 500000.0;
  json["rope_scaling"] = {{"rope_type", "llama3"},
                          {"factor", 32.0},
                          {"low_freq_factor", 1.0},
                          {"high_freq_factor", 4.0},
                          {"original_max_position_embeddings", 8192}};
  set_config(json);
  auto old_form = open_model(folder_, kNoTokenizer);
  ASSERT_TRUE(old_form) << old_form.error().message();
  json.erase("rope_theta");
  json["rope_parameters"] = json["rope_scaling"];
  json["rope_parameters"]["rope_theta"] = 500000.0;
  json.erase("rope_scaling");
  set_config(json);
  auto new_form = open_model(folder_, kNoTokenizer);
  ASSERT_TRUE(new_form) << new_form.error().message();
  for (const Model* model : {&*old_form, &*new_form}) {
    EXPECT_EQ(model->config.rope_theta, 500000.0);
    ASSERT_TRUE(model->config.llama3_rope);
    EXPECT_EQ(model->config.llama3_rope->factor, 32.0);
    EXPECT_EQ(model->config.llama3_rope->original_max_position, 8192);
  }
  json["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 10000.0}};
  set_config(json);
  EXPECT_EQ(open_model(folder_, kNoTokenizer)->config.linear_rope_factor, 4.0);
}

TEST_F(OpenModel, WhatIsNotKnownIsRefusedByName) {
  ASSERT_TRUE(write_synthetic_model(folder_, tiny_config(Family::mistral), 1));
  EXPECT_EQ(refusal_with("model_type", "mixtral"), "the architecture \"mixtral\" is not known");
  EXPECT_EQ(refusal_with("architectures", {"MistralForSequenceClassification"}),
            "the architecture \"MistralForSequenceClassification\" is not known");
  EXPECT_EQ(refusal_with("hidden_act", "gelu"), "the activation \"gelu\" is not known");
  EXPECT_EQ(refusal_with("rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}}),
            "the rope scaling \"yarn\" is not known");
  EXPECT_EQ(refusal_with("rope_scaling", {{"type", "dynamic"}, {"factor", 4.0}}),
            "the rope scaling \"dynamic\" is not known");
  EXPECT_EQ(refusal_with("sliding_window", 64), "an active sliding window (64 of 128 positions) is not known");
  EXPECT_EQ(refusal_with("sliding_window", 128), "opened");
  EXPECT_EQ(refusal_with("partial_rotary_factor", 0.5),
            "rope over a part of the head (\"partial_rotary_factor\") is not known");
  EXPECT_EQ(refusal_with("vocab_size", "many"), "the key \"vocab_size\" is not a whole number");
  EXPECT_EQ(refusal_with("hidden_size", nullptr), "the key \"hidden_size\" is missing");
  EXPECT_EQ(refusal_with("num_key_value_heads", 3), "4 heads can't share 3 key heads evenly");
  EXPECT_EQ(refusal_with("quantization_config", {{"quant_method", "gptq"}}),
            "the quantisation method \"gptq\" is not read");
  Json mixture = config();
  mixture["model_type"] = "qwen2_moe";
  mixture["architectures"] = {"Qwen2MoeForCausalLM"};
  set_config(mixture);
  auto model = open_model(folder_, kNoTokenizer);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(model.error().what, "the architecture \"qwen2_moe\" is not known");
  EXPECT_EQ(model.error().next, "known are: " + known_families());
}

TEST_F(OpenModel, SlidingWindowsFollowTheFamily) {
  ASSERT_TRUE(write_synthetic_model(folder_, tiny_config(Family::qwen2), 1));
  EXPECT_EQ(refusal_with("sliding_window", 64), "opened");  // only with use_sliding_window
  Json json = config();
  json["sliding_window"] = 64;
  json["use_sliding_window"] = true;
  set_config(json);
  EXPECT_EQ(refusal(), "an active sliding window (64 of 128 positions) is not known");
}

TEST_F(OpenModel, ShapesAreCheckedAgainstTheConfiguration) {
  ASSERT_TRUE(write_synthetic_model(folder_, tiny_config(Family::llama), 1));
  EXPECT_EQ(refusal_with("intermediate_size", 192),
            "the tensor \"model.layers.0.mlp.gate_proj.weight\" has the shape [128, 64] where the configuration asks "
            "for [192, 64]");
  EXPECT_EQ(
      refusal_with("num_hidden_layers", 3),
      "tensors are missing: \"model.layers.2.input_layernorm.weight\", \"model.layers.2.self_attn.q_proj.weight\", "
      "\"model.layers.2.self_attn.q_proj.bias\" and 13 more");
  EXPECT_EQ(refusal_with("num_hidden_layers", 1),
            "the tensor \"model.layers.1.input_layernorm.weight\" has no place in this architecture");
  EXPECT_EQ(refusal_with("mlp_bias", false),
            "the tensor \"model.layers.0.mlp.down_proj.bias\" has no place in this architecture");
}

TEST_F(OpenModel, NaNIsRefusedNamingTheTensor) {
  for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    ASSERT_TRUE(write_synthetic_model(folder_, tiny_config(Family::llama), 1, dtype));
    const std::string name = "model.layers.1.self_attn.o_proj.weight";
    rewrite([&](auto& list) {
      for (auto& [description, bytes] : list)
        if (description.name == name) {
          const float nan = std::numeric_limits<float>::quiet_NaN();
          tensor::from_float(dtype, &nan, 1, bytes.data() + 10 * tensor::size_of(dtype));
        }
    });
    auto model = open_model(folder_, kNoTokenizer);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_TRUE(model->weights->load("model.layers.0.self_attn.o_proj.weight"));
    auto weight = model->weights->load(name);
    ASSERT_FALSE(weight);
    EXPECT_EQ(weight.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(weight.error().what, "the tensor \"" + name + "\" holds NaN or infinity");
  }
}

TEST_F(OpenModel, TiedHeadsAreStoredOnce) {
  ModelConfig config = tiny_config(Family::llama);
  config.tied_embeddings = true;
  ASSERT_TRUE(write_synthetic_model(folder_, config, 1));
  auto model = open_model(folder_, kNoTokenizer);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_TRUE(model->config.tied_embeddings);
  EXPECT_FALSE(model->weights->has("lm_head.weight"));
}

TEST_F(OpenModel, IntegersAreNoWeights) {
  ASSERT_TRUE(write_synthetic_model(folder_, tiny_config(Family::llama), 1, DType::f16));
  rewrite([](auto& list) {
    for (auto& [description, bytes] : list)
      if (description.name == "model.norm.weight") description.dtype = DType::i16;
  });
  EXPECT_EQ(refusal(), "the tensor \"model.norm.weight\" has the element type I16, which is not read as a weight");
}

TEST_F(OpenModel, PathsThatHoldNoModelSayWhatWould) {
  EXPECT_EQ(refusal(), "the folder holds neither config.json nor model.gguf");
  auto missing = open_model(folder_ / "missing", kNoTokenizer);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  ASSERT_TRUE(write_file_atomic(folder_ / "a.bin", std::string(100, 'x')));
  auto strange = open_model(folder_ / "a.bin", kNoTokenizer);
  ASSERT_FALSE(strange);
  EXPECT_EQ(strange.error().what, "not a model in a form that is known");
  EXPECT_EQ(strange.error().next, "known are a Hugging Face folder, a GGUF file and a llama2.c file of version 0");
  ASSERT_TRUE(write_file_atomic(folder_ / "a.safetensors", "x"));
  EXPECT_EQ(open_model(folder_ / "a.safetensors", kNoTokenizer).error().what,
            "safetensors alone hold no configuration");
  ASSERT_TRUE(write_file_atomic(folder_ / "config.json", R"({"model_type": "llama")"));
  EXPECT_EQ(open_model(folder_, kNoTokenizer).error().kind, ErrorKind::bad_input);
}

TEST_F(OpenModel, Llama2cIsReadInRotateHalfOrder) {
  // dim 4, hidden 6, 1 layer, 1 head, 1 key head, 5 tokens, 8 positions; values count up, so that each place is known.
  for (bool tied : {true, false}) {
    const std::vector<int32_t> header = {4, 6, 1, 1, 1, tied ? 5 : -5, 8};
    const size_t floats = 20 + 4 + 4 * 16 + 4 + 3 * 24 + 4 + 32 + (tied ? 0 : 20);
    std::string content(header.size() * 4 + floats * 4, '\0');
    std::memcpy(content.data(), header.data(), 28);
    for (size_t i = 0; i < floats; ++i) {
      const float value = static_cast<float>(i);
      std::memcpy(content.data() + 28 + 4 * i, &value, 4);
    }
    const fs::path path = folder_ / "model.bin";
    ASSERT_TRUE(write_file_atomic(path, content));
    auto model = open_model(path, kNoTokenizer);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(model->form, "llama2.c");
    EXPECT_EQ(model->config.tied_embeddings, tied);
    EXPECT_EQ(model->config.vocab, 5);
    const auto first_column = [&](const std::string& name) {
      const auto tensor = plain(*model->weights->load(name));
      const auto values = tensor.floats();
      std::vector<float> column;
      for (int64_t row = 0; row < tensor.shape[0]; ++row)
        column.push_back(values[static_cast<size_t>(row * tensor.shape[1])]);
      return column;
    };
    // Rows 0, 1, 2, 3 in pairs (0, 1), (2, 3) become firsts 0, 2 and seconds 1, 3.
    EXPECT_EQ(first_column("model.layers.0.self_attn.q_proj.weight"), (std::vector<float>{24, 32, 28, 36}));
    EXPECT_EQ(first_column("model.layers.0.self_attn.v_proj.weight"), (std::vector<float>{56, 60, 64, 68}));
    EXPECT_EQ(first_column("model.layers.0.mlp.down_proj.weight"), (std::vector<float>{116, 122, 128, 134}));
    if (!tied) {
      EXPECT_EQ(first_column("lm_head.weight")[0], static_cast<float>(floats - 20));
    }
    auto no_tokenizer = open_model(path);
    ASSERT_FALSE(no_tokenizer);
    EXPECT_EQ(no_tokenizer.error().message(), "a llama2.c file holds no tokenizer (" + path.string() +
                                                  "): name its tokenizer's file with --tokenizer FILE");
    // One that is named is read, also where none is needed.
    EXPECT_EQ(open_model(path, {folder_ / "none.bin", false}).error().kind, ErrorKind::not_found);
    content.pop_back();
    ASSERT_TRUE(write_file_atomic(path, content));
    EXPECT_EQ(open_model(path, kNoTokenizer).error().what, "a llama2.c file with this header has " +
                                                               std::to_string(content.size() + 1) +
                                                               " bytes, this one " + std::to_string(content.size()));
  }
}

TEST_F(OpenModel, ATokenizerOfTheirOwnIsTheOnlyOneThatFoldersAndGgufRead) {
  ASSERT_TRUE(write_file_atomic(folder_ / "model.gguf", "GGUF"));
  for (const fs::path& path : {folder_, folder_ / "model.gguf"}) {
    const auto refused = open_model(path, {"other.bin", false});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_NE(refused.error().what.find("holds its tokenizer itself"), std::string::npos) << refused.error().what;
    EXPECT_EQ(refused.error().where, "--tokenizer other.bin");
  }
}

}  // namespace
}  // namespace tqm::compress
