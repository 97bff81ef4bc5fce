// C++ text as tokens, with their places in the text. Enough to look for names, calls and blocks; comments and line
// markers are left out, a preprocessor line is one token.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tqm::port::dialect {

enum class TokenKind { identifier, number, literal, punctuation, directive };

struct Token {
  TokenKind kind = TokenKind::punctuation;
  std::string_view text;  // of the source it was read from
  std::size_t begin = 0;  // offset there
  int line = 1;

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view word) const { return text == word; }
};

// Never fails: what is no token (an open string, a stray byte) is taken as far as it goes. `<<<` and `>>>` are tokens.
std::vector<Token> tokenize(std::string_view text);

// The place of the bracket that closes the one at `open` ( ( [ { or <<< ); the number of tokens where there is none.
std::size_t matching(const std::vector<Token>& tokens, std::size_t open);

}  // namespace tqm::port::dialect
