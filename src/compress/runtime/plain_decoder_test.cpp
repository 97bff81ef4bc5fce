#include "compress/runtime/plain_decoder.hpp"

#include <ATen/core/Tensor.h>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include "compress/model/memory_weights.hpp"
#include "compress/model/rope.hpp"
#include "compress/runtime/plain_block.hpp"
#include "compress/runtime/plain_generator.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

using Rows = std::vector<std::vector<double>>;

ModelConfig small_config() {
  ModelConfig config;
  config.vocab = 40;
  config.hidden = 16;
  config.intermediate = 24;
  config.layers = 2;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 6;
  return config;
}

std::vector<int32_t> some_tokens(size_t count, unsigned seed, int64_t vocab = 40) {
  std::mt19937 random(seed);
  std::vector<int32_t> tokens(count);
  for (int32_t& token : tokens) token = static_cast<int32_t>(random() % static_cast<unsigned>(vocab));
  return tokens;
}

// The decoder a second time, in scalar double precision, straight from its definition.
class Reference {
 public:
  explicit Reference(const Model& model) : model_(model), config_(model.config) {}

  Rows logits(const std::vector<int32_t>& tokens) const {
    Rows hidden;
    const auto embedding = matrix("model.embed_tokens.weight");
    for (const int32_t token : tokens) hidden.push_back(embedding[static_cast<size_t>(token)]);
    for (int64_t layer = 0; layer < config_.layers; ++layer) {
      const std::string block = "model.layers." + std::to_string(layer) + ".";
      const Rows mixed =
          linear(attention(norm(hidden, block + "input_layernorm.weight"), block), block + "self_attn.o_proj");
      add(hidden, mixed);
      const Rows x = norm(hidden, block + "post_attention_layernorm.weight");
      Rows gate = linear(x, block + "mlp.gate_proj");
      const Rows up = linear(x, block + "mlp.up_proj");
      for (size_t t = 0; t < gate.size(); ++t)
        for (size_t i = 0; i < gate[t].size(); ++i) gate[t][i] *= up[t][i] / (1 + std::exp(-gate[t][i]));
      add(hidden, linear(gate, block + "mlp.down_proj"));
    }
    return multiply(norm(hidden, "model.norm.weight"),
                    matrix(config_.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight"));
  }

 private:
  Rows matrix(const std::string& name) const {
    const tensor::HostTensor host = plain(*model_.weights->load(name));
    const auto width = static_cast<size_t>(host.shape.back());
    Rows rows;
    for (size_t i = 0; i < static_cast<size_t>(host.count()); i += width)
      rows.emplace_back(host.f32() + i, host.f32() + i + width);
    return rows;
  }
  static Rows multiply(const Rows& x, const Rows& weight) {
    Rows y;
    for (const auto& row : x) {
      y.emplace_back();
      for (const auto& w : weight) {
        double sum = 0;
        for (size_t i = 0; i < row.size(); ++i) sum += row[i] * w[i];
        y.back().push_back(sum);
      }
    }
    return y;
  }
  Rows linear(const Rows& x, const std::string& name) const {
    Rows y = multiply(x, matrix(name + ".weight"));
    if (model_.weights->has(name + ".bias"))
      for (auto& row : y)
        for (size_t i = 0; i < row.size(); ++i) row[i] += matrix(name + ".bias")[0][i];
    return y;
  }
  static void add(Rows& to, const Rows& what) {
    for (size_t t = 0; t < to.size(); ++t)
      for (size_t i = 0; i < to[t].size(); ++i) to[t][i] += what[t][i];
  }
  std::vector<double> norm(const std::vector<double>& x, const std::vector<double>& weight) const {
    double squares = 0;
    for (const double value : x) squares += value * value;
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(x.size()) + config_.rms_norm_eps);
    std::vector<double> y(x);
    for (size_t i = 0; i < y.size(); ++i) y[i] *= inverse * weight[i];
    return y;
  }
  Rows norm(const Rows& x, const std::string& name) const {
    const auto weight = matrix(name)[0];
    Rows y;
    for (const auto& row : x) y.push_back(norm(row, weight));
    return y;
  }
  // One head's slice of one token, normed and turned.
  std::vector<double> head_of(const std::vector<double>& row, size_t head, size_t position,
                              const std::string& norm_name) const {
    const auto size = static_cast<size_t>(config_.head_dim);
    const auto first = row.begin() + static_cast<int64_t>(head * size);
    std::vector<double> x(first, first + config_.head_dim);
    if (config_.qk_norm) x = norm(x, matrix(norm_name)[0]);
    std::vector<double> y(x);
    const auto frequencies = rope_inverse_frequencies(config_);
    for (size_t i = 0; i < size / 2; ++i) {
      const double angle = static_cast<double>(position) * static_cast<double>(frequencies[i]);
      y[i] = x[i] * std::cos(angle) - x[i + size / 2] * std::sin(angle);
      y[i + size / 2] = x[i + size / 2] * std::cos(angle) + x[i] * std::sin(angle);
    }
    return y;
  }
  Rows attention(const Rows& x, const std::string& block) const {
    const Rows q = linear(x, block + "self_attn.q_proj"), k = linear(x, block + "self_attn.k_proj"),
               v = linear(x, block + "self_attn.v_proj");
    const auto size = static_cast<size_t>(config_.head_dim);
    Rows mixed(x.size());
    for (size_t t = 0; t < x.size(); ++t)
      for (size_t head = 0; head < static_cast<size_t>(config_.heads); ++head) {
        const size_t shared = head / static_cast<size_t>(config_.heads / config_.kv_heads);
        const auto query = head_of(q[t], head, t, block + "self_attn.q_norm.weight");
        std::vector<double> weights;
        double total = 0;
        for (size_t s = 0; s <= t; ++s) {
          const auto key = head_of(k[s], shared, s, block + "self_attn.k_norm.weight");
          double dot = 0;
          for (size_t i = 0; i < size; ++i) dot += query[i] * key[i];
          weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(size))));
          total += weights.back();
        }
        for (size_t i = 0; i < size; ++i) {
          double sum = 0;
          for (size_t s = 0; s <= t; ++s) sum += weights[s] / total * v[s][shared * size + i];
          mixed[t].push_back(sum);
        }
      }
    return mixed;
  }

  const Model& model_;
  const ModelConfig& config_;
};

