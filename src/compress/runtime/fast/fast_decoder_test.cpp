// The decoder on tiny random models of each family: instruction sets, batches, thread counts and ways to cut a prompt
// agree.
#include "compress/runtime/fast/fast_decoder.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/cpu_features.hpp"
#include "compress/model/memory_weights.hpp"

namespace tqm::compress {
namespace {

ModelConfig tiny(Family family) {
  ModelConfig config;
  config.family = family;
  config.vocab = 150;
  config.hidden = 64;
  config.intermediate = 96;
  config.layers = 2;
  config.heads = 8;
  config.kv_heads = 2;
  config.head_dim = 12;
  config.max_position = 128;
  config.tied_embeddings = family == Family::llama;
  config.qkv_bias = family == Family::qwen2;
  config.o_bias = config.mlp_bias = family == Family::mistral;
  config.qk_norm = family == Family::qwen3;
  return config;
}

std::vector<int32_t> tokens(size_t count, uint32_t seed = 5) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(count);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 150);
  return ids;
}

// rms(a − b) / rms(b).
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double error = 0, total = 1e-30;
  for (size_t i = 0; i < a.size(); ++i) {
    error += std::pow(static_cast<double>(a[i] - b[i]), 2);
    total += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(error / total);
}

FastOptions options(const std::string& weights, const std::string& isa, int threads = 2) {
  FastOptions made;
  made.threads = threads;
  made.weights = weights;
  made.head = weights;
  made.isa = isa;
  made.cache = "f32";
  return made;
}

std::vector<float> prompt_logits(const Model& model, const FastOptions& with, const std::vector<int32_t>& prompt) {
  FastDecoder decoder = FastDecoder::load(model, with).take();
  return decoder.prefill_all(0, prompt).take();
}

std::vector<std::string> levels() {
  std::vector<std::string> present;
  for (const char* level : {"avx2", "avx512", "amx"}) {
    if (features_up_to(level)) present.push_back(level);
  }
  return present;
}

const std::vector<Family> kFamilies = {Family::llama, Family::mistral, Family::qwen2, Family::qwen3};

TEST(FastDecoder, InstructionSetsAgree) {
  for (const Family family : kFamilies) {
    const auto [model, held] = random_model(tiny(family));
    for (const std::string weights : {"f32", "f16", "bf16", "w8a8", "int8", "int4"}) {
      const auto expected = prompt_logits(model, options(weights, "generic"), tokens(21));
      for (const std::string& level : levels()) {
        // Tiles and AVX512-BF16 round activations to bf16 when many rows come at once; a code of W8A8 may tip over.
        const bool rounded = level == "amx" || weights == "w8a8" || (weights == "bf16" && level == "avx512");
        EXPECT_LT(distance(prompt_logits(model, options(weights, level), tokens(21)), expected), rounded ? 0.03 : 2e-4)
            << weights << " " << level << " family " << static_cast<int>(family);
      }
    }
  }
}

TEST(FastDecoder, StepsEqualAPrefill) {
  for (const Family family : kFamilies) {
    const auto [model, held] = random_model(tiny(family));
    for (const std::string weights : {"f32", "int8", "int4"}) {
      const FastOptions with = options(weights, "");
      FastDecoder steps = FastDecoder::load(model, with).take(), whole = FastDecoder::load(model, with).take();
      const auto ids = tokens(24);
      const auto expected = whole.prefill_all(0, ids).take();
      for (size_t i = 0; i < ids.size(); ++i) {
        const auto logits = steps.step({{0, ids[i]}}).take();
        const std::vector<float> row(expected.begin() + static_cast<int64_t>(i * 150),
                                     expected.begin() + static_cast<int64_t>(i * 150 + 150));
        EXPECT_LT(distance(logits, row), weights == "f32" ? 1e-5 : 0.06) << i;
      }
      EXPECT_EQ(steps.length(0), 24);
    }
  }
}

TEST(FastDecoder, APromptMayBeCutAnywhere) {
  const auto [model, held] = random_model(tiny(Family::llama));
  const auto ids = tokens(50);
  FastOptions with = options("f32", "");
  const auto expected = FastDecoder::load(model, with).take().prefill(0, ids).take();
  with.prefill_rows = 7;
  EXPECT_LT(distance(FastDecoder::load(model, with).take().prefill(0, ids).take(), expected), 1e-5);
  FastDecoder twice = FastDecoder::load(model, with).take();
  ASSERT_TRUE(twice.prefill(0, {ids.begin(), ids.begin() + 19}));
  EXPECT_LT(distance(twice.prefill(0, {ids.begin() + 19, ids.end()}).take(), expected), 1e-5);
}

