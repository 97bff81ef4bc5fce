#include <algorithm>
#include <unordered_set>

#include "compress/tokenizer/merges.hpp"
#include "compress/tokenizer/recipe.hpp"

namespace tqm::compress {
namespace {

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  out.reserve(text.size());
  size_t done = 0;
  for (size_t at; !from.empty() && (at = text.find(from, done)) != std::string_view::npos; done = at + from.size()) {
    out += text.substr(done, at - done);
    out += to;
  }
  out += text.substr(done);
  return out;
}

class RecipeTokenizer final : public Tokenizer {
 public:
  explicit RecipeTokenizer(Recipe recipe);

  std::vector<int32_t> encode(std::string_view text, const EncodeOptions& options) const override;
  std::string decode(const std::vector<int32_t>& ids) const override;
  std::string token_bytes(int32_t id) const override;
  int32_t vocab_size() const override { return static_cast<int32_t>(recipe_.tokens.size()); }
  int32_t bos() const override { return recipe_.bos; }
  const std::vector<int32_t>& stop_ids() const override { return stop_ids_; }
  std::optional<int32_t> id_of(std::string_view token) const override;
  bool adds_bos() const override { return recipe_.adds_bos; }
  Result<GgufVocabulary> to_gguf() const override { return gguf_of(recipe_); }
  Result<Json> to_tokenizer_json() const override { return tokenizer_json_of(recipe_); }
  Json to_tokenizer_config() const override { return tokenizer_config_of(recipe_); }

 private:
  std::string normalized(std::string_view text, bool leading_space) const;
  void encode_fragment(std::string_view text, const EncodeOptions& options, bool first,
                       std::vector<int32_t>& out) const;
  void encode_text(std::string_view text, std::vector<int32_t>& out) const;
  void encode_bytes(std::string_view word, std::vector<int32_t>& out) const;
  void encode_characters(std::string_view word, std::vector<int32_t>& out) const;
  bool join(int32_t left, int32_t right) const;
  void find_joins();

