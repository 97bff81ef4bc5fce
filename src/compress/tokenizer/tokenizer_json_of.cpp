// tokenizer.json and tokenizer_config.json, written from a recipe.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/json.hpp"
#include "compress/tokenizer/merges.hpp"
#include "compress/tokenizer/recipe.hpp"

namespace tqm::compress {
namespace {

Error no_json(const Recipe& recipe, std::string why) {
  return Error{ErrorKind::unsupported, "this tokenizer has no equal as a tokenizer.json: " + std::move(why),
               recipe.where, "write GGUF instead"};
}

Json added_json(const AddedToken& token) {
  return {{"id", token.id},          {"content", token.content}, {"single_word", token.single_word},
          {"lstrip", token.lstrip},  {"rstrip", token.rstrip},   {"normalized", false},
          {"special", token.special}};
}

Json split_json(std::string_view pattern) {
  return {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
}

Json byte_level_json(bool use_regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", use_regex}};
}

Json pre_tokenizer_of(const Recipe& recipe) {
  Json steps = Json::array();
  for (size_t i = 0; i < recipe.cuts.size(); ++i) {
    const std::string& pattern = recipe.cuts[i].pattern.pattern();
    if (pattern == R"(\p{N})") {
      steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
    } else if (i + 1 < recipe.cuts.size() || pattern != gpt2_pattern()) {
      steps.push_back(split_json(pattern));
    }
  }
  const bool gpt2_last = !recipe.cuts.empty() && recipe.cuts.back().pattern.pattern() == gpt2_pattern();
  steps.push_back(byte_level_json(gpt2_last));
  if (steps.size() == 1) return steps[0];
  return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

Json post_processor_of(const Recipe& recipe, const std::vector<std::string>& names) {
  if (!recipe.adds_bos && !recipe.adds_eos) return nullptr;
  Json single = Json::array(), pair = Json::array(), tokens = Json::object();
  const auto special = [&](int32_t id, int type_id) {
    const std::string& name = names[static_cast<size_t>(id)];
    tokens[name] = {{"id", name}, {"ids", {id}}, {"tokens", {name}}};
    return Json{{"SpecialToken", {{"id", name}, {"type_id", type_id}}}};
  };
  for (int type_id = 0; type_id < 2; ++type_id) {
    Json around = Json::array();
    if (recipe.adds_bos) around.push_back(special(recipe.bos, type_id));
    around.push_back({{"Sequence", {{"id", type_id == 0 ? "A" : "B"}, {"type_id", type_id}}}});
    if (recipe.adds_eos) around.push_back(special(recipe.eos, type_id));
    if (type_id == 0) single = around;
    for (Json& item : around) pair.push_back(std::move(item));
  }
  return {{"type", "TemplateProcessing"},
          {"single", std::move(single)},
          {"pair", std::move(pair)},
          {"special_tokens", std::move(tokens)}};
}

Json decoder_of(const Recipe& recipe) {
  if (recipe.byte_level) return byte_level_json(true);
  Json steps = Json::array();
  bool prepends = false;
  for (const Normalizer& step : recipe.normalizers) {
    prepends = prepends || step.kind == Normalizer::Kind::prepend;
    if (step.kind == Normalizer::Kind::replace) {
      steps.push_back({{"type", "Replace"}, {"pattern", {{"String", step.to}}}, {"content", " "}});
    }
  }
  steps.push_back({{"type", "ByteFallback"}});
  steps.push_back({{"type", "Fuse"}});
  if (prepends) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return {{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

Json normalizer_of(const Recipe& recipe) {
  Json steps = Json::array();
  for (const Normalizer& step : recipe.normalizers) {
    switch (step.kind) {
      case Normalizer::Kind::unicode:
        steps.push_back({{"type", "NFC"}});
        break;
      case Normalizer::Kind::prepend:
        steps.push_back({{"type", "Prepend"}, {"prepend", step.to}});
        break;
      case Normalizer::Kind::replace:
        steps.push_back({{"type", "Replace"}, {"pattern", {{"String", step.from}}}, {"content", step.to}});
        break;
    }
  }
  if (steps.empty()) return nullptr;
  if (steps.size() == 1) return steps[0];
  return {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

// The character that the token repeats, nothing where there are others in it.
std::string_view repeated(std::string_view token) {
  const std::string_view character = token.substr(0, announced_length(token, 0));
  if (token.size() % character.size() != 0) return {};
  for (size_t at = 0; at < token.size(); at += character.size()) {
    if (token.substr(at, character.size()) != character) return {};
  }
  return character;
}

// Merges by rank need an order between tokens that scores may leave open: equal scores merge leftmost first, whatever
// they make. Runs of one character (the blanks of Llama 2) come out the same in the order that is written; that is
// tried here, and other tokens of equal score are refused.
Status check_ranks(const Recipe& recipe) {
  std::vector<bool> added(recipe.tokens.size());
  for (const AddedToken& token : recipe.added) added[static_cast<size_t>(token.id)] = true;
  const auto content = [&](int32_t id) -> const std::string& { return recipe.tokens[static_cast<size_t>(id)]; };
  std::map<std::string_view, size_t> runs;  // by character, the longest
  MergeTable by_score, by_place;
  uint32_t place = 0;
  const MergeRule* before = nullptr;
  for (const MergeRule& merge : recipe.merges) {
    by_score.add(merge.left, merge.right, {merge.rank, merge.result});
    by_place.add(merge.left, merge.right, {place++, merge.result});
    if (added[static_cast<size_t>(merge.result)]) continue;
    if (std::max(merge.left, merge.right) >= static_cast<int32_t>(recipe.tokens.size())) {
      return no_json(recipe, fmt::format("token {} is merged from characters that are no tokens", merge.result));
    }
    const std::string_view run = repeated(content(merge.result));
    if (!run.empty()) runs[run] = std::max(runs[run], content(merge.result).size() / run.size());
    if (before != nullptr && before->rank == merge.rank && before->result != merge.result &&
        (run.empty() || repeated(content(before->result)) != run)) {
      return no_json(recipe, fmt::format("tokens {} and {} share one score", before->result, merge.result));
    }
    before = &merge;
  }
  const auto index = index_of(recipe.tokens);
  for (const auto& [character, longest] : runs) {
    const auto id = index.find(character);
    if (id == index.end()) continue;
    for (size_t length = 3; length <= 3 * longest + 2; ++length) {
      std::vector<int32_t> scored(length, id->second), placed(length, id->second);
      by_score.apply(scored, 0);
      by_place.apply(placed, 0);
      if (scored != placed)
        return no_json(recipe, fmt::format("its scores merge {} times '{}' in no fixed order", length, character));
    }
  }
  return {};
}

}  // namespace

Result<Json> tokenizer_json_of(const Recipe& recipe) {
  if (recipe.origin == Recipe::Origin::tokenizer_json) return parse_json(recipe.source, recipe.where);
  if (!recipe.byte_level) TRY(check_ranks(recipe));
  std::vector<std::string> names = recipe.tokens;
  for (const AddedToken& token : recipe.added) names[static_cast<size_t>(token.id)] = token.content;
  const auto index = index_of(names);
  Json vocabulary = Json::object(), merges = Json::array(), added = Json::array();
  auto& entries = vocabulary.get_ref<Json::object_t&>();
  for (size_t id = 0; id < names.size(); ++id) {
    if (needs_repair(names[id])) return no_json(recipe, fmt::format("token {} is no UTF-8", id));
    if (names[id].empty() || index.at(names[id]) != static_cast<int32_t>(id))
      continue;  // a token that no text leads to
    entries.emplace_back(names[id], id);
  }
  for (const MergeRule& merge : recipe.merges) {
    if (std::max(merge.left, merge.right) >= static_cast<int32_t>(names.size()))
      continue;  // to an added token: check_ranks
    merges.push_back({names[static_cast<size_t>(merge.left)], names[static_cast<size_t>(merge.right)]});
  }
  for (const AddedToken& token : recipe.added) added.push_back(added_json(token));
  const bool pieces = recipe.origin == Recipe::Origin::gguf_pieces;
  Json model = {
      {"type", "BPE"},
      {"dropout", nullptr},
      {"unk_token",
       recipe.byte_level || recipe.unknown < 0 ? Json(nullptr) : Json(names[static_cast<size_t>(recipe.unknown)])},
      {"continuing_subword_prefix", nullptr},
      {"end_of_word_suffix", nullptr},
      {"fuse_unk", pieces},
      {"byte_fallback", recipe.byte_fallback},
      {"ignore_merges", recipe.ignore_merges},
      {"vocab", std::move(vocabulary)},
      {"merges", std::move(merges)}};
  return Json{{"version", "1.0"},
              {"truncation", nullptr},
              {"padding", nullptr},
              {"added_tokens", std::move(added)},
              {"normalizer", normalizer_of(recipe)},
              {"pre_tokenizer", recipe.byte_level ? pre_tokenizer_of(recipe) : Json(nullptr)},
              {"post_processor", post_processor_of(recipe, names)},
              {"decoder", decoder_of(recipe)},
              {"model", std::move(model)}};
}

Json tokenizer_config_of(const Recipe& recipe) {
  if (!recipe.config.empty()) {
    if (auto json = parse_json(recipe.config, recipe.where); json && json->is_object()) {
      json->erase("chat_template");
      return std::move(json).take();
    }
  }
  Json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                 {"add_bos_token", recipe.adds_bos},
                 {"add_eos_token", recipe.adds_eos}};
  const auto name = [&](const char* key, int32_t id) {
    if (id < 0) return;
    std::string content = recipe.tokens[static_cast<size_t>(id)];
    for (const AddedToken& token : recipe.added) {
      if (token.id == id) content = token.content;
    }
    config[key] = content;
  };
  name("bos_token", recipe.bos);
  name("eos_token", recipe.eos);
  name("unk_token", recipe.unknown);
  name("pad_token", recipe.padding);
  config["clean_up_tokenization_spaces"] = false;
  config["model_max_length"] = 1e30;
  return config;
}

}  // namespace tqm::compress