void expect_equal(const tensor::HostTensor& got, const Rows& wanted, double within) {
  ASSERT_EQ(got.shape,
            (std::vector<int64_t>{static_cast<int64_t>(wanted.size()), static_cast<int64_t>(wanted[0].size())}));
  double worst = 0;
  const float* value = got.f32();
  for (const auto& row : wanted)
    for (const double x : row) worst = std::max(worst, std::abs(x - static_cast<double>(*value++)));
  EXPECT_LT(worst, within);
}

class EveryOption : public testing::TestWithParam<std::pair<const char*, void (*)(ModelConfig&)>> {};

TEST_P(EveryOption, GivesTheLogitsOfTheDefinition) {
  ModelConfig config = small_config();
  GetParam().second(config);
  const auto [model, weights] = random_model(config);
  const auto tokens = some_tokens(11, 3);
  const auto got = logits(model, tokens, {});
  ASSERT_TRUE(got.ok()) << got.error().message();
  expect_equal(*got, Reference(model).logits(tokens), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    PlainDecoder, EveryOption,
    testing::Values(std::pair{"plain", +[](ModelConfig&) {}},  //
                    std::pair{"one_head_each", +[](ModelConfig& c) { c.kv_heads = c.heads; }},
                    std::pair{"one_shared_head", +[](ModelConfig& c) { c.kv_heads = 1; }},
                    std::pair{"tied", +[](ModelConfig& c) { c.tied_embeddings = true; }},
                    std::pair{"qkv_bias", +[](ModelConfig& c) { c.qkv_bias = true; }},
                    std::pair{"all_biases", +[](ModelConfig& c) { c.qkv_bias = c.o_bias = c.mlp_bias = true; }},
                    std::pair{"qk_norm", +[](ModelConfig& c) { c.qk_norm = true; }},
                    std::pair{"linear_rope", +[](ModelConfig& c) { c.linear_rope_factor = 4; }},
                    std::pair{"llama3_rope", +[](ModelConfig& c) { c.llama3_rope = Llama3Rope{8, 1, 4, 16}; }},
                    std::pair{"rope_factors", +[](ModelConfig& c) { c.rope_frequency_factors = {1, 2, 8}; }}),
    [](const auto& option) { return std::string(option.param.first); });

TEST(Rope, Llama3ScalingStretchesLongWavelengthsOnly) {
  ModelConfig config = small_config();
  config.head_dim = 64;
  config.rope_theta = 500000;
  const auto plain = rope_inverse_frequencies(config);
  config.llama3_rope = Llama3Rope{};
  const auto scaled = rope_inverse_frequencies(config);
  ASSERT_EQ(scaled.size(), 32U);
  EXPECT_EQ(scaled.front(), plain.front());
  EXPECT_FLOAT_EQ(scaled.back(), plain.back() / 8);
  bool between = false;
  for (size_t i = 0; i < scaled.size(); ++i) between |= scaled[i] < plain[i] && scaled[i] > plain[i] / 8 * 1.001F;
  EXPECT_TRUE(between);
}

TEST(PlainDecoder, ScoresAreTheLogSoftmaxOfTheLogits) {
  const auto [model, weights] = random_model(small_config());
  const auto tokens = some_tokens(9, 5);
  const auto scores = score_windows(model, {tokens}, {});
  ASSERT_TRUE(scores.ok()) << scores.error().message();
  const WindowScore& score = (*scores)[0];
  ASSERT_EQ(score.nll.size(), 8U);
  const Rows reference = Reference(model).logits(tokens);
  for (size_t i = 0; i < 8; ++i) {
    double total = 0;
    size_t best = 0;
    for (size_t c = 0; c < reference[i].size(); ++c) {
      total += std::exp(reference[i][c]);
      if (reference[i][c] > reference[i][best]) best = c;
    }
    EXPECT_NEAR(score.nll[i], std::log(total) - reference[i][static_cast<size_t>(tokens[i + 1])], 1e-4);
    EXPECT_EQ(score.argmax[i], static_cast<int32_t>(best));
    EXPECT_EQ(score.top1[i], static_cast<int32_t>(best) == tokens[i + 1] ? 1 : 0);
  }
}

TEST(PlainDecoder, AWindowScoresTheSameAloneAndAmongOthers) {
  const auto [model, weights] = random_model(small_config());
  std::vector<std::vector<int32_t>> windows;
  for (const size_t length : {5, 17, 2, 9, 17, 1, 0, 30})
    windows.push_back(some_tokens(length, static_cast<unsigned>(length) + 7));
  for (const int64_t rows : {1, 20, 4096}) {
    PlainOptions options;
    options.rows_per_step = rows;
    const auto together = score_windows(model, windows, options);
    ASSERT_TRUE(together.ok()) << together.error().message();
    for (size_t i = 0; i < windows.size(); ++i) {
      const auto alone = score_windows(model, {windows[i]}, {});
      ASSERT_TRUE(alone.ok());
      const auto &a = (*together)[i].nll, &b = (*alone)[0].nll;
      ASSERT_EQ(a.size(), windows[i].empty() ? 0 : windows[i].size() - 1);
      ASSERT_EQ(a.size(), b.size());
      for (size_t t = 0; t < a.size(); ++t) EXPECT_NEAR(a[t], b[t], 1e-5);
    }
  }
}

TEST(PlainDecoder, ABlocksStepDoesNotChangeItsOutput) {
  const auto [model, weights] = random_model(small_config());
  const std::vector<std::vector<int32_t>> windows{some_tokens(7, 1), some_tokens(7, 2), some_tokens(7, 3)};
  const auto hidden = embed(model, windows, {});
  ASSERT_TRUE(hidden.ok());
  PlainOptions one_by_one;
  one_by_one.rows_per_step = 7;
  const auto whole = PlainBlock::load(model, 0, {}), pieces = PlainBlock::load(model, 0, one_by_one);
  ASSERT_TRUE(whole.ok() && pieces.ok());
  EXPECT_TRUE(whole->forward(*hidden).allclose(pieces->forward(*hidden), 1e-5, 1e-6));
}

TEST(PlainDecoder, ProgressCountsBlocksAndCanEndTheWork) {
  const auto [model, weights] = random_model(small_config());
  std::vector<int64_t> seen;
  const auto done = score_windows(model, {some_tokens(4, 1)}, {}, [&](int64_t block, int64_t blocks) {
    EXPECT_EQ(blocks, 2);
    seen.push_back(block);
    return Status();
  });
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2}));
  const auto ended = score_windows(model, {some_tokens(4, 1)}, {}, [](int64_t block, int64_t) {
    return block == 1 ? Status(Error{ErrorKind::stopped, "stopped", "", ""}) : Status();
  });
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().kind, ErrorKind::stopped);
}

