#include "port/scan/token_scan.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "port/scan/lexer.hpp"
#include "port/scan/libraries.hpp"

namespace tqm::port {
namespace {

// Words before a kernel's name that are followed by brackets of their own.
constexpr std::string_view kAttributes[] = {"__launch_bounds__", "__attribute__", "__cluster_dims__", "__maxnreg__",
                                            "__block_size__",    "decltype",      "alignas",          "__declspec"};
constexpr size_t kLongestHead = 4000;  // tokens from __global__ to its body

class TokenScanner {
 public:
  explicit TokenScanner(std::string_view source) : tokens_(lex(source)) {}

  TokenScan run() {
    find_aliases();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.text == "<<<") {
        launch(i);
      } else if (token.kind == Token::word) {
        if (marks_.count(token.text) && !defines(i)) kernel(i);
        if (token.text == "__device__" || token.text.starts_with("cudaLaunch")) scan_.device_code = true;
        call(i);
      }
    }
    scan_.device_code |= !scan_.kernels.empty() || !scan_.launches.empty();
    return std::move(scan_);
  }

 private:
  std::string_view at(size_t i) const { return i < tokens_.size() ? tokens_[i].text : std::string_view(); }
  bool is_word(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::word; }

  // #define KERNEL __global__ …: the name stands for it, in this file.
  void find_aliases() {
    for (size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (at(i) != "#" || at(i + 1) != "define" || !is_word(i + 2)) continue;
      bool only_words = false;
      for (size_t j = i + 3; j < tokens_.size() && tokens_[j].directive && at(j) != "#"; ++j) {
        if (at(j) == "__global__") only_words = true;
        if (at(j) == "(" &&
            std::find(std::begin(kAttributes), std::end(kAttributes), at(j - 1)) == std::end(kAttributes)) {
          only_words = false;
          break;
        }
      }
      if (only_words) {
        marks_.insert(tokens_[i + 2].text);
        aliases_.insert(tokens_[i + 2].line);
      }
    }
  }

  // In the line that makes an alias.
  bool defines(size_t i) const { return tokens_[i].directive && aliases_.count(tokens_[i].line) > 0; }

  std::optional<size_t> closing(size_t open, std::string_view opens, std::string_view closes) const {
    int depth = 0;
    const bool directive = tokens_[open].directive;
    for (size_t i = open; i < tokens_.size(); ++i) {
      if (tokens_[i].directive != directive) {
        if (directive) return std::nullopt;  // the macro's text ends
        continue;
      }
      if (tokens_[i].text == opens) ++depth;
      if (tokens_[i].text == closes && --depth == 0) return i;
    }
    return std::nullopt;
  }

  // Back from a closing angle to its opening one.
  std::optional<size_t> opening_angle(size_t close) const {
    int depth = 0;
    for (size_t i = close + 1; i-- > 0 && close - i < 400;) {
      if (at(i) == ">") ++depth;
      if (at(i) == "<" && --depth == 0) return i;
      if (at(i) == ";" || at(i) == "{" || at(i) == "}") break;
    }
    return std::nullopt;
  }

  void kernel(size_t mark) {
    TokenKernel found;
    found.line = found.name_line = found.end_line = tokens_[mark].line;
    found.is_template = after_template(mark);
    const bool directive = tokens_[mark].directive;
    if (directive) found.kind = TokenKernel::in_macro;
    for (size_t i = mark + 1; i < tokens_.size() && i < mark + kLongestHead; ++i) {
      if (tokens_[i].directive != directive && directive) break;
      if (at(i) == ";" || at(i) == "{" || at(i) == "}") break;
      if (at(i) != "(") continue;
      if (std::find(std::begin(kAttributes), std::end(kAttributes), at(i - 1)) != std::end(kAttributes)) {
        const auto end = closing(i, "(", ")");
        if (!end) break;
        i = *end;
        continue;
      }
      name_and_body(found, i);
      break;
    }
    scan_.kernels.push_back(std::move(found));
  }

  bool after_template(size_t mark) const {
    for (size_t i = mark; i-- > 0 && mark - i < 300;) {
      if (at(i) == ";" || at(i) == "}" || at(i) == "{") return false;
      if (at(i) == "template") return true;
    }
    return false;
  }

