#include "matter/io/key_values.hpp"

#include <algorithm>

namespace tqm::matter {
namespace {

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// A word, up to a blank or =; or what stands between quotes or brackets.
std::string take_word(std::string_view line, size_t& at, bool stops_at_equals) {
  std::string word;
  const char first = line[at];
  if (first == '"' || first == '\'') {
    for (++at; at < line.size() && line[at] != first; ++at) {
      if (line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == first || line[at + 1] == '\\')) ++at;
      word += line[at];
    }
    if (at < line.size()) ++at;
    return word;
  }
  if (first == '{' || first == '[') {
    int depth = 0;
    for (; at < line.size(); ++at) {
      if (line[at] == '{' || line[at] == '[') ++depth;
      if (line[at] == '}' || line[at] == ']') --depth;
      word += line[at];
      if (depth == 0) {
        ++at;
        break;
      }
    }
    return word;
  }
  while (at < line.size() && !blank(line[at]) && !(stops_at_equals && line[at] == '=')) word += line[at++];
  return word;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> key_values_of(std::string_view line) {
  std::vector<std::pair<std::string, std::string>> found;
  size_t at = 0;
  while (true) {
    while (at < line.size() && blank(line[at])) ++at;
    if (at >= line.size()) return found;
    if (line[at] == '=') {  // no key before it
      ++at;
      continue;
    }
    std::string key = take_word(line, at, true);
    size_t after = at;
    while (after < line.size() && blank(line[after])) ++after;
    std::string value = "T";
    if (after < line.size() && line[after] == '=') {
      at = after + 1;
      while (at < line.size() && blank(line[at])) ++at;
      value = at < line.size() ? take_word(line, at, false) : "";
    }
    if (!key.empty()) found.emplace_back(std::move(key), std::move(value));
  }
}

std::string quoted_value(std::string_view value) {
  const bool plain = !value.empty() && std::none_of(value.begin(), value.end(), [](char c) {
    return blank(c) || c == '"' || c == '\'' || c == '=' || c == '{' || c == '[' || c == '\\' || c == '\n';
  });
  if (plain) return std::string(value);
  std::string text = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text + "\"";
}

}  // namespace tqm::matter
