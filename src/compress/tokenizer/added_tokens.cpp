#include "compress/tokenizer/added_tokens.hpp"

#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress {

const AddedTokenFinder::Node* AddedTokenFinder::child_of(const Node& node, char byte) const {
  for (uint32_t at = node.child; at != 0; at = nodes_[at].sibling) {
    if (nodes_[at].byte == byte) return &nodes_[at];
  }
  return nullptr;
}

void AddedTokenFinder::add(const AddedToken& token) {
  if (token.content.empty()) return;
  starts_[static_cast<unsigned char>(token.content[0])] = true;
  uint32_t at = 0;
  for (const char byte : token.content) {
    if (const Node* child = child_of(nodes_[at], byte)) {
      at = static_cast<uint32_t>(child - nodes_.data());
      continue;
    }
    const auto made = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({-1, 0, nodes_[at].child, byte});
    nodes_[at].child = made;
    at = made;
  }
  nodes_[at].token = static_cast<int32_t>(tokens_.size());
  tokens_.push_back(token);
}

namespace {

// Where the character before `at` starts.
size_t previous_start(std::string_view text, size_t at) {
  size_t start = at - 1;
  while (start > 0 && at - start < 4 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
  return start;
}

bool word_before(std::string_view text, size_t at) {
  return at > 0 && is_word_character(code_point_at(text, previous_start(text, at)).value);
}

bool word_at(std::string_view text, size_t at) {
  return at < text.size() && is_word_character(code_point_at(text, at).value);
}

}  // namespace

std::vector<Fragment> AddedTokenFinder::split(std::string_view text, bool with_special) const {
  std::vector<Fragment> out;
  size_t done = 0;
  for (size_t at = 0; at < text.size();) {
    if (!starts_[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    const AddedToken* found = nullptr;
    const Node* node = nodes_.data();
    for (size_t i = at; i < text.size() && (node = child_of(*node, text[i])) != nullptr; ++i) {
      if (node->token < 0) continue;
      const AddedToken& token = tokens_[static_cast<size_t>(node->token)];
      if (with_special || !token.special) found = &token;
    }
    if (found == nullptr) {
      ++at;
      continue;
    }
    size_t start = at, end = at + found->content.size();
    if (found->single_word && (word_before(text, start) || word_at(text, end))) {
      at = end;
      continue;
    }
    if (found->lstrip) {
      while (start > done) {
        const size_t before = previous_start(text, start);
        if (before < done || !is_white_space(code_point_at(text, before).value)) break;
        start = before;
      }
    }
    if (found->rstrip) {
      while (end < text.size()) {
        const CodePoint c = code_point_at(text, end);
        if (c.length == 0 || !is_white_space(c.value)) break;
        end += c.length;
      }
    }
    if (start > done) out.push_back({text.substr(done, start - done), -1});
    out.push_back({text.substr(start, end - start), found->id});
    done = at = end;
  }
  if (done < text.size()) out.push_back({text.substr(done), -1});
  return out;
}

}  // namespace tqm::compress
