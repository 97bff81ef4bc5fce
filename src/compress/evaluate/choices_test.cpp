#include "compress/evaluate/choices.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/file.hpp"
#include "compress/evaluate/byte_tokenizer.hpp"
#include "compress/model/memory_weights.hpp"

namespace tqm::compress {
namespace {

namespace fs = std::filesystem;

Result<std::vector<Question>> read(const std::string& content) {
  std::string name = (fs::temp_directory_path() / "choices-XXXXXX").string();
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path path = fs::path(name) / "q.jsonl";
  EXPECT_TRUE(write_file_atomic(path, content).ok());
  auto questions = read_questions(path);
  fs::remove_all(name);
  return questions;
}

TEST(Choices, AnAnswerIsANumberOrTheChoicesText) {
  const auto questions = read(
      "{\"context\": \"2 + 2 =\", \"choices\": [\" 3\", \" 4\"], \"answer\": 1}\r\n\n"
      "{\"context\": \"\", \"choices\": [\"a\", \"b\", \"c\"], \"answer\": \"c\"}\n");
  ASSERT_TRUE(questions.ok()) << questions.error().message();
  ASSERT_EQ(questions->size(), 2U);
  EXPECT_EQ((*questions)[0].context, "2 + 2 =");
  EXPECT_EQ((*questions)[0].answer, 1U);
  EXPECT_EQ((*questions)[1].choices.size(), 3U);
  EXPECT_EQ((*questions)[1].answer, 2U);
}

TEST(Choices, BadLinesAreRefusedByNumberAndReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1]", "the line is no object"},
      {"{\"choices\": [\"a\", \"b\"], \"answer\": 0}", "the line has no \"context\""},
      {"{\"context\": \"x\", \"answer\": 0}", "the line has no \"choices\""},
      {"{\"context\": \"x\", \"choices\": [\"a\", \"\"], \"answer\": 0}", "a choice is empty or no text"},
      {"{\"context\": \"x\", \"choices\": [\"a\"], \"answer\": 0}", "a question needs two choices or more"},
      {"{\"context\": \"x\", \"choices\": [\"a\", \"b\"]}", "the line has no \"answer\""},
      {"{\"context\": \"x\", \"choices\": [\"a\", \"b\"], \"answer\": 2}",
       "\"answer\" is 2, the choices are numbered 0 to 1"},
      {"{\"context\": \"x\", \"choices\": [\"a\", \"b\"], \"answer\": \"c\"}", "\"answer\" is not one of the choices"},
  };
  const std::string good = "{\"context\": \"x\", \"choices\": [\"a\", \"b\"], \"answer\": 0}\n";
  for (const auto& [line, what] : cases) {
    const auto questions = read(good + line);
    ASSERT_FALSE(questions.ok()) << line;
    EXPECT_EQ(questions.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(questions.error().what, what);
    EXPECT_TRUE(questions.error().where.ends_with("q.jsonl, line 2")) << questions.error().where;
  }
  EXPECT_EQ(read("\n").error().what, "the file holds no question");
}

Model byte_model(bool adds_bos) {
  ModelConfig config;
  config.vocab = 258;
  config.hidden = 16;
  config.intermediate = 24;
  config.layers = 1;
  config.heads = config.kv_heads = 2;
  config.head_dim = 8;
  Model model = random_model(config).first;
  model.tokenizer = std::make_shared<ByteTokenizer>(true, adds_bos);
  return model;
}

TEST(Choices, AChoicesLikelihoodIsThatOfItsOwnTokens) {
  const Model model = byte_model(true);
  const std::vector<Question> questions{{"ab ", {"cd", "月"}, 0}};
  const auto answers = answer_questions(model, questions, {});
  ASSERT_TRUE(answers.ok()) << answers.error().message();
  const auto scores = score_windows(model, {{256, 'a', 'b', ' ', 'c', 'd'}}, {});
  ASSERT_TRUE(scores.ok());
  const auto& nll = (*scores)[0].nll;  // of a, b, blank, c, d; the blank goes to the choice
  EXPECT_NEAR((*answers)[0].log_likelihoods[0], -(nll[2] + nll[3] + nll[4]), 1e-4);
  EXPECT_EQ((*answers)[0].characters, (std::vector<int64_t>{2, 1}));
}

TEST(Choices, AChoiceWithoutATokenOfItsOwnIsRefused) {
  const Model model = byte_model(false);
  const auto answers = answer_questions(model, {{"", {"a", "b"}, 0}}, {});
  ASSERT_FALSE(answers.ok());
  EXPECT_EQ(answers.error().what, "choice 0 of question 1 has no token of its own");
}

Answer answered(std::vector<double> likelihoods) {
  return {std::move(likelihoods), {2, 8}};
}

TEST(Choices, TheLikeliestWinsInSumOrByLength) {
  const Answer answer = answered({-4, -8});
  EXPECT_EQ(answer.by_sum(), 0U);
  EXPECT_EQ(answer.by_length(), 1U);
  EXPECT_EQ(answered({-4, -4}).by_sum(), 0U);
}

// Wilson's interval for 8 of 10: 0.4902 to 0.9433 (Newcombe, Statistics in Medicine 17 (1998) 857, method 3).
TEST(Choices, AccuracyHasAScoreInterval) {
  std::vector<Question> questions(10, Question{"x", {"a", "b"}, 0});
  std::vector<Answer> answers(10, answered({-1, -2}));
  answers[3] = answers[7] = answered({-2, -1});
  const auto result = accuracy(questions, answers);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->questions, 10);
  EXPECT_DOUBLE_EQ(result->by_sum.estimate, 0.8);
  EXPECT_NEAR(result->by_sum.low, 0.4902, 1e-4);
  EXPECT_NEAR(result->by_sum.high, 0.9433, 1e-4);
  EXPECT_EQ(accuracy({}, {}).error().what, "no questions");
}

TEST(Choices, TwoModelsAreComparedOnTheSameQuestions) {
  std::vector<Question> questions(100, Question{"x", {"a", "b"}, 0});
  std::vector<Answer> original(100, answered({-1, -5})), compressed = original;
  for (size_t i = 0; i < 10; ++i) compressed[i] = answered({-5, -1});
  for (size_t i = 10; i < 13; ++i) original[i] = answered({-5, -1});
  const auto change = compare_answers(questions, original, compressed, ChoiceRule::by_sum);
  ASSERT_TRUE(change.ok()) << change.error().message();
  EXPECT_EQ(change->counts.only_first, 10);
  EXPECT_EQ(change->counts.only_second, 3);
  EXPECT_NEAR(change->difference.estimate, -0.07, 1e-12);
  EXPECT_LT(change->difference.low, -0.07);
  EXPECT_GT(change->difference.high, -0.07);
  EXPECT_NEAR(change->test.exact, 0.0923, 1e-4);  // 2 · P(X ≤ 3), X binomial(13, 1/2)
}

}  // namespace
}  // namespace tqm::compress
