// A C++ source as words, without comments: for what Clang left out or gave up on. Never fails; what is no C++ gives
// words too.
#pragma once

#include <string_view>
#include <vector>

namespace tqm::port {

struct Token {
  enum Kind { word, number, quoted, sign } kind = sign;
  std::string_view text;   // a sign is one character, but for :: and <<<
  int line = 0;            // from 1
  bool directive = false;  // in a line that begins with #
};

// The tokens point into source.
std::vector<Token> lex(std::string_view source);

}  // namespace tqm::port
