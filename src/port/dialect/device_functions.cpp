#include "port/dialect/device_functions.hpp"

#include <algorithm>
#include <array>

namespace tqm::port::dialect {

namespace {

constexpr std::array<std::string_view, 5> kDeviceMarks{"__mlu_entry__", "__mlu_global__", "__mlu_func__",
                                                       "__mlu_device__", "__mlu_vector__"};

bool is_mark(std::string_view word) {
  return std::find(kDeviceMarks.begin(), kDeviceMarks.end(), word) != kDeviceMarks.end();
}

}  // namespace

// Its name is the identifier before the first parenthesis after the mark.
std::vector<DeviceFunction> device_functions(const std::vector<Token>& tokens) {
  std::vector<DeviceFunction> functions;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::identifier || !is_mark(tokens[i].text)) {
      continue;
    }
    DeviceFunction function;
    function.begin = i;
    std::size_t at = i + 1;
    while (at < tokens.size() && !tokens[at].is("(") && !tokens[at].is(";") && !tokens[at].is("{")) {
      if (tokens[at].kind == TokenKind::identifier && tokens[at].text == "__attribute__" && at + 1 < tokens.size()) {
        at = matching(tokens, at + 1);
      } else if (tokens[at].kind == TokenKind::identifier) {
        function.name = tokens[at].text;
      }
      ++at;
    }
    if (at >= tokens.size() || !tokens[at].is("(")) {
      continue;
    }
    at = matching(tokens, at);
    while (at < tokens.size() && !tokens[at].is("{") && !tokens[at].is(";")) {
      ++at;
    }
    if (at >= tokens.size() || tokens[at].is(";")) {
      continue;
    }
    function.body = at;
    function.end = matching(tokens, at);
    functions.push_back(function);
    i = std::min(function.end, tokens.size() - 1);
  }
  return functions;
}

}  // namespace tqm::port::dialect
