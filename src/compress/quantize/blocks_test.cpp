#include "compress/quantize/blocks.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "base/file.hpp"
#include "base/random.hpp"
#include "compress/model/memory_weights.hpp"
#include "compress/quantize/overlay.hpp"
#include "compress/quantize/repair.hpp"

namespace tqm::compress {
namespace {
namespace fs = std::filesystem;

ModelConfig four_blocks() {
  ModelConfig config;
  config.vocab = 50;
  config.hidden = 32;
  config.intermediate = 64;
  config.layers = 4;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 8;
  config.tied_embeddings = true;
  return config;
}

std::vector<std::vector<int32_t>> windows_of(size_t count, size_t length, uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<int32_t>> windows(count, std::vector<int32_t>(length));
  for (auto& window : windows)
    for (int32_t& token : window) token = static_cast<int32_t>(random.below(50));
  return windows;
}

// Stops the work at a block, as a signal would between two commits.
class StopsAt : public WeightSource {
 public:
  StopsAt(std::shared_ptr<WeightSource> under, int64_t layer) : under_(std::move(under)), layer_(layer) {}
  const std::vector<TensorInfo>& tensors() const override { return under_->tensors(); }
  bool has(const std::string& name) const override { return under_->has(name); }
  Result<Weight> load(const std::string& name) const override {
    if (layer_of(name) == layer_) return Error{ErrorKind::stopped, "stopped", name, ""};
    return under_->load(name);
  }
  void release(const std::string& name) const override { under_->release(name); }

 private:
  std::shared_ptr<WeightSource> under_;
  int64_t layer_;
};

class Blocks : public ::testing::Test {
 protected:
  Blocks() : folder_(std::move(TemporaryFolder::make("tqm-blocks")).take()) {}

  task::Session session() {
    task::SessionOptions options;
    options.quiet = true;
    options.environment = task::TaskEnvironment{};
    return std::move(task::Session::start(options)).take();
  }
  task::CheckpointFolder checkpoint(const std::string& name) {
    task::CheckpointOptions options;
    options.folder = folder_.path() / name;
    options.fingerprint = Json{{"work", "test"}};
    return std::move(task::CheckpointFolder::open(options)).take();
  }
  Plan plan_for(const Model& model, const QuantSpec& spec) {
    return std::move(make_plan({spec, {}, {}}, model.config, *model.weights)).take().plan;
  }
  std::map<std::string, QuantTensor> all(const task::CheckpointFolder& folder, const Plan& plan) {
    std::map<std::string, QuantTensor> tensors;
    for (const auto& [name, spec] : plan)
      tensors[name] = std::move(load_quantized(folder, name, layer_of(name))).take();
    return tensors;
  }

  TemporaryFolder folder_;
};

TEST_F(Blocks, WhatWasStoppedAtAnyBlockGoesOnToTheSameBytes) {
  auto [model, weights] = random_model(four_blocks());
  const Plan plan = plan_for(model, {4, 32, true, false});
  const auto windows = windows_of(6, 24, 1);
  task::Session live = session();
  BlocksOptions options;
  options.plain.rows_per_step = 48;  // three batches
  task::CheckpointFolder whole = checkpoint("whole");
  auto records = quantize_blocks(model, plan, windows, options, whole, live);
  ASSERT_TRUE(records.ok()) << records.error().message();
  EXPECT_EQ(records->size(), 28U);
  const auto expected = all(whole, plan);
  for (const double interval : {0.0, 1e9}) {  // hidden states kept at every block, never
    for (int64_t layer = 0; layer < 4; ++layer) {
      options.hidden_interval_seconds = interval;
      const std::string name = "at-" + std::to_string(layer) + (interval > 0 ? "-again" : "-kept");
      {
        Model stopped = model;
        stopped.weights = std::make_shared<StopsAt>(weights, layer);
        task::CheckpointFolder folder = checkpoint(name);
        auto first = quantize_blocks(stopped, plan, windows, options, folder, live);
        ASSERT_FALSE(first.ok());
        EXPECT_EQ(first.error().kind, ErrorKind::stopped);
      }
      task::CheckpointFolder folder = checkpoint(name);
      auto second = quantize_blocks(model, plan, windows, options, folder, live);
      ASSERT_TRUE(second.ok()) << second.error().message();
      EXPECT_EQ(second->size(), 28U);
      EXPECT_EQ(all(folder, plan), expected) << name;
    }
  }
}

TEST_F(Blocks, ScratchBeyondItsBoundIsWorkedOutTwiceToTheSameBytes) {
  auto [model, weights] = random_model(four_blocks());
  const Plan plan = plan_for(model, {3, 0, false, false});
  const auto windows = windows_of(4, 16, 2);
  task::Session live = session();
  BlocksOptions options;
  task::CheckpointFolder kept = checkpoint("kept"), twice = checkpoint("twice");
  ASSERT_TRUE(quantize_blocks(model, plan, windows, options, kept, live).ok());
  options.scratch_bytes = 0;
  ASSERT_TRUE(quantize_blocks(model, plan, windows, options, twice, live).ok());
  EXPECT_EQ(all(kept, plan), all(twice, plan));
}

TEST_F(Blocks, GptqSaysWhatItNeedsAndNamesNumbersThatBrokeDown) {
  auto [model, weights] = random_model(four_blocks());
  const Plan plan = plan_for(model, {4, 32, true, false});
  task::Session live = session();
  task::CheckpointFolder folder = checkpoint("none");
  auto none = quantize_blocks(model, plan, {}, {}, folder, live);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message(),
            "GPTQ needs calibration text (--calibration): name a text file, or use --method rtn");
  weights->set("model.layers.1.input_layernorm.weight",
               tensor::HostTensor::of_floats({32}, std::vector<float>(32, 3e38F)));
  auto broken = quantize_blocks(model, plan, windows_of(2, 16, 3), {}, folder, live);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().kind, ErrorKind::breakdown);
  EXPECT_NE(broken.error().what.find("block 1"), std::string::npos);
}

