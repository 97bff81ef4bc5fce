#include "compress/tokenizer/recipe.hpp"

#include <algorithm>
#include <cstdio>

namespace tqm::compress {

std::unordered_map<std::string_view, int32_t> index_of(const std::vector<std::string>& tokens) {
  std::unordered_map<std::string_view, int32_t> index;
  index.reserve(tokens.size());
  for (size_t id = 0; id < tokens.size(); ++id) {
    if (!tokens[id].empty()) index.emplace(tokens[id], static_cast<int32_t>(id));
  }
  return index;
}

std::vector<int32_t> byte_tokens(const std::unordered_map<std::string_view, int32_t>& index) {
  std::vector<int32_t> ids(256, -1);
  for (unsigned b = 0; b < 256; ++b) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", b);
    if (const auto found = index.find(name); found != index.end()) ids[b] = found->second;
  }
  return ids;
}

std::vector<MergeRule> merges_of_scores(const std::vector<std::string>& tokens, const std::vector<float>& scores,
                                        std::vector<std::string>* hidden) {
  auto index = index_of(tokens);
  if (hidden != nullptr) {
    std::unordered_map<std::string_view, int32_t> found;
    for (const std::string& token : tokens) {
      for (size_t at = 0; at < token.size(); at += announced_length(token, at)) {
        const std::string_view character = std::string_view(token).substr(at, announced_length(token, at));
        if (character.size() < token.size() && !index.contains(character) && !found.contains(character)) {
          found.emplace(character, static_cast<int32_t>(tokens.size() + hidden->size()));
          hidden->emplace_back(character);
        }
      }
    }
    index.merge(found);
  }
  std::vector<MergeRule> merges;
  for (const auto& [token, id] : index) {
    if (static_cast<size_t>(id) >= tokens.size()) continue;
    for (size_t at = 1; at < token.size(); ++at) {
      const auto left = index.find(token.substr(0, at));
      if (left == index.end()) continue;
      const auto right = index.find(token.substr(at));
      if (right == index.end()) continue;
      merges.push_back({left->second, right->second, id, 0});
    }
  }
  const auto score = [&](const MergeRule& merge) { return scores[static_cast<size_t>(merge.result)]; };
  const auto length = [&](int32_t id) {
    const auto at = static_cast<size_t>(id);
    return at < tokens.size() ? tokens[at].size() : (*hidden)[at - tokens.size()].size();
  };
  // Of one score, the longest left part first: where that is made a rank, runs of blanks still grow from the left.
  std::ranges::sort(merges, [&](const MergeRule& a, const MergeRule& b) {
    if (score(a) != score(b)) return score(a) > score(b);
    if (length(a.left) != length(b.left)) return length(a.left) > length(b.left);
    if (length(a.right) != length(b.right)) return length(a.right) > length(b.right);
    return a.result < b.result;
  });
  uint32_t rank = 0;
  for (size_t i = 0; i < merges.size(); ++i) {
    if (i > 0 && score(merges[i]) != score(merges[i - 1])) ++rank;
    merges[i].rank = rank;
  }
  return merges;
}

std::vector<int32_t> stop_tokens(const Recipe& recipe) {
  static constexpr std::string_view names[] = {"<|eot_id|>",      "<|eom_id|>", "<|im_end|>",    "<|endoftext|>",
                                               "<|end_of_text|>", "<|end|>",    "<end_of_turn>", "<|eos|>"};
  std::vector<int32_t> ids;
  const auto add = [&](int32_t id) {
    if (id >= 0 && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  };
  add(recipe.eos);
  for (const int32_t id : recipe.stop_ids) add(id);
  for (const AddedToken& token : recipe.added) {
    if (token.special && std::ranges::find(names, token.content) != std::end(names)) add(token.id);
  }
  return ids;
}

}  // namespace tqm::compress
