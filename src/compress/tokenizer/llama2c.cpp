// The vocabulary files of llama2.c.
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "base/file.hpp"
#include "compress/tokenizer/recipe.hpp"

namespace tqm::compress {
namespace {

constexpr uint32_t longest_token = 4096;

AddedToken special(int32_t id, std::string content) {
  AddedToken token;
  token.id = id;
  token.content = std::move(content);
  token.special = true;
  return token;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> tokenizer_from_llama2c(const std::filesystem::path& file, int32_t vocab_size) {
  const std::string data = TRY(read_file(file, uint64_t{1} << 30));
  Recipe recipe;
  recipe.origin = Recipe::Origin::llama2c;
  recipe.where = file.string();
  const auto bad = [&](std::string what) {
    return Error{ErrorKind::bad_input, std::move(what), recipe.where,
                 "give the tokenizer.bin that belongs to the model, as llama2.c's export writes it"};
  };
  if (vocab_size < 3)
    return bad(fmt::format("a llama2.c model of {} tokens has no room for <unk>, BOS and EOS", vocab_size));
  size_t at = sizeof(uint32_t);
  for (int32_t id = 0; id < vocab_size; ++id) {
    float score = 0;
    int32_t length = 0;
    if (data.size() < at + sizeof score + sizeof length) {
      return bad(fmt::format("the vocabulary ends at token {}, the model has {}", id, vocab_size));
    }
    std::memcpy(&score, data.data() + at, sizeof score);
    std::memcpy(&length, data.data() + at + sizeof score, sizeof length);
    at += sizeof score + sizeof length;
    if (length < 0 || static_cast<uint32_t>(length) > longest_token || static_cast<size_t>(length) > data.size() - at) {
      return bad(fmt::format("token {} claims {} bytes, {} are left", id, length, data.size() - at));
    }
    if (!std::isfinite(score)) return bad(fmt::format("the score of token {} is not finite", id));
    recipe.tokens.emplace_back(data, at, static_cast<size_t>(length));
    recipe.scores.push_back(score);
    at += static_cast<size_t>(length);
  }
  if (at != data.size()) {
    return bad(fmt::format("{} bytes follow the {} tokens that the model has", data.size() - at, vocab_size));
  }
  const auto index = index_of(recipe.tokens);
  const auto bytes = byte_tokens(index);
  // Bytes stand at their value + 3, or nowhere.
  recipe.byte_fallback = bytes[0] == 3;
  for (int32_t b = 0; recipe.byte_fallback && b < 256; ++b) {
    if (bytes[static_cast<size_t>(b)] != b + 3)
      return bad(fmt::format("the token of byte {} does not stand at {}", b, b + 3));
  }
  recipe.character_rule = CharacterRule::continuation;
  recipe.unknown = 0, recipe.bos = 1, recipe.eos = 2;
  recipe.adds_bos = true;
  recipe.added = {special(0, recipe.tokens[0].empty() ? "<unk>" : recipe.tokens[0]), special(1, "<s>"),
                  special(2, "</s>")};
  if (index.contains(" ")) {
    Normalizer prepend;
    prepend.kind = Normalizer::Kind::prepend;
    prepend.to = " ";
    recipe.normalizers.push_back(std::move(prepend));
  }
  recipe.merges = merges_of_scores(recipe.tokens, recipe.scores, nullptr);
  return make_tokenizer(std::move(recipe));
}

}  // namespace tqm::compress