TEST(PlainDecoder, EveryTensorIsReleasedAfterUse) {
  const auto [model, weights] = random_model(small_config());
  ASSERT_TRUE(score_windows(model, {some_tokens(4, 1)}, {}).ok());
  for (const TensorInfo& info : weights->tensors()) EXPECT_TRUE(weights->released.contains(info.name)) << info.name;
}

// Round to nearest, per row.
QuantTensor quantized(const tensor::HostTensor& weight, bool activations) {
  QuantTensor q;
  q.spec.quantize_activations = activations;
  q.rows = weight.shape[0];
  q.columns = weight.shape[1];
  for (int64_t r = 0; r < q.rows; ++r) {
    const float* row = weight.f32() + r * q.columns;
    float largest = 0;
    for (int64_t c = 0; c < q.columns; ++c) largest = std::max(largest, std::abs(row[c]));
    q.scales.push_back(round_scale(largest / 127, true));
    for (int64_t c = 0; c < q.columns; ++c)
      q.codes.push_back(static_cast<int8_t>(std::clamp(std::nearbyint(row[c] / q.scales.back()), -127.F, 127.F)));
  }
  return q;
}

TEST(PlainDecoder, AQuantisedWeightIsDequantised) {
  const auto [model, weights] = random_model(small_config());
  const std::string name = "model.layers.0.mlp.up_proj.weight";
  weights->set(name, quantized(plain(*weights->load(name)), false));
  const auto tokens = some_tokens(6, 2);
  const auto got = logits(model, tokens, {});
  ASSERT_TRUE(got.ok());
  expect_equal(*got, Reference(model).logits(tokens), 1e-4);
}

