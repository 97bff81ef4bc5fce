// GGUF's tokenizer keys: read into a recipe, and written from one.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "compress/tokenizer/merges.hpp"
#include "compress/tokenizer/recipe.hpp"

namespace tqm::compress {
namespace {

constexpr int32_t normal_type = 1, unknown_type = 2, control_type = 3, user_type = 4, unused_type = 5, byte_type = 6;
constexpr std::string_view mark = "▁";
constexpr size_t longest_token = 4096;

std::string known_rules() {
  std::string names;
  for (const SplitRule& rule : split_rules()) {
    for (const std::string_view name : rule.names) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  return names;
}

Status check_sizes(const GgufVocabulary& v, const std::string& where) {
  const auto bad = [&](std::string what) {
    return Error{ErrorKind::bad_input, std::move(what), where, "take a GGUF file with a whole tokenizer"};
  };
  if (v.tokens.empty()) return bad("the vocabulary is empty: tokenizer.ggml.tokens");
  if (v.tokens.size() > (size_t{1} << 24))
    return bad(fmt::format("{} tokens are more than a vocabulary holds", v.tokens.size()));
  if (!v.token_types.empty() && v.token_types.size() != v.tokens.size()) {
    return bad(fmt::format("{} token types for {} tokens", v.token_types.size(), v.tokens.size()));
  }
  if (!v.scores.empty() && v.scores.size() != v.tokens.size()) {
    return bad(fmt::format("{} token scores for {} tokens", v.scores.size(), v.tokens.size()));
  }
  for (size_t id = 0; id < v.tokens.size(); ++id) {
    if (v.tokens[id].size() > longest_token) {
      return bad(fmt::format("token {} is {} bytes long, more than {}", id, v.tokens[id].size(), longest_token));
    }
    if (!v.scores.empty() && !std::isfinite(v.scores[id]))
      return bad(fmt::format("the score of token {} is not finite", id));
  }
  const std::pair<const char*, int32_t> ids[] = {
      {"bos", v.bos}, {"eos", v.eos}, {"unknown", v.unknown}, {"padding", v.padding}};
  for (const auto& [name, id] : ids) {
    if (id >= 0 && static_cast<size_t>(id) >= v.tokens.size()) {
      return bad(fmt::format("the {} token {} is beyond the {} tokens", name, id, v.tokens.size()));
    }
  }
  return {};
}

Status read_merges(const std::vector<std::string>& lines, Recipe& recipe) {
  const auto index = index_of(recipe.tokens);
  const auto bad = [&](size_t at, const std::string& what) {
    return Error{ErrorKind::bad_input, fmt::format("merge {} '{}' {}", at, lines[at], what), recipe.where,
                 "take a file whose merges and tokens belong together"};
  };
  recipe.merges.reserve(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const size_t blank = line.find(' ', 1);
    if (blank == std::string_view::npos) return bad(i, "is not two words with a blank between them");
    const std::string_view left = line.substr(0, blank), right = line.substr(blank + 1);
    const auto left_id = index.find(left), right_id = index.find(right);
    const auto result = index.find(std::string(left) + std::string(right));
    if (left_id == index.end() || right_id == index.end() || result == index.end()) {
      return bad(i, "names what is not among the tokens");
    }
    recipe.merges.push_back({left_id->second, right_id->second, result->second, static_cast<uint32_t>(i)});
  }
  return {};
}

}  // namespace

Result<Recipe> recipe_from_gguf(GgufVocabulary v, const std::string& where) {
  TRY(check_sizes(v, where));
  Recipe recipe;
  recipe.where = where;
  recipe.tokens = std::move(v.tokens);
  recipe.scores = std::move(v.scores);
  recipe.token_types = std::move(v.token_types);
  recipe.token_types.resize(recipe.tokens.size(), normal_type);
  recipe.bos = v.bos, recipe.eos = v.eos, recipe.unknown = v.unknown, recipe.padding = v.padding;
  recipe.adds_bos = v.add_bos && v.bos >= 0;
  recipe.adds_eos = v.add_eos && v.eos >= 0;
  for (size_t id = 0; id < recipe.tokens.size(); ++id) {
    const int32_t type = recipe.token_types[id];
    if (type != control_type && type != user_type && type != unknown_type) continue;
    AddedToken token;
    token.id = static_cast<int32_t>(id);
    token.content = recipe.tokens[id];
    token.special = type != user_type;
    recipe.added.push_back(std::move(token));
  }

  if (v.model == "gpt2") {
    recipe.origin = Recipe::Origin::gguf_bytes;
    recipe.pre = v.pre.empty() ? "default" : v.pre;
    const SplitRule* rule = split_rule(recipe.pre);
    if (rule == nullptr) {
      return Error{ErrorKind::unsupported, "the splitting rule '" + v.pre + "' (tokenizer.ggml.pre) is not known",
                   where, "known are: " + known_rules()};
    }
    for (const std::string_view pattern : rule->patterns) {
      recipe.cuts.push_back({TRY(Regex::compile(std::string(pattern), where)), SplitBehavior::isolated, false});
    }
    if (rule->nfc) recipe.normalizers.emplace_back();
    recipe.ignore_merges = rule->ignore_merges;
    recipe.byte_level = true;
    if (v.merges.empty()) {
      return Error{ErrorKind::bad_input, "the vocabulary has no merges: tokenizer.ggml.merges", where,
                   "take a GGUF file with a whole tokenizer"};
    }
    TRY(read_merges(v.merges, recipe));
    return recipe;
  }
  if (v.model == "llama") {
    recipe.origin = Recipe::Origin::gguf_pieces;
    recipe.pre = v.pre.empty() ? "default" : v.pre;
    if (recipe.scores.empty()) {
      return Error{ErrorKind::bad_input, "the vocabulary has no scores: tokenizer.ggml.scores", where,
                   "take a GGUF file with a whole tokenizer"};
    }
    if (recipe.unknown < 0) recipe.unknown = 0;
    Normalizer prepend, replace;
    prepend.kind = Normalizer::Kind::prepend;
    prepend.to = mark;
    replace.kind = Normalizer::Kind::replace;
    replace.from = " ";
    replace.to = mark;
    if (v.add_space_prefix) recipe.normalizers.push_back(std::move(prepend));
    recipe.normalizers.push_back(std::move(replace));
    recipe.byte_fallback = true;
    recipe.merges = merges_of_scores(recipe.tokens, recipe.scores, &recipe.hidden);
    return recipe;
  }
  return Error{ErrorKind::unsupported, "the tokenizer model '" + v.model + "' (tokenizer.ggml.model) is not known",
               where, "known are: gpt2 (byte-level BPE), llama (SentencePiece-style BPE)"};
}

namespace {

Error no_gguf(const Recipe& recipe, std::string why) {
  return Error{ErrorKind::unsupported, "this tokenizer has no equal in GGUF: " + std::move(why), recipe.where,
               "write safetensors or compressed-tensors instead"};
}

GgufVocabulary with_ids(const Recipe& recipe) {
  GgufVocabulary v;
  v.bos = recipe.bos, v.eos = recipe.eos, v.unknown = recipe.unknown, v.padding = recipe.padding;
  v.add_bos = recipe.adds_bos, v.add_eos = recipe.adds_eos;
  v.tokens = recipe.tokens;
  return v;
}

void write_merges(const Recipe& recipe, GgufVocabulary& v) {
  v.merges.reserve(recipe.merges.size());
  for (const MergeRule& merge : recipe.merges) {
    v.merges.push_back(recipe.tokens[static_cast<size_t>(merge.left)] + " " +
                       recipe.tokens[static_cast<size_t>(merge.right)]);
  }
}

// Types of a tokenizer.json's tokens; ids without a token become unused ones.
void name_types(const Recipe& recipe, GgufVocabulary& v) {
  v.token_types.assign(v.tokens.size(), normal_type);
  for (size_t id = 0; id < v.tokens.size(); ++id) {
    if (!v.tokens[id].empty()) continue;
    v.tokens[id] = fmt::format("[PAD{}]", id);
    v.token_types[id] = unused_type;
  }
  for (const AddedToken& token : recipe.added) {
    const auto id = static_cast<size_t>(token.id);
    v.token_types[id] = token.id == recipe.unknown && !recipe.byte_level ? unknown_type
                        : token.special                                  ? control_type
                                                                         : user_type;
  }
}

Result<GgufVocabulary> bytes_of_json(const Recipe& recipe) {
  if (recipe.byte_level_prefix) return no_gguf(recipe, "it puts a blank before the text (add_prefix_space)");
  if (!recipe.byte_level) return no_gguf(recipe, "its tokens are spelled neither in bytes nor in SentencePiece's way");
  if (recipe.merges.empty()) return no_gguf(recipe, "it has no merges, and no reader takes such a file");
  const bool nfc = recipe.normalizers.size() == 1 && recipe.normalizers[0].kind == Normalizer::Kind::unicode &&
                   recipe.normalizers[0].form == UnicodeForm::nfc;
  if (!recipe.normalizers.empty() && !nfc) return no_gguf(recipe, "its normalizer is more than NFC");
  for (const SplitRule& rule : split_rules()) {
    const bool same = std::ranges::equal(rule.patterns, recipe.cuts, [](std::string_view pattern, const Cut& cut) {
      return pattern == cut.pattern.pattern() && cut.behavior == SplitBehavior::isolated && !cut.invert;
    });
    if (!same || rule.nfc != nfc || rule.ignore_merges != recipe.ignore_merges) continue;
    GgufVocabulary v = with_ids(recipe);
    v.model = "gpt2";
    v.pre = rule.names.front();
    v.add_space_prefix = false;
    name_types(recipe, v);
    write_merges(recipe, v);
    return v;
  }
  return no_gguf(recipe, "llama.cpp has no name for its splitting rule");
}

// The order of the pieces is told by the ranks of their merges; exact only where scores would give the same merges.
Result<GgufVocabulary> pieces_of_json(const Recipe& recipe) {
  GgufVocabulary v = with_ids(recipe);
  v.model = "llama";
  v.pre = "default";
  name_types(recipe, v);
  if (v.unknown < 0) return no_gguf(recipe, "it has no unknown token");
  v.token_types[static_cast<size_t>(v.unknown)] = unknown_type;
  for (const int32_t id : byte_tokens(index_of(recipe.tokens))) {
    if (id < 0)
      return no_gguf(recipe, "it lacks a byte token, without which llama.cpp stops at a character it has no token for");
    v.token_types[static_cast<size_t>(id)] = byte_type;
  }
  v.scores.assign(v.tokens.size(), -static_cast<float>(recipe.merges.size()) - 1);
  int32_t place = 0;
  std::vector<bool> placed(v.tokens.size());
  for (size_t i = 0; i < recipe.merges.size(); ++i) {
    const auto result = static_cast<size_t>(recipe.merges[i].result);
    if (i > 0 && recipe.merges[i - 1].result == recipe.merges[i].result) continue;
    if (placed[result]) return no_gguf(recipe, fmt::format("the merges of token {} are not all of one rank", result));
    placed[result] = true;
    v.scores[result] = -static_cast<float>(place++);
  }
  MergeTable listed;
  for (const MergeRule& merge : recipe.merges) listed.add(merge.left, merge.right, {merge.rank, merge.result});
  std::vector<std::string> hidden;
  for (const MergeRule& merge : merges_of_scores(recipe.tokens, v.scores, &hidden)) {
    if (listed.find(merge.left, merge.right).result < 0) {
      return no_gguf(
          recipe, fmt::format("scores would merge tokens {} and {}, which its merges do not", merge.left, merge.right));
    }
  }
  bool prepends = false, replaces = false, other = !recipe.cuts.empty();
  for (const Normalizer& step : recipe.normalizers) {
    if (step.kind == Normalizer::Kind::prepend && step.to == mark && !replaces) {
      prepends = true;
    } else if (step.kind == Normalizer::Kind::replace && !step.pattern && step.from == " " && step.to == mark) {
      replaces = true;
    } else {
      other = true;
    }
  }
  if (!replaces || other || recipe.metaspace || recipe.ignore_merges) {
    return no_gguf(recipe, "its steps are not SentencePiece's: a mark before the text, and marks for blanks");
  }
  v.add_space_prefix = prepends;
  return v;
}

Result<GgufVocabulary> pieces_of_llama2c(const Recipe& recipe) {
  GgufVocabulary v = with_ids(recipe);
  v.model = "llama";
  v.pre = "default";
  v.scores = recipe.scores;
  v.token_types.assign(v.tokens.size(), normal_type);
  if (!recipe.byte_fallback) {
    return no_gguf(recipe, "it has no byte tokens, and llama.cpp stops at a character it has no token for");
  }
  for (std::string& token : v.tokens) {
    if (token.find(mark) != std::string::npos)
      return no_gguf(recipe, "a token holds U+2581, which stands for a blank in GGUF");
    for (size_t at; (at = token.find(' ')) != std::string::npos;) token.replace(at, 1, mark);
  }
  for (const int32_t id : byte_tokens(index_of(recipe.tokens))) v.token_types[static_cast<size_t>(id)] = byte_type;
  v.token_types[static_cast<size_t>(recipe.unknown)] = unknown_type;
  for (const AddedToken& token : recipe.added) {
    v.tokens[static_cast<size_t>(token.id)] = token.content;
    if (token.id != recipe.unknown) v.token_types[static_cast<size_t>(token.id)] = control_type;
  }
  v.add_space_prefix = !recipe.normalizers.empty();
  return v;
}

}  // namespace

Result<GgufVocabulary> gguf_of(const Recipe& recipe) {
  switch (recipe.origin) {
    case Recipe::Origin::gguf_bytes:
    case Recipe::Origin::gguf_pieces: {
      const bool bytes = recipe.origin == Recipe::Origin::gguf_bytes;
      GgufVocabulary v = with_ids(recipe);
      v.model = bytes ? "gpt2" : "llama";
      v.pre = recipe.pre;
      v.scores = recipe.scores;
      v.token_types = recipe.token_types;
      if (bytes) write_merges(recipe, v);
      v.add_space_prefix = !bytes && recipe.normalizers.size() == 2;
      return v;
    }
    case Recipe::Origin::tokenizer_json:
      return recipe.byte_fallback ? pieces_of_json(recipe) : bytes_of_json(recipe);
    case Recipe::Origin::llama2c:
      return pieces_of_llama2c(recipe);
  }
  ASSERT(false);
  return GgufVocabulary{};
}

Result<std::shared_ptr<const Tokenizer>> tokenizer_from_gguf(GgufVocabulary vocabulary, const std::string& where) {
  return make_tokenizer(TRY(recipe_from_gguf(std::move(vocabulary), where)));
}

}  // namespace tqm::compress
