#include "port/scan/lexer.hpp"

#include <cctype>

namespace tqm::port {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 128;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> all() {
    while (at_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void advance(size_t count) {
    for (; count > 0 && at_ < source_.size(); --count, ++at_)
      if (source_[at_] == '\n') ++line_;
  }

  void push(Token::Kind kind, size_t length) {
    tokens_.push_back({kind, source_.substr(at_, length), line_, directive_});
    line_empty_ = false;
    advance(length);
  }

  void step() {
    const char c = peek();
    if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      advance(peek(1) == '\n' ? 2 : 3);  // a line that goes on
    } else if (c == '\n') {
      advance(1);
      directive_ = false;
      line_empty_ = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) || c == '\0') {
      advance(1);
    } else if (c == '/' && peek(1) == '/') {
      skip_line_comment();
    } else if (c == '/' && peek(1) == '*') {
      const size_t end = source_.find("*/", at_ + 2);
      advance(end == std::string_view::npos ? source_.size() - at_ : end + 2 - at_);
    } else if (c == '#' && line_empty_) {
      directive_ = true;
      push(Token::sign, 1);
    } else if (std::isdigit(static_cast<unsigned char>(c)) ||
               (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
      push(Token::number, number_length());
    } else if (is_word(c)) {
      word();
    } else if (c == '"' || c == '\'') {
      push(Token::quoted, quoted_length(c));
    } else if (source_.substr(at_, 3) == "<<<") {
      push(Token::sign, 3);
    } else {
      push(Token::sign, source_.substr(at_, 2) == "::" ? 2 : 1);
    }
  }

  void skip_line_comment() {
    while (at_ < source_.size() && peek() != '\n') advance(peek() == '\\' && peek(1) == '\n' ? 2 : 1);
  }

  size_t number_length() const {
    size_t length = 1;
    for (;;) {
      const char c = peek(length);
      const char before = peek(length - 1);
      const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && is_word(peek(length + 1));
      if (!is_word(c) && c != '.' && !sign && !separator) return length;
      ++length;
    }
  }

  // To the closing quote, or to the line's end where there is none.
  size_t quoted_length(char quote) const {
    size_t length = 1;
    while (at_ + length < source_.size() && peek(length) != quote && peek(length) != '\n')
      length += peek(length) == '\\' && at_ + length + 1 < source_.size() ? 2 : 1;
    return peek(length) == quote ? length + 1 : length;
  }

  void word() {
    size_t length = 1;
    while (is_word(peek(length))) ++length;
    const std::string_view text = source_.substr(at_, length);
    const bool raw = text == "R" || text == "LR" || text == "uR" || text == "UR" || text == "u8R";
    if (raw && peek(length) == '"') {
      const size_t open = source_.find('(', at_ + length);
      if (open != std::string_view::npos && open - (at_ + length) <= 17) {
        const std::string_view delimiter = source_.substr(at_ + length + 1, open - at_ - length - 1);
        size_t close = open;
        do {
          close = source_.find(')', close + 1);
        } while (close != std::string_view::npos && (source_.substr(close + 1, delimiter.size()) != delimiter ||
                                                     source_.substr(close + 1 + delimiter.size(), 1) != "\""));
        const size_t end = close == std::string_view::npos ? source_.size() : close + delimiter.size() + 2;
        return push(Token::quoted, end - at_);
      }
    }
    push(Token::word, length);
  }

  std::string_view source_;
  size_t at_ = 0;
  int line_ = 1;
  bool directive_ = false, line_empty_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view source) {
  return Lexer(source).all();
}

}  // namespace tqm::port