  Recipe recipe_;
  std::unordered_map<std::string_view, int32_t> index_;  // content → id
  std::vector<std::string> spelled_;                     // byte level: what each token is in bytes
  std::unordered_map<std::string_view, int32_t> words_;  // what a whole word is looked up by
  std::vector<int32_t> byte_ids_;                        // byte → id, −1 for none
  std::unordered_map<std::string_view, int32_t> hidden_index_;
  MergeTable merges_;
  std::unordered_set<uint64_t> joins_;  // neighbouring characters that some token holds side by side
  AddedTokenFinder raw_added_, normalized_added_;
  std::vector<bool> special_, added_;
  std::vector<int32_t> stop_ids_;
  std::string space_mark_;  // what stands for a blank inside tokens
  bool prefix_space_ = false;
  bool repairs_ = false;
};

RecipeTokenizer::RecipeTokenizer(Recipe recipe) : recipe_(std::move(recipe)), index_(index_of(recipe_.tokens)) {
  special_.resize(recipe_.tokens.size());
  added_.resize(recipe_.tokens.size());
  for (const Normalizer& step : recipe_.normalizers) {
    if (step.kind == Normalizer::Kind::unicode || step.pattern) repairs_ = true;
    if (step.kind == Normalizer::Kind::prepend) prefix_space_ = true;
    if (step.kind == Normalizer::Kind::replace && step.from == " ") space_mark_ = step.to;
  }
  repairs_ = repairs_ || recipe_.byte_level || !recipe_.cuts.empty();
  if (recipe_.metaspace) {
    space_mark_ = recipe_.metaspace->mark;
    prefix_space_ = recipe_.metaspace->prepend != Metaspace::Prepend::never;
  }
  for (const AddedToken& token : recipe_.added) {
    special_[static_cast<size_t>(token.id)] = token.special;
    added_[static_cast<size_t>(token.id)] = true;
    if (token.normalized) {
      AddedToken as_found = token;
      as_found.content = normalized(token.content, true);
      normalized_added_.add(as_found);
    } else {
      raw_added_.add(token);
    }
  }
  stop_ids_ = stop_tokens(recipe_);
  if (recipe_.byte_level) {
    spelled_.resize(recipe_.tokens.size());
    byte_ids_.assign(256, -1);
    for (size_t id = 0; id < recipe_.tokens.size(); ++id) {
      if (auto bytes = characters_to_bytes(recipe_.tokens[id])) spelled_[id] = std::move(*bytes);
    }
    words_ = index_of(spelled_);
    for (unsigned b = 0; b < 256; ++b) {
      const char byte = static_cast<char>(static_cast<unsigned char>(b));
      if (const auto found = words_.find(std::string_view(&byte, 1)); found != words_.end())
        byte_ids_[b] = found->second;
    }
  } else {
    words_ = index_;
    byte_ids_ = byte_tokens(index_);
    for (size_t i = 0; i < recipe_.hidden.size(); ++i) {
      hidden_index_.emplace(recipe_.hidden[i], static_cast<int32_t>(recipe_.tokens.size() + i));
    }
  }
  for (const MergeRule& merge : recipe_.merges) merges_.add(merge.left, merge.right, {merge.rank, merge.result});
  if (!recipe_.byte_level) find_joins();
}

// A merge reaches over the place between two characters only if its token holds them side by side; elsewhere the text
// is cut, and each stretch merged alone. The first and last character of every token that takes part in a merge say
// which pairs those are.
void RecipeTokenizer::find_joins() {
  const auto content = [&](int32_t id) -> std::string_view {
    const auto at = static_cast<size_t>(id);
    return at < recipe_.tokens.size() ? recipe_.tokens[at] : recipe_.hidden[at - recipe_.tokens.size()];
  };
  const auto symbol = [&](std::string_view character) {
    if (const auto found = index_.find(character); found != index_.end()) return found->second;
    const auto found = hidden_index_.find(character);
    return found != hidden_index_.end() ? found->second : -1;
  };
  for (const MergeRule& merge : recipe_.merges) {
    const std::string_view left = content(merge.left), right = content(merge.right);
    size_t last = 0;
    for (size_t at = 0; at < left.size(); at += announced_length(left, at)) last = at;
    const int32_t lasts[] = {merge.left, symbol(left.substr(last))};
    const int32_t firsts[] = {merge.right, symbol(right.substr(0, announced_length(right, 0)))};
    for (const int32_t l : lasts) {
      for (const int32_t r : firsts) {
        if (l >= 0 && r >= 0) joins_.insert((static_cast<uint64_t>(l) << 32) | static_cast<uint64_t>(r));
      }
    }
  }
}

bool RecipeTokenizer::join(int32_t left, int32_t right) const {
  return joins_.contains((static_cast<uint64_t>(left) << 32) | static_cast<uint64_t>(right));
}

std::string RecipeTokenizer::normalized(std::string_view text, bool leading_space) const {
  std::string out(text);
  for (const Normalizer& step : recipe_.normalizers) {
    switch (step.kind) {
      case Normalizer::Kind::unicode:
        out = normalize(out, step.form);
        break;
      case Normalizer::Kind::prepend:
        if (leading_space && !out.empty()) out.insert(0, step.to);
        break;
      case Normalizer::Kind::replace:
        if (step.pattern) {
          std::vector<Piece> pieces;
          step.pattern->split(out, pieces);
          std::string replaced;
          for (const Piece& piece : pieces) replaced += piece.matched ? std::string_view(step.to) : piece.text;
          out = std::move(replaced);
        } else {
          out = replace_all(out, step.from, step.to);
        }
        break;
    }
  }
  return out;
}

std::vector<int32_t> RecipeTokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  std::vector<int32_t> out;
  if (options.bos && recipe_.bos >= 0) out.push_back(recipe_.bos);
  std::string repaired;
  if (repairs_ && needs_repair(text)) {
    repaired = repair_utf8(text);
    text = repaired;
  }
  for (const Fragment& fragment : raw_added_.split(text, options.parse_special)) {
    if (fragment.id >= 0) {
      out.push_back(fragment.id);
    } else {
      encode_fragment(fragment.text, options, fragment.text.data() == text.data(), out);
    }
  }
  if (options.eos && recipe_.eos >= 0) out.push_back(recipe_.eos);
  return out;
}