TEST(FastDecoder, ABatchGivesWhatSingleSequencesGive) {
  const auto [model, held] = random_model(tiny(Family::qwen3));
  for (const std::string weights : {"f32", "bf16", "w8a8", "int8", "int4"}) {
    FastOptions with = options(weights, "");
    with.sequences = 5;
    FastDecoder batch = FastDecoder::load(model, with).take();
    for (int64_t s = 0; s < 5; ++s)
      ASSERT_TRUE(batch.prefill(s, tokens(static_cast<size_t>(3 + s), static_cast<uint32_t>(s))));
    std::vector<SequenceToken> next;
    for (int64_t s = 0; s < 5; ++s) next.push_back({4 - s, static_cast<int32_t>(s)});
    const auto logits = batch.step(next).take();
    for (size_t i = 0; i < 5; ++i) {
      FastDecoder single = FastDecoder::load(model, options(weights, "")).take();
      const auto s = static_cast<uint32_t>(4 - i);
      ASSERT_TRUE(single.prefill(0, tokens(3 + s, s)));
      const auto alone = single.step({{0, static_cast<int32_t>(i)}}).take();
      const std::vector<float> row(logits.begin() + static_cast<int64_t>(i * 150),
                                   logits.begin() + static_cast<int64_t>(i * 150 + 150));
      EXPECT_LT(distance(row, alone), 1e-5) << weights;
    }
  }
}

TEST(FastDecoder, EqualBytesWhateverTheThreads) {
  const auto [model, held] = random_model(tiny(Family::qwen2));
  for (const std::string weights : {"f32", "w8a8", "int4"}) {
    const auto expected = prompt_logits(model, options(weights, "", 1), tokens(40));
    for (const int threads : {1, 2, 3})
      EXPECT_EQ(prompt_logits(model, options(weights, "", threads), tokens(40)), expected);
  }
}

TEST(FastDecoder, AHalvedCacheStaysClose) {
  const auto [model, held] = random_model(tiny(Family::llama));
  FastOptions with = options("f32", "");
  const auto expected = prompt_logits(model, with, tokens(60));
  with.cache = "bf16";
  EXPECT_LT(distance(prompt_logits(model, with, tokens(60)), expected), 0.01);
}

TEST(FastDecoder, ForgettingStartsAnew) {
  const auto [model, held] = random_model(tiny(Family::llama));
  FastDecoder decoder = FastDecoder::load(model, options("f32", "")).take();
  const auto first = decoder.prefill(0, tokens(30, 1)).take();
  const uint64_t used = decoder.memory().kv_cache;
  EXPECT_EQ(used, 30U * 2 * 2 * 2 * 12 * 4);
  decoder.forget(0);
  EXPECT_EQ(decoder.memory().kv_cache, 0U);
  EXPECT_EQ(decoder.prefill(0, tokens(30, 1)).take(), first);
}

TEST(FastDecoder, RefusesWhatItCannotDo) {
  const auto [model, held] = random_model(tiny(Family::llama));
  const auto message = [](const auto& result) { return result ? std::string() : result.error().message(); };
  const auto says = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  FastOptions with = options("f32", "");
  with.max_context = 8;
  FastDecoder decoder = FastDecoder::load(model, with).take();
  says(message(decoder.prefill(0, tokens(9))), "9 tokens do not fit into a context of 8");
  says(message(decoder.prefill(0, {})), "there are no tokens");
  says(message(decoder.prefill(0, {150})), "token 150 is outside the vocabulary of 150");
  says(message(decoder.step({{0, -1}})), "token -1 is outside");
  ASSERT_TRUE(decoder.prefill(0, tokens(8)));
  says(message(decoder.step({{0, 1}})), "context of 8 tokens is full");
  with.weights = "int5";
  says(message(FastDecoder::load(model, with)), "\"int5\" is no form of weights");
  with = options("int4", "");
  with.group = 40;
  says(message(FastDecoder::load(model, with)),
       "groups of 40 do not divide a row of 64 (model.layers.0.self_attn.q_proj.weight)");
  with = options("f32", "");
  with.cache = "int8";
  says(message(FastDecoder::load(model, with)), "\"int8\" is no form of the key-value cache");
  says(message(FastDecoder::load(model, options("f32", "sse9"))), "unknown instruction set \"sse9\"");

  QuantTensor grouped;
  grouped.spec = {.bits = 8, .group = 32, .quantize_activations = true};
  grouped.rows = grouped.columns = 64;
  grouped.codes.assign(64 * 64, 1);
  grouped.scales.assign(128, 0.5F);
  held->set("model.layers.1.mlp.up_proj.weight", grouped);
  says(message(FastDecoder::load(model, options("as-stored", ""))),
       "the tensor is [64, 64], the configuration asks for [96, 64]");
  grouped.rows = 96;
  grouped.codes.assign(96 * 64, 1);
  grouped.scales.assign(192, 0.5F);
  held->set("model.layers.1.mlp.up_proj.weight", grouped);
  says(message(FastDecoder::load(model, options("as-stored", ""))), "use the plain runtime for this model");
}

}  // namespace
}  // namespace tqm::compress
