#include "port/emulate/bang/prepare.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "port/dialect/bang_calls.hpp"
#include "port/dialect/tokens.hpp"

namespace tqm::port::bang {

namespace {

using dialect::Token;
using dialect::TokenKind;

// The alignments by which hooks.cpp knows the memories.
constexpr std::array<std::pair<std::string_view, int>, 5> kMemories{
    {{"__nram__", 1024}, {"__ldram__", 2048}, {"__wram__", 4096}, {"__mlu_shared__", 8192}, {"__mlu_shared", 8192}}};

int alignment_of(std::string_view word) {
  for (const auto& [memory, alignment] : kMemories) {
    if (memory == word) {
      return alignment;
    }
  }
  return 0;
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text), tokens_(dialect::tokenize(text)) {}

  std::string run() {
    find_definitions();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.is("{")) {
        blocks_.push_back(opens_namespace(i));
      } else if (token.is("}") && !blocks_.empty()) {
        blocks_.pop_back();
      } else if (token.is("(")) {
        ++parentheses_;
      } else if (token.is(")")) {
        --parentheses_;
      } else if (token.is("<<<")) {
        launch(i);
      } else if (token.kind == TokenKind::identifier) {
        identifier(i);
      }
    }
    return apply();
  }

 private:
  void replace(const Token& token, std::string with) { edits_[token.begin] = {token.text.size(), std::move(with)}; }
  void insert(std::size_t at, std::string text) {
    auto& edit = edits_[at];
    edit.second = std::move(text) + edit.second;
  }

  std::string apply() const {
    std::string result;
    std::size_t at = 0;
    for (const auto& [begin, edit] : edits_) {
      if (begin < at) {
        continue;
      }
      result.append(text_, at, begin - at);
      result += edit.second;
      at = begin + edit.first;
    }
    result.append(text_, at, std::string_view::npos);
    return result;
  }

  // namespace X { and extern "C" { hold declarations; any other brace is inside something.
  bool opens_namespace(std::size_t brace) const {
    for (std::size_t i = brace; i-- > 0;) {
      const Token& token = tokens_[i];
      if (token.is(";") || token.is("}") || token.is("{") || token.is(")")) {
        return false;
      }
      if (token.is("namespace")) {
        return true;
      }
      if (token.is("extern")) {
        return i + 1 < brace && tokens_[i + 1].kind == TokenKind::literal;
      }
    }
    return false;
  }

  bool at_file_scope() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](bool is_namespace) { return is_namespace; });
  }

  void identifier(std::size_t i) {
    const Token& token = tokens_[i];
    if (const int alignment = alignment_of(token.text)) {
      return qualifier(i, alignment);
    }
    if (token.is("asm") || token.is("__asm__") || token.is("__asm")) {
      return assembly(i);
    }
    if (i + 1 < tokens_.size() && tokens_[i + 1].is("(") && dialect::looks_like_bang_call(token.text) &&
        !dialect::is_call_of_372(token.text) && !dialect::call_for_alias(token.text).has_value() &&
        defined_.count(token.text) == 0) {
      const bool no_arguments = i + 2 < tokens_.size() && tokens_[i + 2].is(")");
      replace(token, "::tqm_bang::absent_call");
      insert(tokens_[i + 1].end(), "\"" + std::string(token.text) + "\"" + (no_arguments ? "" : ", "));
    }
  }

  void qualifier(std::size_t i, int alignment) {
    if (parentheses_ > 0) {  // a parameter: the pointer's type says nothing of the memory
      return replace(tokens_[i], "");
    }
    const std::string thread = "__thread __attribute__((aligned(" + std::to_string(alignment) + ")))";
    const bool after_static = i > 0 && (tokens_[i - 1].is("static") || tokens_[i - 1].is("extern"));
    const bool before_static = i + 1 < tokens_.size() && tokens_[i + 1].is("static");
    if (before_static) {
      replace(tokens_[i], "");
      replace(tokens_[i + 1], "static " + thread);
    } else {
      replace(tokens_[i], (after_static || at_file_scope() ? "" : "static ") + thread);
    }
  }

  void assembly(std::size_t i) {
    std::size_t open = i + 1;
    while (open < tokens_.size() && (tokens_[open].is("volatile") || tokens_[open].is("__volatile__"))) {
      ++open;
    }
    if (open + 1 >= tokens_.size() || !tokens_[open].is("(") || tokens_[open + 1].text.rfind("\"sync;", 0) != 0) {
      return;
    }
    const std::size_t close = dialect::matching(tokens_, open);
    if (close >= tokens_.size()) {
      return;
    }
    std::string with = "__sync()";
    const std::string_view old = text_.substr(tokens_[i].begin, tokens_[close].end() - tokens_[i].begin);
    with.append(static_cast<std::size_t>(std::count(old.begin(), old.end(), '\n')), '\n');
    edits_[tokens_[i].begin] = {old.size(), with};
  }

  // The kernel's name stands before: an identifier, with namespaces and template arguments.
  void launch(std::size_t open) {
    const std::size_t close = dialect::matching(tokens_, open);
    if (close >= tokens_.size() || open == 0) {
      return;
    }
    std::size_t first = open - 1;
    if (tokens_[first].is(">") || tokens_[first].is(">>")) {
      int depth = 0;
      for (;; --first) {
        depth += tokens_[first].is(">") ? 1 : tokens_[first].is("<") ? -1 : 0;
        if (depth == 0 || first == 0) {
          break;
        }
      }
      first -= first > 0 ? 1 : 0;
    }
    while (first >= 2 && tokens_[first - 1].is("::")) {
      first -= 2;
    }
    if (close + 1 >= tokens_.size() || !tokens_[close + 1].is("(")) {
      return;
    }
    const std::size_t end = dialect::matching(tokens_, close + 1);
    if (end >= tokens_.size()) {
      return;
    }
    const auto between = [&](std::size_t from, std::size_t to) { return text_.substr(from, to - from); };
    std::string with = "::tqm_bang::launch_kernel(";
    with += between(tokens_[open].end(), tokens_[close].begin);
    with += ", [&]() __attribute__((no_sanitize(\"thread\"))) { ";
    with += between(tokens_[first].begin, tokens_[open].begin);
    with += between(tokens_[close + 1].begin, tokens_[end].end());
    with += "; })";
    edits_[tokens_[first].begin] = {tokens_[end].end() - tokens_[first].begin, with};
  }

  // Functions that the text defines itself may have any name.
  void find_definitions() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::identifier || !tokens_[i + 1].is("(") ||
          !dialect::looks_like_bang_call(tokens_[i].text)) {
        continue;
      }
      const std::size_t close = dialect::matching(tokens_, i + 1);
      if (close + 1 < tokens_.size() && tokens_[close + 1].is("{")) {
        defined_.insert(tokens_[i].text);
      }
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::map<std::size_t, std::pair<std::size_t, std::string>> edits_;  // offset: length replaced, by what
  std::vector<bool> blocks_;                                          // is a namespace
  std::set<std::string_view> defined_;
  int parentheses_ = 0;
};

}  // namespace

std::string prepare(std::string_view preprocessed) {
  return Rewriter(preprocessed).run();
}

}  // namespace tqm::port::bang
