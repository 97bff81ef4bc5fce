// Tokens that are looked for in the text itself, before any word is cut: special ones and those a user added.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tqm::compress {

struct AddedToken {
  int32_t id = -1;
  std::string content;
  bool special = false;      // never part of the text that is shown; found only where special tokens are asked for
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // takes the white space after it
  bool single_word = false;  // not inside a word
  bool normalized = false;   // looked for after normalising
};

// A stretch of text: one added token (id ≥ 0), or text in between.
struct Fragment {
  std::string_view text;
  int32_t id = -1;
};

// Finds the longest token at the leftmost place, in one pass over the text.
class AddedTokenFinder {
 public:
  void add(const AddedToken& token);
  bool empty() const { return tokens_.empty(); }
  // Special tokens are left alone unless asked for.
  std::vector<Fragment> split(std::string_view text, bool with_special) const;

 private:
  struct Node {
    int32_t token = -1;  // index in tokens_
    uint32_t child = 0;  // first child, 0: none
    uint32_t sibling = 0;
    char byte = 0;
  };
  const Node* child_of(const Node& node, char byte) const;

  std::vector<AddedToken> tokens_;
  std::vector<Node> nodes_{1};
  bool starts_[256] = {};
};

}  // namespace tqm::compress
