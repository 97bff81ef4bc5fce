#include "compress/evaluate/baseline.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "compress/model/memory_weights.hpp"

namespace tqm::compress {
namespace {

ModelConfig small() {
  ModelConfig config;
  config.vocab = 30;
  config.hidden = 16;
  config.intermediate = 24;
  config.layers = 1;
  config.heads = 2;
  config.kv_heads = 2;
  config.head_dim = 8;
  return config;
}

TEST(Baseline, ScoresOnceAndFindsThemAgainUnlessTheFileIsDamaged) {
  const TemporaryFolder folder = std::move(TemporaryFolder::make("tqm-baseline")).take();
  auto [model, weights] = random_model(small());
  model.path = folder.path() / "model";
  ASSERT_TRUE(write_file_atomic(model.path, "stands for the model's file").ok());
  const std::vector<std::vector<int32_t>> windows{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 1, 2, 3}};
  const auto scores_of = [&](const std::vector<std::vector<int32_t>>& wanted, int64_t computed) {
    Baseline baseline = std::move(Baseline::open(model, folder.path() / "scores", {})).take();
    auto scores = std::move(baseline.scores(wanted)).take();
    EXPECT_EQ(baseline.computed(), computed);
    return scores;
  };
  const auto first = scores_of({windows[0], windows[1]}, 2);
  const auto second = scores_of({windows[2], windows[1]}, 1);
  EXPECT_EQ(second[1].nll, first[1].nll);
  EXPECT_EQ(second[1].argmax, first[1].argmax);
  EXPECT_EQ(scores_of({windows[1]}, 0)[0].top1, first[1].top1);
  const auto file = std::filesystem::directory_iterator(folder.path() / "scores")->path();
  std::string content = std::move(read_file(file)).take();
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
  ASSERT_TRUE(write_file_atomic(file, content).ok());
  EXPECT_EQ(scores_of({windows[1]}, 1)[0].nll, first[1].nll);
  // Another model has scores of its own.
  ASSERT_TRUE(write_file_atomic(model.path, "another model's file").ok());
  scores_of({windows[1]}, 1);
}

}  // namespace
}  // namespace tqm::compress
