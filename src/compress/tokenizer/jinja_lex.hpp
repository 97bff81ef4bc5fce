// A template cut into text and the words of its tags.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace tqm::compress::jinja {

struct Token {
  enum class Kind {
    text,
    output_begin,
    output_end,
    block_begin,
    block_end,
    name,
    string,
    integer,
    real,
    symbol,
    end
  } kind = Kind::end;
  std::string text;
  int line = 1;
};

// With the white space rules of trim_blocks and lstrip_blocks, as chat templates assume them. The last token is `end`.
Result<std::vector<Token>> tokens_of(const std::string& source);

}  // namespace tqm::compress::jinja
