// tokenizer.json and its neighbours, read into a recipe.
#include <algorithm>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "compress/tokenizer/recipe.hpp"

namespace tqm::compress {
namespace {

constexpr std::string_view mark = "▁";
constexpr size_t most_tokens = size_t{1} << 24;

// A member that is there and not null.
const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool flag(const Json& object, const char* key, bool otherwise) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_boolean() ? value->get<bool>() : otherwise;
}

std::string text(const Json& object, const char* key, const std::string& otherwise = {}) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : otherwise;
}

class Reader {
 public:
  explicit Reader(const std::string& where) { recipe_.where = where; }
  Result<Recipe> read(const Json& json);

 private:
  Error bad(std::string what) const {
    return {ErrorKind::bad_input, std::move(what), recipe_.where, "take the tokenizer.json that belongs to the model"};
  }
  Error unknown(const std::string& what, const std::string& name, const std::string& known) const {
    return {ErrorKind::unsupported, fmt::format("the {} '{}' is not known", what, name), recipe_.where,
            "known are: " + known};
  }
  Status read_model(const Json& model);
  Status read_vocabulary(const Json& vocabulary);
  Status read_merges(const Json& merges);
  Status read_added(const Json& tokens);
  Status read_normalizer(const Json& step);
  Status read_pre_tokenizer(const Json& step);
  Status read_post_processor(const Json& step);
  Status add_token(int64_t id, const std::string& content);
  Result<std::string> pattern_of(const Json& step, bool& is_regex) const;

  Recipe recipe_;
};

Result<Recipe> Reader::read(const Json& json) {
  if (!json.is_object()) return bad("a tokenizer.json holds an object");
  const Json* model = member(json, "model");
  if (model == nullptr) return bad("tokenizer.json has no model");
  TRY(read_model(*model));
  if (const Json* added = member(json, "added_tokens")) TRY(read_added(*added));
  if (const Json* step = member(json, "normalizer")) TRY(read_normalizer(*step));
  if (const Json* step = member(json, "pre_tokenizer")) TRY(read_pre_tokenizer(*step));
  if (const Json* step = member(json, "post_processor")) TRY(read_post_processor(*step));
  return std::move(recipe_);
}

Status Reader::add_token(int64_t id, const std::string& content) {
  if (id < 0 || static_cast<uint64_t>(id) >= most_tokens)
    return bad(fmt::format("the token '{}' has the id {}", content, id));
  const auto at = static_cast<size_t>(id);
  if (at >= recipe_.tokens.size()) recipe_.tokens.resize(at + 1);
  if (!recipe_.tokens[at].empty() && recipe_.tokens[at] != content) {
    return bad(fmt::format("the tokens '{}' and '{}' have the same id {}", recipe_.tokens[at], content, id));
  }
  recipe_.tokens[at] = content;
  return {};
}

Status Reader::read_model(const Json& model) {
  const std::string type = text(model, "type", member(model, "merges") != nullptr ? "BPE" : "");
  if (type != "BPE") return unknown("tokenizer model", type, "BPE");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!text(model, key).empty())
      return unknown("option of the tokenizer model", key, "byte_fallback, fuse_unk, ignore_merges, unk_token");
  }
  const Json *vocabulary = member(model, "vocab"), *merges = member(model, "merges");
  if (vocabulary == nullptr || merges == nullptr)
    return bad("the model in tokenizer.json lacks its vocab or its merges");
  TRY(read_vocabulary(*vocabulary));
  TRY(read_merges(*merges));
  recipe_.byte_fallback = flag(model, "byte_fallback", false);
  recipe_.fuse_unknown = flag(model, "fuse_unk", false);
  recipe_.ignore_merges = flag(model, "ignore_merges", false);
  if (const std::string name = text(model, "unk_token"); !name.empty()) {
    const auto found = std::ranges::find(recipe_.tokens, name);
    if (found == recipe_.tokens.end()) return bad("the unknown token '" + name + "' is not in the vocabulary");
    recipe_.unknown = static_cast<int32_t>(found - recipe_.tokens.begin());
  }
  return {};
}

