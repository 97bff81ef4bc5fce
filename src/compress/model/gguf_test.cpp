#include "compress/model/gguf.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "compress/model/open_forms.hpp"

namespace tqm::compress {
namespace {

// A GGUF file in memory, written field by field, so that each can be wrong.
struct Bytes {
  std::string content;
  template <class T>
  Bytes& put(T value) {
    content.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  Bytes& text(const std::string& value) {
    put<uint64_t>(value.size());
    content += value;
    return *this;
  }
  Bytes& head(uint64_t tensors, uint64_t keys, uint32_t version = 3) {
    content += "GGUF";
    return put(version).put(tensors).put(keys);
  }
  Bytes& tensor(const std::string& name, std::vector<int64_t> sides, uint32_t type, uint64_t offset) {
    text(name).put(static_cast<uint32_t>(sides.size()));
    for (int64_t side : sides) put(side);
    return put(type).put(offset);
  }
  Bytes& data(size_t count) {
    content.resize((content.size() + 31) / 32 * 32 + count);
    return *this;
  }
  Result<GgufFile> parse() const { return parse_gguf(std::as_bytes(std::span(content)), "x"); }
  std::string refusal() const {
    auto file = parse();
    return file ? "read" : file.error().what;
  }
};

TEST(Gguf, KeysAndTensorsAreRead) {
  Bytes bytes;
  bytes.head(2, 6);
  bytes.text("name").put<uint32_t>(8).text("tiny");
  bytes.text("count").put<uint32_t>(4).put<uint32_t>(7);
  bytes.text("eps").put<uint32_t>(6).put<float>(0.5f);
  bytes.text("yes").put<uint32_t>(7).put<uint8_t>(1);
  bytes.text("list").put<uint32_t>(9).put<uint32_t>(5).put<uint64_t>(2).put<int32_t>(-1).put<int32_t>(9);
  bytes.text("words").put<uint32_t>(9).put<uint32_t>(8).put<uint64_t>(2).text("a").text("bc");
  bytes.tensor("w", {32, 3}, ggml::kQ8_0, 0).tensor("v", {5}, ggml::kF32, 128).data(148);
  auto file = bytes.parse();
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(*file->text("name"), "tiny");
  EXPECT_EQ(*file->integer("count"), 7);
  EXPECT_EQ(*file->number("eps"), 0.5);
  EXPECT_EQ(*file->number("count"), 7.0);
  EXPECT_EQ(*file->flag("yes"), true);
  EXPECT_EQ(*file->integer("absent"), std::nullopt);
  EXPECT_EQ(std::get<std::vector<int64_t>>(file->keys.at("list")), (std::vector<int64_t>{-1, 9}));
  EXPECT_EQ(std::get<std::vector<std::string>>(file->keys.at("words")), (std::vector<std::string>{"a", "bc"}));
  ASSERT_EQ(file->tensors.size(), 2u);
  EXPECT_EQ(file->tensors[0].shape, (std::vector<int64_t>{3, 32}));
  EXPECT_EQ(file->tensors[0].size, 3u * 34);
  EXPECT_EQ(file->tensors[1].offset + file->tensors[1].size, bytes.content.size());
  auto wrong = file->integer("name");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "the key \"name\" is not one whole number");
}

TEST(Gguf, HeadersThatCannotBeAreRefused) {
  Bytes strange;
  strange.content = "GGML0000";
  EXPECT_EQ(strange.refusal(), "not a GGUF file: it does not begin with \"GGUF\"");
  EXPECT_EQ(Bytes{}.head(0, 0, 0x03000000).refusal(), "a big-endian GGUF file is not read");
  EXPECT_EQ(Bytes{}.head(0, 0, 1).refusal(), "GGUF version 1 is not known");
  EXPECT_EQ(Bytes{}.head(0, 0, 4).refusal(), "GGUF version 4 is not known");
  Bytes cut = Bytes{}.head(0, 0);
  cut.content.resize(20);
  EXPECT_EQ(cut.refusal(), "the GGUF file ends within its header");
  EXPECT_EQ(Bytes{}.head(uint64_t{1} << 60, 0).refusal(),
            "the GGUF file claims 1152921504606846976 tensors and 0 keys, more than it has room for");
  EXPECT_EQ(Bytes{}.head(0, uint64_t{1} << 63).data(64).refusal(),
            "the GGUF file claims 0 tensors and 9223372036854775808 keys, more than it has room for");
  EXPECT_EQ(Bytes{}.head(0, 0).refusal(), "read");
}

TEST(Gguf, KeysThatCannotBeAreRefused) {
  Bytes past;
  past.head(0, 1).put<uint64_t>(uint64_t{1} << 62).data(64);  // a name's length past the end
  EXPECT_EQ(past.refusal(), "the GGUF file ends within its header");
  Bytes text;
  text.head(0, 1).text("k").put<uint32_t>(8).put<uint64_t>(100).data(32);
  EXPECT_EQ(text.refusal(), "the GGUF file ends within its header");
  Bytes many;
  many.head(0, 1).text("k").put<uint32_t>(9).put<uint32_t>(4).put<uint64_t>(uint64_t{1} << 61).data(32);
  EXPECT_EQ(many.refusal(), "the key \"k\" claims 2305843009213693952 elements, more than the file has room for");
  Bytes unknown;
  unknown.head(0, 1).text("k").put<uint32_t>(77).data(32);
  EXPECT_EQ(unknown.refusal(), "the key \"k\" has the unknown type 77");
  Bytes nested;
  nested.head(0, 1).text("k").put<uint32_t>(9).put<uint32_t>(9).put<uint64_t>(1).data(64);
  EXPECT_EQ(nested.refusal(), "the key \"k\" is an array of the unknown type 9");
  Bytes twice;
  twice.head(0, 2).text("k").put<uint32_t>(7).put<uint8_t>(1).text("k").put<uint32_t>(7).put<uint8_t>(1);
  EXPECT_EQ(twice.refusal(), "the key \"k\" is there twice");
  for (uint32_t alignment : {0u, 4u, 48u, 1u << 20}) {
    Bytes aligned;
    aligned.head(0, 1).text("general.alignment").put<uint32_t>(4).put<uint32_t>(alignment);
    EXPECT_EQ(aligned.refusal(),
              "the alignment " + std::to_string(alignment) + " is not a power of two from 8 to 65536");
  }
}

TEST(Gguf, TensorsThatCannotBeAreRefused) {
  const auto one = [](std::vector<int64_t> sides, uint32_t type, uint64_t offset, size_t data) {
    return Bytes{}.head(1, 0).tensor("w", std::move(sides), type, offset).data(data).refusal();
  };
  EXPECT_EQ(one({32, 2}, ggml::kQ8_0, 0, 68), "read");
  EXPECT_EQ(one({32, 2}, ggml::kQ8_0, 0, 67), "the tensor \"w\" lies past the end of the file");
  EXPECT_EQ(one({32, 2}, ggml::kQ8_0, uint64_t{1} << 63, 68), "the tensor \"w\" lies past the end of the file");
  EXPECT_EQ(one({32, 2}, ggml::kQ8_0, 8, 96), "the tensor \"w\" begins at 8, not a multiple of the alignment 32");
  EXPECT_EQ(one({32, 2}, 13, 0, 68), "the tensor \"w\" has the type Q5_K, which is not read");
  EXPECT_EQ(one({32, 2}, 999, 0, 68), "the tensor \"w\" has the type number 999, which is not read");
  EXPECT_EQ(one({33, 2}, ggml::kQ8_0, 0, 68),
            "the tensor \"w\" has rows of 33 values, not divisible by the 32 of a Q8_0 block");
  EXPECT_EQ(one({0, 2}, ggml::kF32, 0, 68), "the tensor \"w\" has an impossible shape");
  EXPECT_EQ(one({-32}, ggml::kF32, 0, 68), "the tensor \"w\" has an impossible shape");
  EXPECT_EQ(one({int64_t{1} << 40, int64_t{1} << 40}, ggml::kF32, 0, 68), "the tensor \"w\" has an impossible shape");
  EXPECT_EQ(one({int64_t{1} << 62}, ggml::kF32, 0, 68), "the tensor \"w\" has an impossible shape");
  EXPECT_EQ(one({}, ggml::kF32, 0, 68), "the tensor \"w\" has 0 dimensions");
  EXPECT_EQ(one({1, 1, 1, 1, 1}, ggml::kF32, 0, 68), "the tensor \"w\" has 5 dimensions");
  EXPECT_EQ(Bytes{}.head(2, 0).tensor("a", {16}, 0, 0).tensor("b", {16}, 0, 32).data(96).refusal(),
            "the tensors \"a\" and \"b\" overlap");
  EXPECT_EQ(Bytes{}.head(2, 0).tensor("a", {4}, 0, 0).tensor("a", {4}, 0, 32).data(96).refusal(),
            "the tensor \"a\" is there twice");
}

TEST(Gguf, ModelsThatAreNotKnownAreRefusedByName) {
  const auto refusal = [](const std::string& architecture, const std::string& key, uint32_t value) {
    Bytes bytes;
    const std::pair<const char*, uint32_t> numbers[] = {{"context_length", 64},
                                                        {"embedding_length", 8},
                                                        {"block_count", 1},
                                                        {"feed_forward_length", 16},
                                                        {"attention.head_count", 2}};
    bytes.head(1, 7).text("general.architecture").put<uint32_t>(8).text(architecture);
    for (const auto& [name, number] : numbers)
      bytes.text(architecture + "." + name).put<uint32_t>(4).put<uint32_t>(number);
    bytes.text(architecture + "." + key).put<uint32_t>(4).put<uint32_t>(value);
    bytes.tensor("token_embd.weight", {8, 4}, 0, 0).data(128);
    auto file = bytes.parse();
    if (!file) return file.error().what;
    auto config = config_from_gguf(*file);
    return config ? "known" : config.error().what;
  };
  EXPECT_EQ(refusal("llama", "vocab_size", 4), "known");
  EXPECT_EQ(refusal("gemma3", "vocab_size", 4), "the architecture \"gemma3\" is not known");
  EXPECT_EQ(refusal("llama", "expert_count", 8), "a mixture of experts (llama.expert_count) is not known");
  EXPECT_EQ(refusal("llama", "attention.value_length", 2), "heads whose values are 2 wide and keys 4 are not known");
  EXPECT_EQ(refusal("llama", "rope.dimension_count", 2), "rope over a part of the head (2 of 4) is not known");
  EXPECT_EQ(refusal("qwen2", "attention.sliding_window", 32),
            "an active sliding window (32 of 64 positions) is not known");
  EXPECT_EQ(refusal("llama", "attention.head_count_kv", 0), "the number of key heads is 0");
}

TEST(Gguf, NamesGoBothWays) {
  for (const char* name :
       {"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight", "model.layers.0.input_layernorm.weight",
        "model.layers.31.self_attn.q_proj.bias", "model.layers.7.mlp.down_proj.weight",
        "model.layers.123.self_attn.k_norm.weight", "model.layers.2.post_attention_layernorm.weight"}) {
    EXPECT_FALSE(gguf_name(name).empty()) << name;
    EXPECT_EQ(canonical_name(gguf_name(name)), name);
  }
  EXPECT_EQ(gguf_name("model.layers.0.self_attn.q_proj.weight"), "blk.0.attn_q.weight");
  for (const char* strange :
       {"blk..attn_q.weight", "blk.x.attn_q.weight", "blk.0.weight", "blk.0.ffn_gate_exps.weight", "", "blk."})
    EXPECT_EQ(canonical_name(strange), "");
}

}  // namespace
}  // namespace tqm::compress