void RecipeTokenizer::encode_fragment(std::string_view text, const EncodeOptions& options, bool first,
                                      std::vector<int32_t>& out) const {
  std::string changed;
  if (!recipe_.normalizers.empty()) {
    changed = normalized(text, options.leading_space);
    text = changed;
  }
  for (const Fragment& fragment : normalized_added_.split(text, options.parse_special)) {
    if (fragment.id >= 0) {
      out.push_back(fragment.id);
      continue;
    }
    if (recipe_.metaspace) {
      const Metaspace& step = *recipe_.metaspace;
      std::string marked = replace_all(fragment.text, " ", step.mark);
      const bool wanted = step.prepend == Metaspace::Prepend::always ||
                          (step.prepend == Metaspace::Prepend::first && first && fragment.text.data() == text.data());
      if (wanted && options.leading_space && !marked.starts_with(step.mark)) marked.insert(0, step.mark);
      encode_text(marked, out);
    } else if (recipe_.byte_level_prefix && options.leading_space && !fragment.text.starts_with(' ')) {
      encode_text(" " + std::string(fragment.text), out);
    } else {
      encode_text(fragment.text, out);
    }
  }
}

void RecipeTokenizer::encode_text(std::string_view text, std::vector<int32_t>& out) const {
  std::vector<std::string_view> words{text};
  if (recipe_.metaspace && recipe_.metaspace->split) {
    words.clear();
    size_t start = 0;
    for (size_t at = text.find(recipe_.metaspace->mark, 1); at != std::string_view::npos;
         at = text.find(recipe_.metaspace->mark, at + 1)) {
      words.push_back(text.substr(start, at - start));
      start = at;
    }
    words.push_back(text.substr(start));
  }
  for (const Cut& cut : recipe_.cuts) {
    std::vector<std::string_view> cut_words;
    std::vector<Piece> pieces;
    for (const std::string_view word : words) {
      pieces.clear();
      cut.pattern.split(word, pieces);
      if (cut.invert) {
        for (Piece& piece : pieces) piece.matched = !piece.matched;
      }
      for (const std::string_view joined : join_pieces(pieces, cut.behavior)) cut_words.push_back(joined);
    }
    words = std::move(cut_words);
  }
  for (const std::string_view word : words) {
    if (recipe_.ignore_merges) {
      if (const auto whole = words_.find(word); whole != words_.end()) {
        out.push_back(whole->second);
        continue;
      }
    }
    if (recipe_.byte_level) {
      encode_bytes(word, out);
    } else {
      encode_characters(word, out);
    }
  }
}

void RecipeTokenizer::encode_bytes(std::string_view word, std::vector<int32_t>& out) const {
  const size_t start = out.size();
  for (const char byte : word) {
    const int32_t id = byte_ids_[static_cast<unsigned char>(byte)];
    if (id >= 0) {
      out.push_back(id);
    } else if (recipe_.unknown >= 0 && recipe_.origin == Recipe::Origin::tokenizer_json) {
      if (!recipe_.fuse_unknown || out.size() == start || out.back() != recipe_.unknown) out.push_back(recipe_.unknown);
    }
  }
  merges_.apply(out, start);
}

