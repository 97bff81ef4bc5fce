#include "port/dialect/check_dialect.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

#include "port/dialect/bang_calls.hpp"
#include "port/dialect/device_functions.hpp"

namespace tqm::port::dialect {

namespace {

constexpr std::array<std::string_view, 15> kContainers{
    "vector", "string", "map",      "set",        "unordered_map", "unordered_set", "list",   "deque",
    "queue",  "stack",  "function", "shared_ptr", "unique_ptr",    "optional",      "variant"};

template <class List>
bool among(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

class Checker {
 public:
  explicit Checker(std::string_view text) : tokens_(tokenize(text)), functions_(device_functions(tokens_)) {}

  std::vector<Finding> run() {
    for (const DeviceFunction& function : functions_) {
      names_.insert(function.name);
    }
    for (const DeviceFunction& function : functions_) {
      for (std::size_t i = function.begin; i < std::min(function.end, tokens_.size()); ++i) {
        look_at(function, i);
      }
    }
    find_recursion();
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.line < b.line; });
    return std::move(findings_);
  }

 private:
  bool next_is(std::size_t i, std::string_view word) const { return i + 1 < tokens_.size() && tokens_[i + 1].is(word); }
  bool after_std(std::size_t i) const { return i >= 2 && tokens_[i - 1].is("::") && tokens_[i - 2].is("std"); }

  void report(const char* kind, std::string text, int line) { findings_.push_back({kind, std::move(text), line}); }

  void look_at(const DeviceFunction& function, std::size_t i) {
    const Token& token = tokens_[i];
    if (token.kind == TokenKind::number) {
      return look_at_number(token);
    }
    if (token.kind != TokenKind::identifier) {
      return;
    }
    if (token.is("double") && !(i >= 1 && tokens_[i - 1].is("long"))) {
      report("double", fmt::format("double in {}: the chip has no 64-bit floating point", function.name), token.line);
    } else if (after_std(i) && among(kContainers, token.text)) {
      report("container", fmt::format("std::{} in {}: a kernel has no heap", token.text, function.name), token.line);
    } else if (((token.is("new") || token.is("delete")) && !(i >= 1 && tokens_[i - 1].is("operator"))) ||
               ((token.is("malloc") || token.is("free")) && next_is(i, "("))) {
      report("allocation", fmt::format("{} in {}: a kernel has no heap", token.text, function.name), token.line);
    } else if (token.is("try") || token.is("throw") || token.is("catch")) {
      report("exception", fmt::format("{} in {}: a kernel can't throw", token.text, function.name), token.line);
    } else if (i > function.body && next_is(i, "(") && names_.count(std::string(token.text)) != 0) {
      calls_[function.name].insert({std::string(token.text), token.line});
    } else if (next_is(i, "(") && looks_like_bang_call(token.text) && names_.count(std::string(token.text)) == 0) {
      look_at_call(token);
    }
  }

  // 1.0 without f computes in double, unless it is cast or assigned at once; that is the compiler's to fold. Only the
  // suffix l, of long double, can't be meant.
  void look_at_number(const Token& token) {
    const bool floating = token.text.find('.') != std::string_view::npos && token.text.substr(0, 2) != "0x";
    if (floating && (token.text.back() == 'l' || token.text.back() == 'L')) {
      report("double", fmt::format("{}: the chip has no long double", token.text), token.line);
    }
  }

  void look_at_call(const Token& token) {
    if (is_call_of_372(token.text)) {
      return;
    }
    if (const auto call = call_for_alias(token.text)) {
      report("call", fmt::format("{} is another toolchain's name: write {}", token.text, *call), token.line);
    } else {
      report("call", fmt::format("{}: the MLU370 has no such call", token.text), token.line);
    }
  }

  void find_recursion() {
    for (const DeviceFunction& function : functions_) {
      std::set<std::string> seen;
      std::vector<std::string> open{function.name};
      while (!open.empty()) {
        const std::string from = open.back();
        open.pop_back();
        for (const auto& [to, line] : calls_[from]) {
          if (to == function.name) {
            report("recursion",
                   fmt::format("{} calls itself{}: a kernel has no call stack to grow", function.name,
                               from == function.name ? "" : " by way of " + from),
                   line);
            return;
          }
          if (seen.insert(to).second) {
            open.push_back(to);
          }
        }
      }
    }
  }

  std::vector<Token> tokens_;
  std::vector<DeviceFunction> functions_;
  std::set<std::string> names_;
  std::map<std::string, std::set<std::pair<std::string, int>>> calls_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_dialect(std::string_view text) {
  return Checker(text).run();
}

}  // namespace tqm::port::dialect
