#include "port/dialect/tokens.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tqm::port::dialect {

namespace {

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
        fresh_line_ = true;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        skip_to(text_.find('\n', at_));
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        skip_to(end == std::string_view::npos ? end : end + 2);
      } else if (c == '#' && fresh_line_) {
        directive();
      } else {
        fresh_line_ = false;
        token(c);
      }
    }
    return std::move(tokens_);
  }

 private:
  void skip_to(std::size_t end) {
    end = std::min(end, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void add(TokenKind kind, std::size_t end) {
    end = std::min(end, text_.size());
    tokens_.push_back({kind, text_.substr(at_, end - at_), at_, line_});
    skip_to(end);
  }

  void directive() {
    std::size_t end = at_;
    do {
      end = text_.find('\n', end + 1);
    } while (end != std::string_view::npos && end > 0 && text_[end - 1] == '\\');
    add(TokenKind::directive, end);
  }

  std::size_t literal_end(std::size_t quote) const {
    const char mark = text_[quote];
    std::size_t i = quote + 1;
    while (i < text_.size() && text_[i] != mark && text_[i] != '\n') {
      i += text_[i] == '\\' ? 2 : 1;
    }
    return std::min(i + 1, text_.size());
  }

  // R"tag( … )tag"
  std::size_t raw_end(std::size_t quote) const {
    const std::size_t open = text_.find('(', quote);
    if (open == std::string_view::npos) {
      return text_.size();
    }
    const std::string close = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    return end == std::string_view::npos ? text_.size() : end + close.size();
  }

  void token(char c) {
    if (starts_name(c)) {
      std::size_t end = at_;
      while (end < text_.size() && (starts_name(text_[end]) || is_digit(text_[end]))) {
        ++end;
      }
      if (end < text_.size() && text_[end] == '"' && end - at_ <= 3) {
        return add(TokenKind::literal, text_[end - 1] == 'R' ? raw_end(end) : literal_end(end));
      }
      return add(TokenKind::identifier, end);
    }
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      std::size_t end = at_ + 1;
      while (end < text_.size() &&
             (starts_name(text_[end]) || is_digit(text_[end]) || text_[end] == '.' || text_[end] == '\'' ||
              ((text_[end] == '+' || text_[end] == '-') &&
               std::string_view("eEpP").find(text_[end - 1]) != std::string_view::npos))) {
        ++end;
      }
      return add(TokenKind::number, end);
    }
    if (c == '"' || c == '\'') {
      return add(TokenKind::literal, literal_end(at_));
    }
    for (const std::string_view wide : {"<<<", ">>>", "::", "->", "&&", "||"}) {
      if (text_.substr(at_, wide.size()) == wide) {
        return add(TokenKind::punctuation, at_ + wide.size());
      }
    }
    add(TokenKind::punctuation, at_ + 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool fresh_line_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  return Scanner(text).run();
}

std::size_t matching(const std::vector<Token>& tokens, std::size_t open) {
  const std::string_view close = tokens[open].is("(")   ? ")"
                                 : tokens[open].is("[") ? "]"
                                 : tokens[open].is("{") ? "}"
                                                        : ">>>";
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == tokens[open].text) {
      ++depth;
    } else if (tokens[i].is(close) && --depth == 0) {
      return i;
    }
  }
  return tokens.size();
}

}  // namespace tqm::port::dialect
