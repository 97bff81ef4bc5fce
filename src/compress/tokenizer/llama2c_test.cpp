#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "compress/tokenizer/tokenizer.hpp"

namespace tqm::compress {
namespace {

class Llama2c : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "torquetum-llama2c-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void append(std::string& out, const std::string& word, float score) {
    const auto length = static_cast<int32_t>(word.size());
    out.append(reinterpret_cast<const char*>(&score), sizeof score);
    out.append(reinterpret_cast<const char*>(&length), sizeof length);
    out += word;
  }
  static std::string file(bool bytes, const std::vector<std::string>& words) {
    std::string out(4, '\0');
    for (const char* word : {"<unk>", "\n<s>\n", "\n</s>\n"}) append(out, word, 0);
    for (int b = 0; bytes && b < 256; ++b) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(b));
      append(out, name, 0);
    }
    for (size_t i = 0; i < words.size(); ++i) append(out, words[i], -static_cast<float>(i));
    return out;
  }
  Result<std::shared_ptr<const Tokenizer>> open(const std::string& content, int32_t size) {
    EXPECT_TRUE(write_file_atomic(folder_ / "tok.bin", content));
    return tokenizer_from_llama2c(folder_ / "tok.bin", size);
  }
  std::string refusal(const std::string& content, int32_t size) {
    const auto made = open(content, size);
    return made ? "" : made.error().what;
  }
  std::filesystem::path folder_;
};

const std::vector<std::string> words = {" a", "he", " he", "ab", " ", "a", "b", "h", "e", "aa", "aaa", "é"};

TEST_F(Llama2c, MergesTheBestScoreFirstLeftmostFirst) {
  const auto tokenizer = open(file(true, words), 271);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  const auto id = [&](const char* word) { return *(*tokenizer)->id_of(word); };
  EXPECT_EQ((*tokenizer)->encode("heaaaab", {}), (std::vector<int32_t>{id(" he"), id("aaa"), id("ab")}));
  EXPECT_EQ((*tokenizer)->encode("he", {.bos = true, .eos = true, .leading_space = false}),
            (std::vector<int32_t>{1, id("he"), 2}));
  EXPECT_EQ((*tokenizer)->encode("é中\xFF", {.leading_space = false}),
            (std::vector<int32_t>{id("é"), 0xE4 + 3, 0xB8 + 3, 0xAD + 3, 0xFF + 3}));
  EXPECT_EQ((*tokenizer)->encode("", {}), std::vector<int32_t>{});
  EXPECT_EQ((*tokenizer)->decode((*tokenizer)->encode("he a b 中\xFF", {.bos = true})), "he a b 中\xFF");
}

TEST_F(Llama2c, WithoutByteTokensACharacterIsUnknown) {
  const auto tokenizer = open(file(false, words), 15);
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ((*tokenizer)->encode("中z", {.leading_space = false}), (std::vector<int32_t>{0, 0}));
  const auto gguf = (*tokenizer)->to_gguf();
  ASSERT_FALSE(gguf);
  EXPECT_EQ(gguf.error().what,
            "this tokenizer has no equal in GGUF: it has no byte tokens, and llama.cpp stops at a character it has no "
            "token for");
}

TEST_F(Llama2c, KeepsItsIdsInTheOtherForms) {
  for (const bool bytes : {true, false}) {
    const auto tokenizer = open(file(bytes, words), bytes ? 271 : 15);
    ASSERT_TRUE(tokenizer);
    const std::vector<std::string> texts = {"he aab", "a", "", "aaaaaaa aaaa", "  he  ", "é中 zz", "<s>"};
    const auto json = (*tokenizer)->to_tokenizer_json();
    ASSERT_TRUE(json) << json.error().message();
    ASSERT_TRUE(write_file_atomic(folder_ / "tokenizer.json", dump_json(*json)));
    const auto folder = tokenizer_from_folder(folder_);
    ASSERT_TRUE(folder) << folder.error().message();
    for (const std::string& text : texts)
      EXPECT_EQ((*folder)->encode(text, {}), (*tokenizer)->encode(text, {})) << text;
    if (!bytes) continue;
    auto keys = (*tokenizer)->to_gguf();
    ASSERT_TRUE(keys);
    const auto gguf = tokenizer_from_gguf(std::move(keys).take(), "written");
    ASSERT_TRUE(gguf) << gguf.error().message();
    for (const std::string& text : texts) EXPECT_EQ((*gguf)->encode(text, {}), (*tokenizer)->encode(text, {})) << text;
  }
}

TEST_F(Llama2c, Refusals) {
  const std::string whole = file(true, words);
  EXPECT_EQ(refusal(whole, 272), "the vocabulary ends at token 271, the model has 272");
  EXPECT_EQ(refusal(whole, 270), "10 bytes follow the 270 tokens that the model has");
  EXPECT_EQ(refusal(whole, 2), "a llama2.c model of 2 tokens has no room for <unk>, BOS and EOS");
  EXPECT_EQ(refusal(whole.substr(0, whole.size() - 1), 271), "token 270 claims 2 bytes, 1 are left");
  std::string broken = whole;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(broken.data() + 4, &nan, sizeof nan);
  EXPECT_EQ(refusal(broken, 271), "the score of token 0 is not finite");
}

}  // namespace
}  // namespace tqm::compress
