#include <gtest/gtest.h>

#include "compress/tokenizer/tokenizer.hpp"
#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress {
namespace {

// All bytes, and a few words.
GgufVocabulary bytes_vocabulary() {
  GgufVocabulary v;
  v.model = "gpt2";
  v.pre = "smollm";
  v.tokens = {"<|end|>"};
  v.token_types = {3};
  for (unsigned b = 0; b < 256; ++b) v.tokens.emplace_back(byte_to_character(static_cast<uint8_t>(b)));
  for (const char* merge : {"t h", "th e", "Ġ the", "1 2"}) {
    const std::string line = merge;
    v.merges.push_back(line);
    const size_t blank = line.find(' ');
    v.tokens.push_back(line.substr(0, blank) + line.substr(blank + 1));
  }
  v.token_types.resize(v.tokens.size(), 1);
  v.bos = v.eos = 0;
  return v;
}

std::string refusal(GgufVocabulary v) {
  const auto made = tokenizer_from_gguf(std::move(v), "model.gguf");
  return made ? "" : made.error().message();
}

std::string spelled(const Tokenizer& tokenizer, const std::string& text, EncodeOptions options = {}) {
  std::string out;
  for (const int32_t id : tokenizer.encode(text, options)) out += "[" + tokenizer.token_bytes(id) + "]";
  return out;
}

TEST(GgufBytes, MergesWordsAndIsolatesDigits) {
  const auto tokenizer = tokenizer_from_gguf(bytes_vocabulary(), "test");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(spelled(**tokenizer, "the the 12"), "[the][ the][ ][1][2]");
}

TEST(GgufBytes, InvalidBytesBecomeReplacementCharactersOneEach) {
  const auto tokenizer = tokenizer_from_gguf(bytes_vocabulary(), "test");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ((*tokenizer)->decode((*tokenizer)->encode("a\xE4\xBD", {})), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(GgufBytes, SpecialTokensOnlyWhereAskedFor) {
  const auto tokenizer = tokenizer_from_gguf(bytes_vocabulary(), "test");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ((*tokenizer)->encode("<|end|>", {.parse_special = true}), std::vector<int32_t>{0});
  EXPECT_EQ((*tokenizer)->encode("<|end|>", {}).size(), 7u);
  EXPECT_EQ((*tokenizer)->stop_ids(), std::vector<int32_t>{0});
}

TEST(GgufBytes, Refusals) {
  auto v = bytes_vocabulary();
  v.pre = "other";
  EXPECT_TRUE(refusal(v).starts_with(
      "the splitting rule 'other' (tokenizer.ggml.pre) is not known (model.gguf): known are: gpt-2"));
  v = bytes_vocabulary();
  v.model = "bert";
  EXPECT_EQ(refusal(v),
            "the tokenizer model 'bert' (tokenizer.ggml.model) is not known (model.gguf): known are: gpt2 (byte-level "
            "BPE), llama "
            "(SentencePiece-style BPE)");
  v = bytes_vocabulary();
  v.merges.push_back("x y");
  EXPECT_TRUE(refusal(v).starts_with("merge 4 'x y' names what is not among the tokens (model.gguf)"));
  v.merges.back() = "xy";
  EXPECT_TRUE(refusal(v).starts_with("merge 4 'xy' is not two words with a blank between them (model.gguf)"));
  v = bytes_vocabulary();
  v.eos = 10000;
  EXPECT_TRUE(refusal(v).starts_with("the eos token 10000 is beyond the 261 tokens (model.gguf)"));
  v = bytes_vocabulary();
  v.token_types.pop_back();
  EXPECT_TRUE(refusal(v).starts_with("260 token types for 261 tokens (model.gguf)"));
  v = bytes_vocabulary();
  v.merges.clear();
  EXPECT_TRUE(refusal(v).starts_with("the vocabulary has no merges: tokenizer.ggml.merges (model.gguf)"));
  v.tokens.clear();
  EXPECT_TRUE(refusal(v).starts_with("the vocabulary is empty: tokenizer.ggml.tokens (model.gguf)"));
}

}  // namespace
}  // namespace tqm::compress
