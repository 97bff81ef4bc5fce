// Multiple-choice questions: the model's answer is the choice it finds likeliest after the context.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/runtime/plain_decoder.hpp"
#include "stats/interval.hpp"
#include "stats/proportion.hpp"

namespace tqm::compress {

struct Question {
  std::string context;
  std::vector<std::string> choices;  // two or more, none empty
  size_t answer = 0;
};

// JSON lines {"context", "choices", "answer"}; answer is the choice's number from 0, or its text. bad_input names the
// line.
Result<std::vector<Question>> read_questions(const std::filesystem::path& path);

// What a model said to each choice of one question.
struct Answer {
  std::vector<double> log_likelihoods;  // of the choice's tokens, summed
  std::vector<int64_t> characters;      // of the choice, for the length-normalised form
  size_t by_sum() const;                // the likeliest; the first of equals
  size_t by_length() const;             // the likeliest a character
};

// Context and choice are encoded together, and what follows the tokens that context alone has is scored, as the common
// harnesses do (a context's trailing blanks go to the choice). BOS where the model expects one.
Result<std::vector<Answer>> answer_questions(const Model& model, const std::vector<Question>& questions,
                                             const PlainOptions& options, const BlockProgress& progress = {});

struct Accuracy {
  int64_t questions = 0;
  stats::Interval by_sum, by_length;  // share answered rightly, with E. B. Wilson's score interval (JASA 22 (1927) 209)
};
Result<Accuracy> accuracy(const std::vector<Question>& questions, const std::vector<Answer>& answers);

// The same questions answered by two models: accuracy of the compressed − accuracy of the original, paired.
struct AccuracyChange {
  stats::PairedCounts counts;  // first: original
  stats::Interval difference;
  stats::McNemar test;
};
enum class ChoiceRule { by_sum, by_length };
Result<AccuracyChange> compare_answers(const std::vector<Question>& questions, const std::vector<Answer>& original,
                                       const std::vector<Answer>& compressed, ChoiceRule rule);

Json to_json(const Accuracy& accuracy);      // {"questions", "accuracy": {…}, "accuracy_by_length": {…}}
Json to_json(const AccuracyChange& change);  // {"difference": {…}, "only_original", "only_compressed", "p"}

}  // namespace tqm::compress
