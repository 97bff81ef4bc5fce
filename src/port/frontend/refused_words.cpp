#include "port/frontend/refused_words.hpp"

#include <algorithm>
#include <cctype>

#include "port/frontend/known_calls.hpp"

namespace tqm::port {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::optional<RefusedWord> of(const std::string& word) {
  if (word == "throw" || word == "try") return RefusedWord{2023, "an exception in a kernel"};
  const KnownCall* call = find_known_call(word);
  if (!call || call->form != CallForm::refuse || call->number == 0) return std::nullopt;
  return RefusedWord{call->number, word + ": " + call->intrinsic};
}

}  // namespace

std::optional<RefusedWord> refused_word(std::string_view line) {
  line = line.substr(0, line.find("//"));
  if (line.find("<<<") != std::string_view::npos)
    return RefusedWord{2004, "a kernel launched from a kernel: the chip can't start work itself"};
  for (auto at = line.begin(); at != line.end();) {
    const auto begin = std::find_if(at, line.end(), in_word);
    at = std::find_if_not(begin, line.end(), in_word);
    if (auto word = of(std::string(begin, at))) return word;
  }
  return std::nullopt;
}

}  // namespace tqm::port