Status Reader::read_vocabulary(const Json& vocabulary) {
  if (!vocabulary.is_object()) return bad("the vocab in tokenizer.json is not an object");
  if (vocabulary.size() > most_tokens) return bad("the vocabulary is too large");
  for (const auto& [content, id] : vocabulary.items()) {
    if (!id.is_number_integer()) return bad("the token '" + content + "' has no number");
    TRY(add_token(id.get<int64_t>(), content));
  }
  return {};
}

Status Reader::read_merges(const Json& merges) {
  if (!merges.is_array()) return bad("the merges in tokenizer.json are not a list");
  const auto index = index_of(recipe_.tokens);
  recipe_.merges.reserve(merges.size());
  for (const Json& merge : merges) {
    std::string left, right;
    if (merge.is_string()) {
      const auto& line = merge.get_ref<const std::string&>();
      const size_t blank = line.find(' ');
      if (blank != std::string::npos) left = line.substr(0, blank), right = line.substr(blank + 1);
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      left = merge[0].get<std::string>(), right = merge[1].get<std::string>();
    }
    const auto left_id = index.find(left), right_id = index.find(right), result = index.find(left + right);
    if (left.empty() || right.empty() || left_id == index.end() || right_id == index.end() || result == index.end()) {
      return bad(
          fmt::format("merge {} {} is not of two tokens to a third", recipe_.merges.size(), dump_json(merge, -1)));
    }
    recipe_.merges.push_back(
        {left_id->second, right_id->second, result->second, static_cast<uint32_t>(recipe_.merges.size())});
  }
  return {};
}

Status Reader::read_added(const Json& tokens) {
  if (!tokens.is_array()) return bad("added_tokens in tokenizer.json is not a list");
  for (const Json& json : tokens) {
    const Json* id = member(json, "id");
    AddedToken token;
    token.content = text(json, "content");
    if (id == nullptr || !id->is_number_integer() || token.content.empty())
      return bad("an added token lacks its id or its content");
    TRY(add_token(id->get<int64_t>(), token.content));
    token.id = id->get<int32_t>();
    token.special = flag(json, "special", false);
    token.lstrip = flag(json, "lstrip", false);
    token.rstrip = flag(json, "rstrip", false);
    token.single_word = flag(json, "single_word", false);
    token.normalized = flag(json, "normalized", !token.special);
    recipe_.added.push_back(std::move(token));
  }
  return {};
}

// {"String": s} or {"Regex": r}
Result<std::string> Reader::pattern_of(const Json& step, bool& is_regex) const {
  const Json* pattern = member(step, "pattern");
  if (pattern != nullptr) {
    for (const char* key : {"Regex", "String"}) {
      is_regex = key[0] == 'R';
      if (const std::string value = text(*pattern, key); !value.empty()) return value;
    }
  }
  return bad("a step of type " + text(step, "type") + " has no pattern");
}

// A literal text as a regular expression.
std::string quoted(const std::string& literal) {
  std::string out;
  for (const char c : literal) {
    if (static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '\0')
      out += '\\';
    if (c == '\0') {
      out += "\\x00";
    } else {
      out += c;
    }
  }
  return out;
}

Status Reader::read_normalizer(const Json& step) {
  const std::string type = text(step, "type");
  Normalizer normalizer;
  if (type == "Sequence") {
    const Json* steps = member(step, "normalizers");
    if (steps == nullptr || !steps->is_array()) return bad("a Sequence of normalizers holds none");
    for (const Json& inner : *steps) {
      if (text(inner, "type") == "Sequence") return bad("a Sequence of normalizers within another");
      TRY(read_normalizer(inner));
    }
    return {};
  }
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
    normalizer.form = type == "NFC"    ? UnicodeForm::nfc
                      : type == "NFD"  ? UnicodeForm::nfd
                      : type == "NFKC" ? UnicodeForm::nfkc
                                       : UnicodeForm::nfkd;
  } else if (type == "Prepend") {
    normalizer.kind = Normalizer::Kind::prepend;
    normalizer.to = text(step, "prepend");
  } else if (type == "Replace") {
    normalizer.kind = Normalizer::Kind::replace;
    bool is_regex = false;
    normalizer.from = TRY(pattern_of(step, is_regex));
    normalizer.to = text(step, "content");
    if (is_regex) normalizer.pattern = TRY(Regex::compile(normalizer.from, recipe_.where));
  } else {
    return unknown("normalizer", type, "NFC, NFD, NFKC, NFKD, Prepend, Replace, Sequence");
  }
  recipe_.normalizers.push_back(std::move(normalizer));
  return {};
}