void RecipeTokenizer::encode_characters(std::string_view word, std::vector<int32_t>& out) const {
  const auto vocabulary = static_cast<int32_t>(recipe_.tokens.size());
  const auto length_at = [&](size_t at) {
    if (recipe_.character_rule == CharacterRule::announced) return announced_length(word, at);
    size_t length = 1;
    while (length < 4 && at + length < word.size() && (static_cast<unsigned char>(word[at + length]) & 0xC0) == 0x80)
      ++length;
    return length;
  };
  const auto spelled_in_bytes = [&](std::string_view character) {
    return recipe_.byte_fallback &&
           std::ranges::all_of(character, [&](char b) { return byte_ids_[static_cast<unsigned char>(b)] >= 0; });
  };
  size_t start = out.size();  // of the stretch that is being filled
  int32_t last = -1;          // its last character
  bool unknown_before = false;
  std::vector<int32_t> expanded;
  const auto finish = [&] {
    merges_.apply(out, start);
    if (!recipe_.hidden.empty() && std::any_of(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
                                               [&](int32_t id) { return id >= vocabulary; })) {
      expanded.assign(out.begin() + static_cast<std::ptrdiff_t>(start), out.end());
      out.resize(start);
      for (const int32_t id : expanded) {
        if (id < vocabulary) {
          out.push_back(id);
          continue;
        }
        const std::string& bytes = recipe_.hidden[static_cast<size_t>(id - vocabulary)];
        if (spelled_in_bytes(bytes)) {
          for (const char b : bytes) out.push_back(byte_ids_[static_cast<unsigned char>(b)]);
        } else if (recipe_.unknown >= 0) {
          out.push_back(recipe_.unknown);
        }
      }
    }
    start = out.size();
  };
  const auto push = [&](int32_t id) {
    if (last >= 0 && !join(last, id)) finish();
    out.push_back(id);
    last = id;
  };
  for (size_t at = 0; at < word.size();) {
    const std::string_view character = word.substr(at, length_at(at));
    at += character.size();
    if (const auto found = words_.find(character); found != words_.end()) {
      unknown_before = false;
      push(found->second);
      continue;
    }
    if (const auto found = hidden_index_.find(character); found != hidden_index_.end()) {
      unknown_before = false;
      push(found->second);
      continue;
    }
    if (spelled_in_bytes(character)) {
      unknown_before = false;
      for (const char b : character) push(byte_ids_[static_cast<unsigned char>(b)]);
    } else if (recipe_.unknown >= 0) {
      if (!recipe_.fuse_unknown || !unknown_before) push(recipe_.unknown);
      unknown_before = true;
    }
  }
  finish();
}

std::string RecipeTokenizer::token_bytes(int32_t id) const {
  if (id < 0 || id >= vocab_size()) return {};
  const auto at = static_cast<size_t>(id);
  if (special_[at]) return {};
  if (added_[at]) return recipe_.tokens[at];
  if (recipe_.byte_level) return spelled_[at];
  const std::string& token = recipe_.tokens[at];
  if (token.size() == 6 && token.starts_with("<0x")) {
    for (size_t b = 0; b < 256; ++b) {
      if (byte_ids_[b] == id) return std::string(1, static_cast<char>(static_cast<unsigned char>(b)));
    }
  }
  return space_mark_.empty() ? token : replace_all(token, space_mark_, " ");
}

std::string RecipeTokenizer::decode(const std::vector<int32_t>& ids) const {
  std::string out;
  for (const int32_t id : ids) out += token_bytes(id);
  if (prefix_space_ && out.starts_with(' ')) out.erase(0, 1);
  return out;
}

std::optional<int32_t> RecipeTokenizer::id_of(std::string_view token) const {
  const auto found = index_.find(token);
  if (found != index_.end()) return found->second;
  for (const AddedToken& added : recipe_.added) {
    if (added.content == token) return added.id;
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const Tokenizer> make_tokenizer(Recipe recipe) {
  return std::make_shared<RecipeTokenizer>(std::move(recipe));
}

}  // namespace tqm::compress
