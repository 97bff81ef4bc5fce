// All that tells how text becomes ids, in one plain form: tokenizer.json, GGUF keys and llama2.c vocabularies are read
// into it, the tokeniser runs on it, and the other forms are written from it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compress/tokenizer/added_tokens.hpp"
#include "compress/tokenizer/split.hpp"
#include "compress/tokenizer/tokenizer.hpp"
#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress {

// A step that changes the text of a fragment.
struct Normalizer {
  enum class Kind { unicode, prepend, replace } kind = Kind::unicode;
  UnicodeForm form = UnicodeForm::nfc;
  std::string from, to;          // prepend puts `to` before a text that is not empty; replace puts `to` for each `from`
  std::optional<Regex> pattern;  // replace: in place of `from`
};

// SentencePiece's way with blanks, where the vocabulary was made with the Metaspace step: each blank becomes the mark,
// and a mark is put before the text unless there is one.
struct Metaspace {
  std::string mark;
  enum class Prepend { always, first, never } prepend = Prepend::always;
  bool split = true;
};

struct Cut {
  Regex pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;  // the pieces between the matches are the matches
};

struct MergeRule {
  int32_t left = -1, right = -1, result = -1;
  uint32_t rank = 0;
};

// What is one character of text that is no valid UTF-8.
enum class CharacterRule {
  announced,     // as many bytes as its lead byte announces: llama.cpp's SentencePiece
  continuation,  // a byte and up to three continuation bytes after it: llama2.c
};

struct Recipe {
  enum class Origin { tokenizer_json, gguf_bytes, gguf_pieces, llama2c } origin = Origin::tokenizer_json;
  std::string where;   // to name in messages
  std::string source;  // the text of the tokenizer.json it was read from
  std::string config;  // and of the tokenizer_config.json beside it
  std::string pre;     // GGUF's name of the splitting rule

  std::vector<std::string> tokens;   // by id; ids without a token are empty
  std::vector<float> scores;         // by id, of the two forms that have them
  std::vector<int32_t> token_types;  // by id, GGUF's numbers
  std::vector<AddedToken> added;

  std::vector<Normalizer> normalizers;
  std::optional<Metaspace> metaspace;
  std::vector<Cut> cuts;

  bool byte_level = false;         // tokens are spelled in the alphabet of bytes
  bool byte_level_prefix = false;  // a blank is put before a text that starts without one
  bool byte_fallback = false;      // a character without a token becomes its bytes' tokens <0x..>
  bool fuse_unknown = false;
  bool ignore_merges = false;
  CharacterRule character_rule = CharacterRule::announced;
  std::vector<MergeRule> merges;    // by rank; may name hidden tokens
  std::vector<std::string> hidden;  // characters within tokens that are no tokens themselves: ids from tokens.size() on

  int32_t bos = -1, eos = -1, unknown = -1, padding = -1;
  bool adds_bos = false, adds_eos = false;
  std::vector<int32_t> stop_ids;
};

// The words by content; the first of equal ones.
std::unordered_map<std::string_view, int32_t> index_of(const std::vector<std::string>& tokens);

// The id of <0x..>, −1 where the vocabulary has none.
std::vector<int32_t> byte_tokens(const std::unordered_map<std::string_view, int32_t>& index);

// The merges that scores stand for: whatever two neighbours make a token, best score first. `hidden` receives the
// characters that tokens consist of and that are none themselves, where they may be merged from.
std::vector<MergeRule> merges_of_scores(const std::vector<std::string>& tokens, const std::vector<float>& scores,
                                        std::vector<std::string>* hidden);

// Tokens that end a generation in the families' chat forms, by name.
std::vector<int32_t> stop_tokens(const Recipe& recipe);

std::shared_ptr<const Tokenizer> make_tokenizer(Recipe recipe);

// The forms, one file each.
Result<Recipe> recipe_from_json(std::string text, const std::string& where);
Result<Recipe> recipe_from_gguf(GgufVocabulary vocabulary, const std::string& where);
Result<GgufVocabulary> gguf_of(const Recipe& recipe);
Result<Json> tokenizer_json_of(const Recipe& recipe);
Json tokenizer_config_of(const Recipe& recipe);

}  // namespace tqm::compress