TEST(PlainDecoder, TheTapSeesEachLayersInputAndReplacePutsAnother) {
  const auto [model, weights] = random_model(small_config());
  auto block = PlainBlock::load(model, 1, {});
  ASSERT_TRUE(block.ok());
  const auto hidden = embed(model, {some_tokens(5, 1), some_tokens(5, 2)}, {});
  std::map<std::string, at::Tensor> inputs;
  std::vector<std::string> order;
  const at::Tensor before = block->forward(*hidden, [&](const std::string& name, const at::Tensor& input) {
    order.push_back(name);
    inputs[name] = input;
  });
  EXPECT_EQ(order, linear_names(model.config, 1));
  EXPECT_EQ(inputs[order[0]].sizes(), (std::vector<int64_t>{10, 16}));
  EXPECT_TRUE(inputs[order[0]].is_same(inputs[order[1]]) || inputs[order[0]].equal(inputs[order[1]]));
  EXPECT_EQ(inputs[order[6]].sizes(), (std::vector<int64_t>{10, 24}));

  const QuantTensor other = quantized(plain(*weights->load(order[3])), false);
  block->replace(order[3], other);
  EXPECT_TRUE(tensor::to_host(block->weight(order[3])).floats() == other.dequantize().floats());
  EXPECT_FALSE(before.equal(block->forward(*hidden)));
}

// compressed-tensors 0.19's token strategy on these two rows (dynamic, symmetric, 8 bits).
TEST(PlainDecoder, ActivationsAreQuantisedByTheTokenAsCompressedTensorsDoes) {
  const at::Tensor x = tensor::to_torch(
      tensor::HostTensor::of_floats({3, 4}, {1.0F, -0.5F, 0.3F, 0.0F, -2.0F, 2.0F, 0.02F, 1.0F, 0, 0, 0, 0}),
      c10::Device(c10::DeviceType::CPU));
  const auto got = tensor::to_host(fake_quantize_tokens(x)).floats();
  const std::vector<float> wanted{0.9960785F,   -0.5019608F, 0.29803923F, 0.0F, -1.992157F, 1.992157F,
                                  0.015686275F, 1.0039216F,  0.0F,        0.0F, 0.0F,       0.0F};
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], wanted[i]) << i;
}

