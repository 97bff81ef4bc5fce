#include "compress/tokenizer/jinja_lex.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "compress/tokenizer/jinja_parse.hpp"
#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress::jinja {
namespace {

constexpr size_t max_source = size_t{1} << 20;

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

class Lexer {
 public:
  explicit Lexer(const std::string& source) {
    // Line ends become \n; the last one is not part of the template.
    source_.reserve(source.size());
    for (size_t i = 0; i < source.size(); ++i) {
      if (source[i] == '\r') {
        source_ += '\n';
        if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
      } else {
        source_ += source[i];
      }
    }
    if (source_.ends_with('\n')) source_.pop_back();
  }

  Result<std::vector<Token>> tokens() {
    while (at_ < source_.size()) TRY(next_stretch());
    push(Token::Kind::end, "");
    return std::move(tokens_);
  }

 private:
  bool here(std::string_view what) const { return std::string_view(source_).substr(at_).starts_with(what); }
  void push(Token::Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
  void advance(size_t count) {
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(at_ + count), '\n'));
    at_ += count;
  }

  Status next_stretch() {
    size_t tag = source_.find('{', at_);
    while (tag != std::string::npos &&
           (tag + 1 == source_.size() || std::string_view("{%#").find(source_[tag + 1]) == std::string_view::npos)) {
      tag = source_.find('{', tag + 1);
    }
    if (tag == std::string::npos) tag = source_.size();
    std::string text = source_.substr(at_, tag - at_);
    const bool is_block = tag < source_.size() && source_[tag + 1] != '{';
    const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    if (tag < source_.size() && sign == '-') {
      while (!text.empty() && blank(text.back())) text.pop_back();
    } else if (is_block && sign != '+') {
      // Blanks between the start of the line and a block belong to the block.
      const size_t newline = source_.rfind('\n', tag == 0 ? 0 : tag - 1);
      const bool in_text = newline != std::string::npos && newline >= at_ && newline < tag;
      const size_t start = in_text ? newline + 1 : at_;
      const bool only_blanks = std::all_of(source_.begin() + static_cast<std::ptrdiff_t>(start),
                                           source_.begin() + static_cast<std::ptrdiff_t>(tag), blank);
      if ((in_text || line_start_) && only_blanks) text.resize(text.size() - std::min(text.size(), tag - start));
    }
    if (!text.empty()) push(Token::Kind::text, std::move(text));
    advance(tag - at_);
    if (at_ == source_.size()) return {};
    if (here("{#")) return comment();
    if (is_block) return block();
    return expression(Token::Kind::output_begin, Token::Kind::output_end, "}}");
  }

  // Behind a tag: "-" eats all white space, a block eats one line end.
  void close_tag(char sign, size_t length, bool is_block) {
    advance(length);
    line_start_ = false;
    if (sign == '-') {
      size_t end = at_;
      while (end < source_.size() && blank(source_[end])) ++end;
      line_start_ = end > at_ && source_[end - 1] == '\n';
      advance(end - at_);
    } else if (is_block && sign != '+' && at_ < source_.size() && source_[at_] == '\n') {
      advance(1);
      line_start_ = true;
    }
  }

  Status comment() {
    const size_t end = source_.find("#}", at_ + 2);
    if (end == std::string::npos) return template_error(line_, "a comment has no end: '#}' is missing");
    const char sign = end > at_ + 2 ? source_[end - 1] : '\0';
    advance(end - at_);
    close_tag(sign, 2, true);
    return {};
  }