Status Reader::read_pre_tokenizer(const Json& step) {
  static const std::string known = "ByteLevel, Digits, Metaspace, Sequence, Split";
  const std::string type = text(step, "type");
  if (recipe_.byte_level) return unknown("step after ByteLevel", type, "none");
  if (type == "Sequence") {
    const Json* steps = member(step, "pretokenizers");
    if (steps == nullptr || !steps->is_array()) return bad("a Sequence of pre_tokenizers holds none");
    for (const Json& inner : *steps) {
      if (text(inner, "type") == "Sequence") return bad("a Sequence of pre_tokenizers within another");
      TRY(read_pre_tokenizer(inner));
    }
    return {};
  }
  const auto cut = [&](const std::string& pattern, SplitBehavior behavior, bool invert) -> Status {
    recipe_.cuts.push_back({TRY(Regex::compile(pattern, recipe_.where)), behavior, invert});
    return {};
  };
  if (type == "Split") {
    static constexpr std::pair<std::string_view, SplitBehavior> behaviors[] = {
        {"Removed", SplitBehavior::removed},
        {"Isolated", SplitBehavior::isolated},
        {"MergedWithPrevious", SplitBehavior::merged_with_previous},
        {"MergedWithNext", SplitBehavior::merged_with_next},
        {"Contiguous", SplitBehavior::contiguous}};
    const std::string name = text(step, "behavior");
    const auto behavior = std::ranges::find(behaviors, name, &std::pair<std::string_view, SplitBehavior>::first);
    if (behavior == std::end(behaviors)) {
      return unknown("behavior of a Split", name, "Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous");
    }
    bool is_regex = false;
    const std::string pattern = TRY(pattern_of(step, is_regex));
    return cut(is_regex ? pattern : quoted(pattern), behavior->second, flag(step, "invert", false));
  }
  if (type == "Digits") {
    if (flag(step, "individual_digits", false)) return cut(R"(\p{N})", SplitBehavior::isolated, false);
    return cut(R"(\p{N})", SplitBehavior::contiguous, false);
  }
  if (type == "ByteLevel") {
    recipe_.byte_level = true;
    recipe_.byte_level_prefix = flag(step, "add_prefix_space", true);
    if (recipe_.byte_level_prefix && !recipe_.cuts.empty())
      return unknown("step before ByteLevel with add_prefix_space", "Split", "none");
    if (flag(step, "use_regex", true)) return cut(std::string(gpt2_pattern()), SplitBehavior::isolated, false);
    return {};
  }
  if (type == "Metaspace") {
    if (!recipe_.cuts.empty() || recipe_.metaspace) return unknown("step before Metaspace", "Split", "none");
    Metaspace metaspace;
    metaspace.mark = text(step, "replacement", std::string(mark));
    if (metaspace.mark.empty()) return bad("a Metaspace step has no replacement");
    const std::string scheme = text(step, "prepend_scheme", flag(step, "add_prefix_space", true) ? "always" : "never");
    metaspace.prepend = scheme == "always"  ? Metaspace::Prepend::always
                        : scheme == "first" ? Metaspace::Prepend::first
                                            : Metaspace::Prepend::never;
    metaspace.split = flag(step, "split", true);
    recipe_.metaspace = std::move(metaspace);
    return {};
  }
  return unknown("pre_tokenizer", type, known);
}