TEST(PlainDecoder, ActivationsAreQuantisedOnlyWhereTheFormatSaysSo) {
  const auto [model, weights] = random_model(small_config());
  const auto names = linear_names(model.config, 0);
  const auto hidden = embed(model, {some_tokens(5, 1)}, {});
  const QuantTensor q = quantized(plain(*weights->load(names[6])), true);
  auto block = PlainBlock::load(model, 0, {});
  ASSERT_TRUE(block.ok());
  at::Tensor input, after_attention;
  weights->set(names[6], q);
  auto quantized_block = PlainBlock::load(model, 0, {});
  ASSERT_TRUE(quantized_block.ok());
  QuantTensor weight_only = q;
  weight_only.spec.quantize_activations = false;
  block->replace(names[6], weight_only);
  const at::Tensor plain_out = block->forward(*hidden, [&](const std::string& name, const at::Tensor& x) {
    if (name == names[6]) input = x;
  });
  const at::Tensor quantized_out = quantized_block->forward(*hidden);
  const at::Tensor wanted = fake_quantize_tokens(input).sub(input).matmul(block->weight(names[6]).t());
  EXPECT_TRUE(quantized_out.sub(plain_out)[0].allclose(wanted, 1e-3, 1e-5));
}

TEST(PlainDecoder, TwoModelsOverTheSameWindowsGiveTheirDivergence) {
  const auto [model, weights] = random_model(small_config());
  auto [other, other_weights] = random_model(small_config());
  const std::string name = "lm_head.weight";
  other_weights->set(name, quantized(plain(*weights->load(name)), false));
  const std::vector<std::vector<int32_t>> windows{some_tokens(6, 1), some_tokens(9, 2)};
  const auto pair = score_windows_pair(model, other, windows, {});
  ASSERT_TRUE(pair.ok()) << pair.error().message();
  const auto alone = score_windows(model, windows, {});
  for (size_t w = 0; w < windows.size(); ++w) {
    const Rows p = Reference(model).logits(windows[w]), q = Reference(other).logits(windows[w]);
    ASSERT_EQ(pair->compressed[w].kl.size(), windows[w].size() - 1);
    EXPECT_TRUE(pair->original[w].kl.empty());
    EXPECT_EQ(pair->original[w].argmax, (*alone)[w].argmax);
    for (size_t t = 0; t + 1 < windows[w].size(); ++t) {
      double zp = 0, zq = 0, kl = 0;
      for (size_t c = 0; c < p[t].size(); ++c) zp += std::exp(p[t][c]), zq += std::exp(q[t][c]);
      for (size_t c = 0; c < p[t].size(); ++c)
        kl += std::exp(p[t][c]) / zp * (p[t][c] - std::log(zp) - q[t][c] + std::log(zq));
      EXPECT_NEAR(pair->compressed[w].kl[t], kl, 1e-5);
      EXPECT_NEAR(pair->original[w].nll[t], (*alone)[w].nll[t], 1e-5);
    }
  }
  const auto same = score_windows_pair(model, model, windows, {});
  ASSERT_TRUE(same.ok());
  for (const float kl : same->compressed[1].kl) EXPECT_EQ(kl, 0);
}

TEST(PlainDecoder, DifferentVocabulariesAreRefused) {
  const auto [model, weights] = random_model(small_config());
  ModelConfig config = small_config();
  config.vocab = 41;
  const auto [other, other_weights] = random_model(config);
  const auto pair = score_windows_pair(model, other, {some_tokens(4, 1)}, {});
  ASSERT_FALSE(pair.ok());
  EXPECT_EQ(pair.error().what, "the models have different vocabularies: 40 and 41 tokens");
}