  void name_and_body(TokenKernel& found, size_t open) {
    size_t name = open - 1;
    if (at(name) == ">")
      if (const auto angle = opening_angle(name); angle && *angle > 0) name = *angle - 1;
    if (is_word(name)) {
      found.name = std::string(at(name));
      if (name >= 3 && at(name - 1) == "#" && at(name - 2) == "#")
        found.name = std::string(at(name - 3)) + "##" + found.name;
      found.name_line = tokens_[name].line;
    }
    const auto close = closing(open, "(", ")");
    if (!close) return;
    size_t body = *close + 1;
    while (is_word(body) && at(body) != "template") ++body;  // noexcept, a macro
    if (at(body) == "{") {
      const auto end = closing(body, "{", "}");
      found.end_line = end ? tokens_[*end].line : tokens_.back().line;
      if (found.kind != TokenKernel::in_macro && end) found.kind = TokenKernel::defined;
      features(found, *close, end ? *end : tokens_.size());
      for (size_t i = open; i < *close; ++i) feature(found, i);
    } else if (at(body) == ";" && found.kind != TokenKernel::in_macro) {
      found.kind = TokenKernel::declared;
    }
  }

  void features(TokenKernel& found, size_t first, size_t last) {
    if (found.is_template) found.features.push_back({Feature::template_, found.line});
    for (size_t i = first; i < last; ++i) feature(found, i);
  }

  void feature(TokenKernel& found, size_t i) {
    std::optional<Feature> used;
    if (at(i) == "<<<")
      used = Feature::dynamic_parallelism;
    else if (at(i) == "__shared__")
      used = i > 0 && at(i - 1) == "extern" ? Feature::shared_dynamic : Feature::shared_static;
    else if (is_word(i))
      used = feature_of_word(at(i));
    if (!used) return;
    const int line = tokens_[i].line;
    for (const FeatureUse& use : found.features)
      if (use.feature == *used && use.line == line) return;
    found.features.push_back({*used, line, std::string(at(i))});
  }

  std::string text_between(size_t first, size_t last) const {
    if (first >= last) return "";
    const char* begin = at(first).data();
    const char* end = at(last - 1).data() + at(last - 1).size();
    std::string text(begin, static_cast<size_t>(end - begin));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.substr(0, 200);
  }

  void launch(size_t angles) {
    TokenLaunch found;
    found.line = tokens_[angles].line;
    found.in_macro = tokens_[angles].directive;
    size_t last = angles;  // the name ends before
    if (last > 0 && at(last - 1) == ">")
      if (const auto angle = opening_angle(last - 1)) last = *angle;
    size_t first = last;
    while (first > 0 && (is_word(first - 1) || at(first - 1) == "::")) {
      --first;
      if (first > 0 && is_word(first) && is_word(first - 1)) break;  // "return k<<<"
    }
    found.kernel = text_between(first, last);
    std::string* const texts[] = {&found.grid, &found.block, &found.shared_bytes, &found.stream};
    size_t argument = angles + 1, count = 0;
    int depth = 0;
    for (size_t i = angles + 1; i < tokens_.size() && i < angles + 400; ++i) {
      const std::string_view sign = at(i);
      if (sign == "(" || sign == "[" || sign == "{") ++depth;
      if (sign == ")" || sign == "]" || sign == "}") --depth;
      const bool ends = depth == 0 && sign == ">" && at(i + 1) == ">" && at(i + 2) == ">";
      if ((ends || (depth == 0 && sign == ",")) && count < 4) {
        *texts[count++] = text_between(argument, i);
        argument = i + 1;
      }
      if (ends || depth < 0 || sign == ";") break;
    }
    scan_.launches.push_back(std::move(found));
  }

  void call(size_t i) {
    const std::string_view word = at(i);
    if (at(i - 1) == "::" && i > 0) return;  // the whole chain was taken at its beginning
    if (tokens_[i].directive && in_include(i)) return;
    std::string name(word);
    size_t end = i + 1;
    if (word == "thrust" || word == "cub") {
      while (at(end) == "::" && is_word(end + 1)) {
        name += "::" + std::string(at(end + 1));
        end += 2;
      }
      if (end == i + 1) return;
    } else if (at(end) != "(") {
      return;
    }
    if (const auto library = library_of(name)) scan_.calls.push_back({std::string(*library), name, tokens_[i].line});
  }

  bool in_include(size_t i) const {
    for (size_t j = i; j-- > 0 && tokens_[j].line == tokens_[i].line;)
      if (at(j) == "#") return at(j + 1) == "include";
    return false;
  }

  std::vector<Token> tokens_;
  std::set<std::string_view> marks_ = {"__global__"};
  std::set<int> aliases_;
  TokenScan scan_;
};

}  // namespace

TokenScan scan_tokens(std::string_view source) {
  return TokenScanner(source).run();
}

}  // namespace tqm::port