// Tells which tokens the tokeniser puts around a text.
Status Reader::read_post_processor(const Json& step) {
  const std::string type = text(step, "type");
  if (type == "Sequence") {
    const Json* steps = member(step, "processors");
    if (steps == nullptr || !steps->is_array()) return bad("a Sequence of post_processors holds none");
    for (const Json& inner : *steps) {
      if (text(inner, "type") == "Sequence") return bad("a Sequence of post_processors within another");
      TRY(read_post_processor(inner));
    }
    return {};
  }
  if (type == "ByteLevel") return {};
  if (type != "TemplateProcessing") return unknown("post_processor", type, "ByteLevel, Sequence, TemplateProcessing");
  const Json* single = member(step, "single");
  if (single == nullptr || !single->is_array()) return bad("a TemplateProcessing step has no template for one text");
  bool before = true;
  for (const Json& item : *single) {
    if (member(item, "Sequence") != nullptr) {
      before = false;
      continue;
    }
    const Json* special = member(item, "SpecialToken");
    const std::string name = special != nullptr ? text(*special, "id") : "";
    const auto found = std::ranges::find(recipe_.tokens, name);
    if (name.empty() || found == recipe_.tokens.end())
      return bad("the template names '" + name + "', which is no token");
    const auto id = static_cast<int32_t>(found - recipe_.tokens.begin());
    int32_t& slot = before ? recipe_.bos : recipe_.eos;
    if (slot >= 0) return bad("the template puts more than one token on a side of the text");
    slot = id;
    (before ? recipe_.adds_bos : recipe_.adds_eos) = true;
  }
  return {};
}

// "eos_token" in tokenizer_config.json is a text or an object with a content.
std::string token_name(const Json& config, const char* key) {
  const Json* value = member(config, key);
  if (value == nullptr) return {};
  return value->is_string() ? value->get<std::string>() : text(*value, "content");
}

}  // namespace

Result<Recipe> recipe_from_json(std::string source, const std::string& where) {
  const Json json = TRY(parse_json(source, where));
  Recipe recipe = TRY(Reader(where).read(json));
  recipe.source = std::move(source);
  return recipe;
}

Result<std::shared_ptr<const Tokenizer>> tokenizer_from_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::filesystem::path file = folder / "tokenizer.json";
  if (!std::filesystem::exists(file, ignored)) {
    return Error{ErrorKind::not_found, "the model folder has no tokenizer.json", folder.string(),
                 "copy the model's tokenizer.json there; a folder with tokenizer.model only is first saved again by "
                 "transformers"};
  }
  std::string source = TRY(read_file(file));
  Recipe recipe = TRY(recipe_from_json(std::move(source), file.string()));
  const auto id_of = [&](const std::string& name) {
    if (name.empty()) return -1;
    const auto found = std::ranges::find(recipe.tokens, name);
    return found == recipe.tokens.end() ? -1 : static_cast<int32_t>(found - recipe.tokens.begin());
  };
  const auto fill = [&](int32_t& slot, const std::string& name) {
    if (slot < 0) slot = id_of(name);
  };
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const std::filesystem::path path = folder / name;
    if (!std::filesystem::exists(path, ignored)) continue;
    std::string content = TRY(read_file(path));
    const Json json = TRY(parse_json(content, path.string()));
    fill(recipe.bos, token_name(json, "bos_token"));
    fill(recipe.eos, token_name(json, "eos_token"));
    fill(recipe.unknown, token_name(json, "unk_token"));
    fill(recipe.padding, token_name(json, "pad_token"));
    if (recipe.config.empty() && path.filename() == "tokenizer_config.json") recipe.config = std::move(content);
  }
  for (const char* name : {"generation_config.json", "config.json"}) {
    const std::filesystem::path path = folder / name;
    if (!std::filesystem::exists(path, ignored)) continue;
    const Json json = TRY(read_json(path));
    const Json* ids = member(json, "eos_token_id");
    if (ids == nullptr) continue;
    const auto take = [&](const Json& id) {
      if (id.is_number_integer() && id.get<int64_t>() >= 0 && id.get<uint64_t>() < recipe.tokens.size()) {
        recipe.stop_ids.push_back(id.get<int32_t>());
      }
    };
    if (ids->is_array()) {
      for (const Json& id : *ids) take(id);
    } else {
      take(*ids);
    }
  }
  if (recipe.eos < 0 && !recipe.stop_ids.empty()) recipe.eos = recipe.stop_ids.front();
  return make_tokenizer(std::move(recipe));
}

}  // namespace tqm::compress