TEST(PlainDecoder, ATokenOutsideTheVocabularyIsRefused) {
  const auto [model, weights] = random_model(small_config());
  for (const int32_t token : {-1, 40}) {
    const auto scores = score_windows(model, {{1, token}}, {});
    ASSERT_FALSE(scores.ok());
    EXPECT_EQ(scores.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(scores.error().what, "token id " + std::to_string(token) + " is outside the vocabulary of 40");
    EXPECT_FALSE(embed(model, {{token}}, {}).ok());
    EXPECT_FALSE(logits(model, {token}, {}).ok());
  }
}

TEST(PlainDecoder, AWeightOfAnotherShapeIsRefused) {
  for (const std::string name : {"model.layers.1.mlp.down_proj.weight", "model.embed_tokens.weight"}) {
    const auto [model, weights] = random_model(small_config());
    weights->set(name, tensor::HostTensor::of_floats({2, 3}, std::vector<float>(6)));
    const auto scores = score_windows(model, {some_tokens(4, 1)}, {});
    ASSERT_FALSE(scores.ok());
    EXPECT_EQ(scores.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(scores.error().where, name);
    EXPECT_TRUE(scores.error().what.starts_with("the tensor is [2, 3], the configuration asks for ["));
  }
}

TEST(PlainDecoder, ALossThatIsNotANumberIsABreakdown) {
  const auto [model, weights] = random_model(small_config());
  weights->set("model.norm.weight",
               tensor::HostTensor::of_floats({16}, std::vector<float>(16, std::numeric_limits<float>::infinity())));
  const auto scores = score_windows(model, {some_tokens(4, 1)}, {});
  ASSERT_FALSE(scores.ok());
  EXPECT_EQ(scores.error().kind, ErrorKind::breakdown);
  EXPECT_EQ(scores.error().what, "the model's loss on window 0 is not a number");
}

TEST(PlainDecoder, AnAbsentDeviceIsRefused) {
  const auto [model, weights] = random_model(small_config());
  PlainOptions options;
  options.device = "cuda:77";
  EXPECT_EQ(score_windows(model, {}, options).error().what, "no device \"cuda:77\" on this machine");
}

TEST(PlainGenerator, StepByStepGivesTheLogitsOfTheWholeWindow) {
  ModelConfig config = small_config();
  config.qk_norm = true;
  const auto [model, weights] = random_model(config);
  const auto tokens = some_tokens(12, 4);
  const auto whole = logits(model, tokens, {});
  ASSERT_TRUE(whole.ok());
  auto generator = PlainGenerator::load(model, {});
  ASSERT_TRUE(generator.ok()) << generator.error().message();
  const auto expect_row = [&](size_t row, const Result<std::vector<float>>& got) {
    ASSERT_TRUE(got.ok()) << got.error().message();
    ASSERT_EQ(got->size(), 40U);
    for (size_t c = 0; c < 40; ++c) EXPECT_NEAR((*got)[c], whole->f32()[row * 40 + c], 1e-4);
  };
  for (int again = 0; again < 2; ++again) {  // prefill forgets
    expect_row(7, generator->prefill({tokens.begin(), tokens.begin() + 8}));
    for (size_t i = 8; i < tokens.size(); ++i) expect_row(i, generator->step(tokens[i]));
    EXPECT_EQ(generator->position(), 12);
  }
  EXPECT_GE(generator->cache_bytes(), 12U * 2 * 2 * 2 * 6 * sizeof(float));
}

TEST(PlainGenerator, GoesOnBeyondTheFirstAllocation) {
  const auto [model, weights] = random_model(small_config());
  const auto tokens = some_tokens(300, 8);
  auto generator = PlainGenerator::load(model, {});
  ASSERT_TRUE(generator.ok());
  ASSERT_TRUE(generator->prefill({tokens.begin(), tokens.begin() + 250}).ok());
  Result<std::vector<float>> last = std::vector<float>();
  for (size_t i = 250; i < tokens.size(); ++i) last = generator->step(tokens[i]);
  ASSERT_TRUE(last.ok());
  const auto whole = logits(model, tokens, {});
  for (size_t c = 0; c < 40; ++c) EXPECT_NEAR((*last)[c], whole->f32()[299 * 40 + c], 1e-4);
}

TEST(PlainGenerator, RefusesNoTokensAndTokensOutsideTheVocabulary) {
  const auto [model, weights] = random_model(small_config());
  auto generator = PlainGenerator::load(model, {});
  ASSERT_TRUE(generator.ok());
  EXPECT_EQ(generator->prefill({}).error().what, "no tokens to read");
  EXPECT_EQ(generator->step(40).error().what, "token id 40 is outside the vocabulary of 40");
}

}  // namespace
}  // namespace tqm::compress
