#include "compress/evaluate/choices.hpp"

#include <algorithm>
#include <cmath>

#include "base/file.hpp"
#include "base/text.hpp"
#include "stats/distribution.hpp"

namespace tqm::compress {
namespace {

Result<Question> parse_question(std::string_view line, const std::string& where) {
  const Json json = TRY(parse_json(line, where));
  const auto bad = [&](const std::string& what) {
    return Error{ErrorKind::bad_input, what, where,
                 "each line must be like {\"context\": \"…\", \"choices\": [\"…\", \"…\"], \"answer\": 0}"};
  };
  if (!json.is_object()) return bad("the line is no object");
  if (!json.contains("context") || !json["context"].is_string()) return bad("the line has no \"context\"");
  if (!json.contains("choices") || !json["choices"].is_array()) return bad("the line has no \"choices\"");
  Question question;
  question.context = json["context"].get<std::string>();
  for (const Json& choice : json["choices"]) {
    if (!choice.is_string() || choice.get<std::string>().empty()) return bad("a choice is empty or no text");
    question.choices.push_back(choice.get<std::string>());
  }
  if (question.choices.size() < 2) return bad("a question needs two choices or more");
  const Json answer = json.value("answer", Json());
  if (answer.is_number_integer()) {
    const auto index = answer.get<int64_t>();
    if (index < 0 || index >= static_cast<int64_t>(question.choices.size()))
      return bad("\"answer\" is " + std::to_string(index) + ", the choices are numbered 0 to " +
                 std::to_string(question.choices.size() - 1));
    question.answer = static_cast<size_t>(index);
  } else if (answer.is_string()) {
    const auto text = answer.get<std::string>();
    if (std::count(question.choices.begin(), question.choices.end(), text) != 1)
      return bad("\"answer\" is not one of the choices");
    question.answer = static_cast<size_t>(std::find(question.choices.begin(), question.choices.end(), text) -
                                          question.choices.begin());
  } else {
    return bad("the line has no \"answer\"");
  }
  return question;
}

int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// One choice: its window, and the tokens of it that belong to the choice.
struct Scored {
  std::vector<int32_t> window;
  size_t first = 0;  // of the choice, in the window
};

Result<Scored> window_of(const Model& model, const Question& question, size_t choice, size_t number) {
  const EncodeOptions options{
      .bos = model.tokenizer->adds_bos(), .eos = false, .parse_special = false, .leading_space = true};
  std::string context = question.context;
  std::string tail;
  while (!context.empty() && (context.back() == ' ' || context.back() == '\t')) {
    tail.insert(tail.begin(), context.back());
    context.pop_back();
  }
  const std::vector<int32_t> before = model.tokenizer->encode(context, options);
  Scored scored;
  scored.window = model.tokenizer->encode(context + tail + question.choices[choice], options);
  // A tokeniser may merge over the seam: then the choice begins where the two part.
  scored.first = static_cast<size_t>(
      std::mismatch(before.begin(), before.end(), scored.window.begin(), scored.window.end()).first - before.begin());
  if (scored.first == 0) scored.first = 1;  // the first token has nothing before it
  if (scored.first >= scored.window.size())
    return Error{
        ErrorKind::bad_input,
        "choice " + std::to_string(choice) + " of question " + std::to_string(number) + " has no token of its own", "",
        "give the question a context"};
  return scored;
}

stats::Interval wilson(int64_t right, int64_t of, double confidence) {
  const double z = stats::normal_tail_quantile((1 - confidence) / 2);
  const auto n = static_cast<double>(of);
  const double p = static_cast<double>(right) / n;
  const double center = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  return {p, std::max(0.0, center - half), std::min(1.0, center + half), confidence};
}

size_t answer_by(const Answer& answer, ChoiceRule rule) {
  return rule == ChoiceRule::by_sum ? answer.by_sum() : answer.by_length();
}

Json interval_json(const stats::Interval& interval) {
  return Json{{"value", interval.estimate},
              {"low", interval.low},
              {"high", interval.high},
              {"confidence", interval.confidence}};
}

Status check_counts(size_t questions, size_t answers) {
  if (questions == 0) return Error{ErrorKind::bad_input, "no questions", "", "give a file with at least one"};
  ASSERT(questions == answers);
  return {};
}

}  // namespace

Result<std::vector<Question>> read_questions(const std::filesystem::path& path) {
  const std::string content = TRY(read_file(path));
  std::vector<Question> questions;
  size_t number = 0;
  for (const std::string& line : split(content, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    questions.push_back(TRY(parse_question(line, path.string() + ", line " + std::to_string(number))));
  }
  if (questions.empty())
    return Error{ErrorKind::bad_input, "the file holds no question", path.string(),
                 "each line must be like {\"context\": \"…\", \"choices\": [\"…\", \"…\"], \"answer\": 0}"};
  return questions;
}

size_t Answer::by_sum() const {
  return static_cast<size_t>(std::max_element(log_likelihoods.begin(), log_likelihoods.end()) -
                             log_likelihoods.begin());
}

size_t Answer::by_length() const {
  size_t best = 0;
  const auto a_character = [&](size_t i) { return log_likelihoods[i] / static_cast<double>(characters[i]); };
  for (size_t i = 1; i < log_likelihoods.size(); ++i)
    if (a_character(i) > a_character(best)) best = i;
  return best;
}

Result<std::vector<Answer>> answer_questions(const Model& model, const std::vector<Question>& questions,
                                             const PlainOptions& options, const BlockProgress& progress) {
  std::vector<std::vector<int32_t>> windows;
  std::vector<size_t> first;
  for (size_t q = 0; q < questions.size(); ++q)
    for (size_t c = 0; c < questions[q].choices.size(); ++c) {
      Scored scored = TRY(window_of(model, questions[q], c, q + 1));
      windows.push_back(std::move(scored.window));
      first.push_back(scored.first);
    }
  const auto scores = TRY(score_windows(model, windows, options, progress));
  std::vector<Answer> answers;
  size_t window = 0;
  for (const Question& question : questions) {
    Answer answer;
    for (const std::string& choice : question.choices) {
      double loss = 0;
      for (size_t i = first[window] - 1; i < scores[window].nll.size(); ++i)
        loss += static_cast<double>(scores[window].nll[i]);
      answer.log_likelihoods.push_back(-loss);
      answer.characters.push_back(std::max(int64_t{1}, count_characters(choice)));
      ++window;
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

Result<Accuracy> accuracy(const std::vector<Question>& questions, const std::vector<Answer>& answers) {
  TRY(check_counts(questions.size(), answers.size()));
  int64_t by_sum = 0, by_length = 0;
  for (size_t q = 0; q < questions.size(); ++q) {
    by_sum += answers[q].by_sum() == questions[q].answer;
    by_length += answers[q].by_length() == questions[q].answer;
  }
  const auto count = static_cast<int64_t>(questions.size());
  return Accuracy{count, wilson(by_sum, count, 0.95), wilson(by_length, count, 0.95)};
}

Result<AccuracyChange> compare_answers(const std::vector<Question>& questions, const std::vector<Answer>& original,
                                       const std::vector<Answer>& compressed, ChoiceRule rule) {
  TRY(check_counts(questions.size(), original.size()));
  TRY(check_counts(questions.size(), compressed.size()));
  AccuracyChange change;
  for (size_t q = 0; q < questions.size(); ++q) {
    const bool first = answer_by(original[q], rule) == questions[q].answer;
    const bool second = answer_by(compressed[q], rule) == questions[q].answer;
    ++(first ? (second ? change.counts.both : change.counts.only_first)
             : (second ? change.counts.only_second : change.counts.neither));
  }
  const stats::Interval fall = TRY(stats::paired_difference(change.counts));
  change.difference = {-fall.estimate, -fall.high, -fall.low, fall.confidence};
  change.test = TRY(stats::mcnemar(change.counts));
  return change;
}

Json to_json(const Accuracy& accuracy) {
  return Json{{"questions", accuracy.questions},
              {"accuracy", interval_json(accuracy.by_sum)},
              {"accuracy_by_length", interval_json(accuracy.by_length)}};
}

Json to_json(const AccuracyChange& change) {
  return Json{{"difference", interval_json(change.difference)},
              {"only_original", change.counts.only_first},
              {"only_compressed", change.counts.only_second},
              {"p", change.test.exact}};
}

}  // namespace tqm::compress