  Status block() {
    // {% raw %} … {% endraw %} is text.
    size_t word = at_ + 2;
    if (word < source_.size() && (source_[word] == '-' || source_[word] == '+')) ++word;
    while (word < source_.size() && blank(source_[word])) ++word;
    if (source_.compare(word, 3, "raw") != 0) return expression(Token::Kind::block_begin, Token::Kind::block_end, "%}");
    size_t end = word + 3;
    while (end < source_.size() && blank(source_[end])) ++end;
    const char sign = end < source_.size() ? source_[end] : '\0';
    if (sign == '-' || sign == '+') ++end;
    if (source_.compare(end, 2, "%}") != 0) return expression(Token::Kind::block_begin, Token::Kind::block_end, "%}");
    advance(end - at_);
    close_tag(sign, 2, false);
    const int opened = line_;
    size_t finish = at_;
    while ((finish = source_.find("{%", finish)) != std::string::npos) {
      size_t name = finish + 2;
      const char before = name < source_.size() ? source_[name] : '\0';
      if (before == '-' || before == '+') ++name;
      while (name < source_.size() && blank(source_[name])) ++name;
      if (source_.compare(name, 6, "endraw") != 0) {
        finish += 2;
        continue;
      }
      size_t close = name + 6;
      while (close < source_.size() && blank(source_[close])) ++close;
      const char after = close < source_.size() ? source_[close] : '\0';
      if (after == '-' || after == '+') ++close;
      if (source_.compare(close, 2, "%}") != 0) break;
      std::string text = source_.substr(at_, finish - at_);
      if (before == '-') {
        while (!text.empty() && blank(text.back())) text.pop_back();
      } else if (before != '+') {
        const size_t line = text.rfind('\n');
        const size_t start = line == std::string::npos ? 0 : line + 1;
        if ((line != std::string::npos || line_start_) &&
            std::all_of(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), blank)) {
          text.resize(start);
        }
      }
      if (!text.empty()) push(Token::Kind::text, std::move(text));
      advance(close - at_);
      close_tag(after, 2, true);
      return {};
    }
    return template_error(opened, "a raw block has no end: '{% endraw %}' is missing");
  }

  Status expression(Token::Kind begin, Token::Kind end, std::string_view close) {
    push(begin, "");
    const int opened = line_;
    advance(2);
    if (here("-") || here("+")) advance(1);
    std::string brackets;
    while (true) {
      while (at_ < source_.size() && blank(source_[at_])) advance(1);
      if (at_ == source_.size()) return template_error(opened, fmt::format("a tag has no end: '{}' is missing", close));
      if (brackets.empty()) {
        const char sign = source_[at_] == '-' || source_[at_] == '+' ? source_[at_] : '\0';
        if (std::string_view(source_).substr(at_ + (sign != '\0' ? 1 : 0)).starts_with(close)) {
          push(end, "");
          if (sign != '\0') advance(1);
          close_tag(sign, 2, end == Token::Kind::block_end);
          return {};
        }
      }
      TRY(lexeme(brackets));
    }
  }

  Status lexeme(std::string& brackets) {
    const char c = source_[at_];
    const auto alpha = [](char x) { return std::isalpha(static_cast<unsigned char>(x)) != 0 || x == '_'; };
    const auto digit = [](char x) { return std::isdigit(static_cast<unsigned char>(x)) != 0; };
    size_t end = at_ + 1;
    if (alpha(c)) {
      while (end < source_.size() && (alpha(source_[end]) || digit(source_[end]))) ++end;
      push(Token::Kind::name, source_.substr(at_, end - at_));
    } else if (digit(c)) {
      while (end < source_.size() && (digit(source_[end]) || source_[end] == '_')) ++end;
      bool real = false;
      if (end + 1 < source_.size() && source_[end] == '.' && digit(source_[end + 1])) {
        real = true;
        for (++end; end < source_.size() && digit(source_[end]);) ++end;
      }
      if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
        size_t power = end + 1;
        if (power < source_.size() && (source_[power] == '+' || source_[power] == '-')) ++power;
        if (power < source_.size() && digit(source_[power])) {
          real = true;
          for (end = power; end < source_.size() && digit(source_[end]);) ++end;
        }
      }
      std::string number = source_.substr(at_, end - at_);
      std::erase(number, '_');
      push(real ? Token::Kind::real : Token::Kind::integer, std::move(number));
    } else if (c == '"' || c == '\'') {
      return string(c);
    } else {
      static constexpr std::string_view doubles[] = {"==", "!=", "<=", ">=", "//", "**"};
      static constexpr std::string_view singles = "+-*/%~<>=()[]{},.:|";
      if (std::ranges::any_of(doubles, [&](std::string_view d) { return here(d); })) {
        end = at_ + 2;
      } else if (singles.find(c) == std::string_view::npos) {
        return template_error(line_, fmt::format("the character '{}' has no meaning here", c));
      }
      if (c == '(' || c == '[' || c == '{') brackets += c;
      if (c == ')' || c == ']' || c == '}') {
        const char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (brackets.empty() || brackets.back() != opening)
          return template_error(line_, fmt::format("'{}' closes nothing", c));
        brackets.pop_back();
      }
      push(Token::Kind::symbol, source_.substr(at_, end - at_));
    }
    advance(end - at_);
    return {};
  }

  Status string(char quote) {
    const int opened = line_;
    std::string out;
    size_t i = at_ + 1;
    const auto number = [&](size_t from, size_t most, int base) -> std::optional<char32_t> {
      unsigned value = 0;
      const char* first = source_.data() + std::min(from, source_.size());
      const char* last = source_.data() + std::min(from + most, source_.size());
      const auto [end, error] = std::from_chars(first, last, value, base);
      if (error != std::errc() || (base == 16 && end != last)) return std::nullopt;
      i = static_cast<size_t>(end - source_.data());
      return value > 0x10FFFF ? std::nullopt : std::optional<char32_t>(value);
    };
    while (i < source_.size() && source_[i] != quote) {
      if (source_[i] != '\\' || i + 1 == source_.size()) {
        out += source_[i++];
        continue;
      }
      const char escaped = source_[i + 1];
      i += 2;
      static constexpr std::string_view from = "abfnrtv\\'\"", to = "\a\b\f\n\r\t\v\\'\"";
      if (const size_t known = from.find(escaped); known != std::string_view::npos) {
        out += to[known];
      } else if (escaped == 'x' || escaped == 'u' || escaped == 'U') {
        const auto value = number(i, escaped == 'x' ? 2 : escaped == 'u' ? 4 : 8, 16);
        if (!value) return template_error(line_, fmt::format("a broken \\{} in a text", escaped));
        append_utf8(out, *value);
      } else if (escaped >= '0' && escaped <= '7') {
        const auto value = number(i - 1, 3, 8);
        append_utf8(out, value.value_or(0));
      } else if (escaped != '\n') {  // an escaped line end is nothing
        out += '\\';
        out += escaped;
      }
    }
    if (i >= source_.size()) return template_error(opened, "a text has no end: its quote is missing");
    push(Token::Kind::string, std::move(out));
    advance(i + 1 - at_);
    return {};
  }

  std::string source_;
  size_t at_ = 0;
  int line_ = 1;
  bool line_start_ = true;  // the tag before took the end of its line with it
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokens_of(const std::string& source) {
  if (source.size() > max_source) return template_error(1, "the template is larger than 1 MiB");
  return Lexer(source).tokens();
}

}  // namespace tqm::compress::jinja
