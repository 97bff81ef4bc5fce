// The fast runtime's logits beside the plain path's, on tiny random models of each family and every form of weights.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "compress/model/memory_weights.hpp"
#include "compress/runtime/fast/fast_decoder.hpp"
#include "compress/runtime/plain_decoder.hpp"

namespace tqm::compress {
namespace {

QuantTensor quantized(const tensor::HostTensor& weight, const QuantSpec& spec) {
  QuantTensor made;
  made.spec = spec;
  made.rows = weight.shape[0];
  made.columns = weight.shape[1];
  const std::vector<float> values = weight.floats();
  const auto width = static_cast<size_t>(made.group_width());
  const float top = static_cast<float>(1 << (spec.bits - 1));
  for (size_t begin = 0; begin < values.size(); begin += width) {
    float low = 0, high = 0;
    for (size_t i = begin; i < begin + width; ++i) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    const float span = spec.symmetric ? std::max(-low, high) / (top - 0.5F) : (high - low) / (2 * top - 1);
    const float scale = round_scale(span, spec.symmetric);
    const float zero = spec.symmetric ? 0 : std::clamp(std::nearbyint(-top - low / scale), -top, top - 1);
    made.scales.push_back(scale);
    if (!spec.symmetric) made.zero_points.push_back(static_cast<int8_t>(zero));
    for (size_t i = begin; i < begin + width; ++i) {
      made.codes.push_back(static_cast<int8_t>(std::clamp(std::nearbyint(values[i] / scale) + zero, -top, top - 1)));
    }
  }
  return made;
}

// 4 bits with a float16 scale and minimum a block of 32, as GGUF's Q4_1.
BlockWeight blocks_of(const tensor::HostTensor& weight) {
  const auto half = [](float value) { return tensor::f16_to_float(tensor::float_to_f16(value)); };
  BlockWeight made;
  made.codes.spec = {.bits = 4, .group = 32};
  made.codes.rows = weight.shape[0];
  made.codes.columns = weight.shape[1];
  const std::vector<float> values = weight.floats();
  for (auto at = values.begin(); at != values.end(); at += 32) {
    const auto [low, high] = std::minmax_element(at, at + 32);
    const float scale = half((*high - *low) / 15), minimum = half(*low);
    made.codes.scales.push_back(scale);
    made.minimums.push_back(minimum);
    for (int i = 0; i < 32; ++i)
      made.codes.codes.push_back(
          static_cast<int8_t>(std::clamp(std::nearbyint((at[i] - minimum) / scale), 0.0F, 15.0F) - 8));
  }
  return made;
}

tensor::HostTensor unpacked(const BlockWeight& weight) {
  std::vector<float> values;
  for (size_t i = 0; i < weight.codes.codes.size(); ++i)
    values.push_back(weight.codes.scales[i / 32] * static_cast<float>(weight.codes.codes[i] + 8) +
                     weight.minimums[i / 32]);
  return tensor::HostTensor::of_floats({weight.codes.rows, weight.codes.columns}, std::move(values));
}

// rms(fast − plain) / rms(plain).
double distance(const std::vector<float>& fast, const std::vector<float>& plain) {
  EXPECT_EQ(fast.size(), plain.size());
  double error = 0, total = 0;
  for (size_t i = 0; i < fast.size(); ++i) {
    error += std::pow(static_cast<double>(fast[i] - plain[i]), 2);
    total += std::pow(static_cast<double>(plain[i]), 2);
  }
  return std::sqrt(error / total);
}

TEST(FastAgainstPlain, EveryFamilyAndForm) {
  for (const Family family : {Family::llama, Family::mistral, Family::qwen2, Family::qwen3}) {
    ModelConfig config;
    config.family = family;
    config.vocab = 90;
    config.hidden = 64;
    config.intermediate = 192;
    config.layers = 2;
    config.heads = 4;
    config.kv_heads = 2;
    config.head_dim = 16;
    config.tied_embeddings = family == Family::llama;
    config.qkv_bias = family == Family::qwen2;
    config.o_bias = config.mlp_bias = family == Family::mistral;
    config.qk_norm = family == Family::qwen3;
    if (family == Family::llama) config.llama3_rope = Llama3Rope{.original_max_position = 64};
    if (family == Family::mistral) config.linear_rope_factor = 2;

    std::vector<int32_t> tokens;
    for (int32_t i = 0; i < 37; ++i) tokens.push_back(i * 31 % 90);

    struct Case {
      const char* name;
      std::optional<QuantSpec> spec;
      double steps, prefill;  // bounds: token by token, and as one prompt (tiles round to bf16)
    };
    const std::vector<Case> cases = {
        {"f32", std::nullopt, 1e-5, 1e-5},
        {"int8", QuantSpec{.bits = 8}, 1e-3, 0.02},
        {"int8 g32 asymmetric", QuantSpec{.bits = 8, .group = 32, .symmetric = false}, 1e-3, 0.02},
        {"int4 g32", QuantSpec{.bits = 4, .group = 32}, 1e-3, 0.02},
        {"int4 g64 asymmetric", QuantSpec{.bits = 4, .group = 64, .symmetric = false}, 1e-3, 0.02},
        {"int3 g32", QuantSpec{.bits = 3, .group = 32}, 1e-3, 0.02},
        {"w8a8", QuantSpec{.bits = 8, .quantize_activations = true}, 0.02, 0.02},
        {"blocks of GGUF", std::nullopt, 1e-3, 0.02},
    };
    for (const Case& test : cases) {
      auto [model, held] = random_model(config);
      if (test.spec) {
        for (int64_t layer = 0; layer < config.layers; ++layer) {
          for (const std::string& name : linear_names(config, layer)) {
            held->set(name, quantized(plain(held->load(name).take()), *test.spec));
          }
        }
      }
      if (test.name == std::string("blocks of GGUF")) {
        for (const TensorInfo& info : std::vector<TensorInfo>(held->tensors())) {
          if (info.shape.size() != 2) continue;
          held->blocks[info.name] = blocks_of(plain(held->load(info.name).take()));
          held->set(info.name, unpacked(held->blocks[info.name]));
        }
      }
      const auto expected = logits(model, tokens, {}).take().floats();
      FastOptions options;
      options.threads = 2;
      options.cache = "f32";
      FastDecoder decoder = FastDecoder::load(model, options).take();
      if (!held->blocks.empty()) {
        EXPECT_EQ(decoder.kernels().find("f32"), std::string::npos) << decoder.kernels();
      }
      EXPECT_LT(distance(decoder.prefill_all(0, tokens).take(), expected), test.prefill) << test.name << " prefill";
      decoder.forget(0);
      std::vector<float> stepped;
      for (const int32_t token : tokens) {
        const auto row = decoder.step({{0, token}}).take();
        stepped.insert(stepped.end(), row.begin(), row.end());
      }
      EXPECT_LT(distance(stepped, expected), test.steps) << test.name << " steps, family " << static_cast<int>(family);
    }
  }
}

}  // namespace
}  // namespace tqm::compress
