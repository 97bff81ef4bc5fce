#include "port/verify/expression.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"

namespace tqm::port {
namespace {

constexpr int kDeepest = 100;

class Reader {
 public:
  Reader(std::string_view text, const Sizes& sizes, const std::string& where)
      : text_(text), sizes_(sizes), where_(where) {}

  Result<std::int64_t> whole() {
    const std::int64_t value = TRY(sum());
    if (next() != '\0') return error(fmt::format("'{}' is more than an expression", text_.substr(at_)));
    return value;
  }

 private:
  Error error(std::string what) const {
    return {ErrorKind::bad_input, fmt::format("in \"{}\": {}", text_, what), where_,
            "an expression is made of whole numbers, sizes, + - * / %, brackets, min, max, cdiv and align"};
  }

  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  Result<std::int64_t> apply(char op, std::int64_t a, std::int64_t b) const {
    std::int64_t value = 0;
    bool over = false;
    switch (op) {
      case '+':
        over = __builtin_add_overflow(a, b, &value);
        break;
      case '-':
        over = __builtin_sub_overflow(a, b, &value);
        break;
      case '*':
        over = __builtin_mul_overflow(a, b, &value);
        break;
      default:
        if (b == 0) return error("a division by zero");
        over = b == -1 && a == INT64_MIN;
        if (!over) value = op == '/' ? a / b : a % b;
    }
    if (over) return error("a value beyond 64 bits");
    return value;
  }

  Result<std::int64_t> sum() {
    std::int64_t value = TRY(product());
    for (char op = next(); op == '+' || op == '-'; op = next()) {
      ++at_;
      const std::int64_t right = TRY(product());
      value = TRY(apply(op, value, right));
    }
    return value;
  }

  Result<std::int64_t> product() {
    std::int64_t value = TRY(factor());
    for (char op = next(); op == '*' || op == '/' || op == '%'; op = next()) {
      ++at_;
      const std::int64_t right = TRY(factor());
      value = TRY(apply(op, value, right));
    }
    return value;
  }

  Result<std::int64_t> factor() {
    if (++depth_ > kDeepest) return error("too deeply nested");
    const std::int64_t value = TRY(bare_factor());
    --depth_;
    return value;
  }

  Result<std::int64_t> bare_factor() {
    if (take('-')) {
      const std::int64_t value = TRY(factor());
      return apply('-', 0, value);
    }
    if (take('(')) {
      const std::int64_t value = TRY(sum());
      if (!take(')')) return error("a bracket is not closed");
      return value;
    }
    const char first = next();
    if (first >= '0' && first <= '9') return number();
    const std::string word = name();
    if (word.empty()) return error(first == '\0' ? "it ends too early" : fmt::format("'{}' is not expected", first));
    if (take('(')) return call(word);
    const auto found = sizes_.find(word);
    if (found != sizes_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [size, value] : sizes_) known.push_back(size);
    const std::string meant = did_you_mean(word, known);
    return error(fmt::format("there is no size '{}'{}", word, meant.empty() ? "" : "; " + meant));
  }

  Result<std::int64_t> number() {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (fault != std::errc{}) return error("a number beyond 64 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string name() {
    const std::size_t begin = at_;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > begin && text_[at_] >= '0' && text_[at_] <= '9')))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<std::int64_t> call(const std::string& function) {
    const std::int64_t a = TRY(sum());
    if (!take(',')) return error(function + " takes two values");
    const std::int64_t b = TRY(sum());
    if (!take(')')) return error("a bracket is not closed");
    if (function == "min") return std::min(a, b);
    if (function == "max") return std::max(a, b);
    if (function != "cdiv" && function != "align") return error("there is no function '" + function + "'");
    if (a < 0 || b <= 0) return error(function + " takes a value of at least 0 and one above 0");
    const std::int64_t up = a / b + (a % b != 0 ? 1 : 0);
    return function == "cdiv" ? Result<std::int64_t>(up) : apply('*', up, b);
  }

  std::string_view text_;
  const Sizes& sizes_;
  const std::string& where_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<std::int64_t> evaluate(std::string_view text, const Sizes& sizes, const std::string& where) {
  return Reader(text, sizes, where).whole();
}

}  // namespace tqm::port
