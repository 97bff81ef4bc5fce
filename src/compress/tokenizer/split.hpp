// Cutting text into words before the merges: regular expressions as tokenizer.json states them, and the table of the
// families' rules.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tqm::compress {

// One cut of a text: what the pattern matched, or what lay between two matches.
struct Piece {
  std::string_view text;
  bool matched = false;
};

class Regex {
 public:
  // The dialect is Oniguruma's as far as the known rules use it: lookahead, possessive, \p{…}, \s as White_Space, ^ and
  // $ at lines.
  static Result<Regex> compile(const std::string& pattern, const std::string& where);
  // All pieces in order; together they are the text. An empty match cuts nothing. Linear for the rules of the table; a
  // pattern that backtracks without bound is stopped, and the character it was tried at becomes a piece of its own.
  void split(std::string_view text, std::vector<Piece>& out) const;
  const std::string& pattern() const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

// How the pieces of a match become words.
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };
std::vector<std::string_view> join_pieces(const std::vector<Piece>& pieces, SplitBehavior behavior);

// A family's rule under the names that GGUF files give it: `tokenizer.ggml.pre`; the first name is the one that is
// written.
struct SplitRule {
  std::vector<std::string_view> names;
  std::vector<std::string_view> patterns;  // applied one after the other, each to the pieces of the one before
  bool ignore_merges = false;              // a word that is a token whole is that token
  bool nfc = false;                        // the family's tokenizer.json normalises first
};
const std::vector<SplitRule>& split_rules();
const SplitRule* split_rule(std::string_view name);
// The pattern of ByteLevel(use_regex), GPT-2's.
std::string_view gpt2_pattern();

}  // namespace tqm::compress