TEST_F(Blocks, ARepairPutsBackWhatCostsMost) {
  auto [model, weights] = random_model(four_blocks());
  const Plan plan = plan_for(model, {3, 32, true, false});
  task::Session live = session();
  task::CheckpointFolder folder = checkpoint("repair");
  BlocksOptions options;
  options.method = Method::rtn;
  ASSERT_TRUE(quantize_blocks(model, plan, {}, options, folder, live).ok());
  const Model compressed = overlay(model, quantized_weights(model, plan, plan, folder));
  const auto windows = windows_of(4, 32, 4);
  auto restored = [&](const std::string& name) -> Result<QuantTensor> {
    QuantSpec spec = plan.at(name);
    spec.bits = 8;
    return rounded(model, name, spec);
  };
  auto gains = measure_units(model, compressed, plan, restored, windows, {}, live);
  ASSERT_TRUE(gains.ok()) << gains.error().message();
  ASSERT_EQ(gains->size(), 16U);
  const auto ordered = order_by_gain(*gains);
  std::set<std::string> labels;
  for (const UnitGain& gain : ordered) {
    labels.insert(gain.unit.label());
    EXPECT_GT(gain.added_bytes, 0U);
  }
  EXPECT_EQ(labels.size(), 16U);
  // What a trial measured is what the mix measures: the first unit put back, whole model against whole model.
  auto kl_of = [&](const Plan& mix) {
    const Model mixed = overlay(model, quantized_weights(model, plan, mix, folder));
    const PairScores pair = std::move(score_windows_pair(model, mixed, windows, {})).take();
    double sum = 0, count = 0;
    for (const WindowScore& score : pair.compressed)
      for (const float kl : score.kl) sum += kl, ++count;
    return sum / count;
  };
  const double none = kl_of(plan);
  EXPECT_NEAR(none - kl_of(raise_units(plan, ordered, 1)), ordered[0].kl_gain, 1e-4 * none);
  EXPECT_LT(kl_of(raise_units(plan, ordered, 8)), 0.7 * none);
  EXPECT_LT(kl_of(raise_units(plan, ordered, 16)), 0.05 * none);
}

TEST(Repair, TheFewestUnitsThatReachTheTargetAreFoundByBisection) {
  int measured = 0;
  auto loss_of = [&](size_t count) -> Result<double> {
    ++measured;
    return 0.1 / (1 + static_cast<double>(count));
  };
  auto choice = choose_count(120, 0.01, 0.1, loss_of, 8);
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->count, 9U);  // 0.1 / 10
  EXPECT_LE(measured, 8);
  auto all = choose_count(5, 1e-9, 0.1, loss_of, 8);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->count, 5U);
  EXPECT_DOUBLE_EQ(all->loss, 0.1 / 6);
}

}  // namespace
}  // namespace tqm::compress
