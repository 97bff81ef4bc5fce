// The small vocabularies of tests/cases/compress/tokenizer, whose ids PyPI's tokenizers gave
// (tests/peers/tokenizer_cases.py).
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "compress/tokenizer/tokenizer.hpp"

namespace tqm::compress {
namespace {

std::filesystem::path cases() {
  return std::filesystem::path(TQM_SOURCE_DIR) / "tests/cases/compress/tokenizer";
}

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "torquetum-tokenizer-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void expect_golden(const Tokenizer& tokenizer, const Json& golden) {
  for (const Json& one : golden) {
    EncodeOptions options;
    options.parse_special = one.at("special").get<bool>();
    const auto text = one.at("text").get<std::string>();
    EXPECT_EQ(tokenizer.encode(text, options), one.at("ids").get<std::vector<int32_t>>())
        << dump_json(one.at("text"), -1);
  }
}

class Vocabulary : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto read = tokenizer_from_folder(cases() / GetParam());
    ASSERT_TRUE(read) << read.error().message();
    tokenizer_ = *read;
    const auto json = read_json(cases() / GetParam() / "golden.json");
    ASSERT_TRUE(json) << json.error().message();
    golden_ = *json;
  }
  std::shared_ptr<const Tokenizer> tokenizer_;
  Json golden_;
};

TEST_P(Vocabulary, GivesTheIdsOfTheOriginal) {
  expect_golden(*tokenizer_, golden_);
}

TEST_P(Vocabulary, DecodesWhatItEncoded) {
  const std::string text = "The rings: 12 ½ 简仪 🦙\r\n  x  ";
  EXPECT_EQ(tokenizer_->decode(tokenizer_->encode(text, {.bos = true, .eos = true})), text);
}

TEST_P(Vocabulary, WritesTheTokenizerJsonItRead) {
  const auto written = tokenizer_->to_tokenizer_json();
  const auto original = read_json(cases() / GetParam() / "tokenizer.json");
  ASSERT_TRUE(written && original);
  EXPECT_EQ(dump_json(*written), dump_json(*original));
}

// To GGUF, and from there to a folder again.
TEST_P(Vocabulary, KeepsItsIdsInGguf) {
  auto gguf = tokenizer_->to_gguf();
  if (std::string(GetParam()) == "metaspace") {
    ASSERT_FALSE(gguf);
    EXPECT_TRUE(
        gguf.error().message().starts_with("this tokenizer has no equal in GGUF: its steps are not SentencePiece's"));
    return;
  }
  ASSERT_TRUE(gguf) << gguf.error().message();
  if (std::string(GetParam()) != "pieces") {
    EXPECT_EQ(gguf->model, "gpt2");
    EXPECT_EQ(gguf->pre, GetParam());
  } else {
    EXPECT_EQ(gguf->model, "llama");
  }
  const bool adds_bos = gguf->add_bos;
  EXPECT_EQ(adds_bos, tokenizer_->adds_bos());
  const auto from_gguf = tokenizer_from_gguf(std::move(gguf).take(), "written");
  ASSERT_TRUE(from_gguf) << from_gguf.error().message();
  // llama.cpp finds added tokens without the white space beside them: only texts without <tool> are the same there.
  Json plain = Json::array();
  for (const Json& one : golden_) {
    if (one.at("text").get<std::string>().find("<tool>") == std::string::npos) plain.push_back(one);
  }
  expect_golden(**from_gguf, plain);

  const Folder folder;
  const auto json = (*from_gguf)->to_tokenizer_json();
  ASSERT_TRUE(json) << json.error().message();
  ASSERT_TRUE(write_file_atomic(folder.path() / "tokenizer.json", dump_json(*json)));
  ASSERT_TRUE(
      write_file_atomic(folder.path() / "tokenizer_config.json", dump_json((*from_gguf)->to_tokenizer_config())));
  const auto again = tokenizer_from_folder(folder.path());
  ASSERT_TRUE(again) << again.error().message();
  expect_golden(**again, plain);
  EXPECT_EQ((*again)->adds_bos(), adds_bos);
  EXPECT_EQ((*again)->bos(), (*from_gguf)->bos());
}

INSTANTIATE_TEST_SUITE_P(Cases, Vocabulary,
                         testing::Values("gpt-2", "smollm", "llama-bpe", "qwen2", "tekken", "pieces", "metaspace"));

// One word of a million letters takes a second, not hours, and no deep stack.
TEST(Vocabulary, ALongWordIsNotQuadratic) {
  for (const char* name : {"gpt-2", "pieces"}) {
    const auto tokenizer = tokenizer_from_folder(cases() / name);
    ASSERT_TRUE(tokenizer);
    const auto ids = (*tokenizer)->encode(std::string(1'000'000, 'e'), {});
    EXPECT_GT(ids.size(), 50'000u);
    EXPECT_EQ((*tokenizer)->encode(std::string(1'000'000, ' '), {}).empty(), false);
  }
}

std::string refusal(const std::string& json) {
  const Folder folder;
  EXPECT_TRUE(write_file_atomic(folder.path() / "tokenizer.json", json));
  const auto made = tokenizer_from_folder(folder.path());
  if (made) return "";
  std::string message = made.error().message();
  const std::string where = (folder.path() / "tokenizer.json").string();
  if (const size_t at = message.find(where); at != std::string::npos) message.replace(at, where.size(), "FILE");
  return message;
}

std::string model(const std::string& vocabulary, const std::string& merges) {
  return R"("model": {"type": "BPE", "vocab": {)" + vocabulary + R"(}, "merges": [)" + merges + "]}";
}

TEST(TokenizerJson, Refusals) {
  const std::string small = model(R"("a": 0, "b": 1, "ab": 2)", R"("a b")");
  EXPECT_EQ(refusal("{" + small + "}"), "");
  EXPECT_EQ(refusal(R"({"model": {"type": "Unigram", "vocab": []}})"),
            "the tokenizer model 'Unigram' is not known (FILE): known are: BPE");
  EXPECT_EQ(refusal("{}"), "tokenizer.json has no model (FILE): take the tokenizer.json that belongs to the model");
  EXPECT_EQ(refusal("[1"),
            "not valid JSON: parse error at line 1, column 3: syntax error while parsing array - unexpected end of "
            "input; expected ']' "
            "(FILE): check that the file is whole");
  EXPECT_EQ(
      refusal("{" + model(R"("a": 0)", R"("a b")") + "}"),
      "merge 0 \"a b\" is not of two tokens to a third (FILE): take the tokenizer.json that belongs to the model");
  EXPECT_EQ(refusal("{" + model(R"("a": 0, "b": 0)", "") + "}"),
            "the tokens 'a' and 'b' have the same id 0 (FILE): take the tokenizer.json that belongs to the model");
  EXPECT_EQ(refusal("{" + model(R"("a": -1)", "") + "}"),
            "the token 'a' has the id -1 (FILE): take the tokenizer.json that belongs to the model");
  EXPECT_EQ(
      refusal("{" + small + R"(, "normalizer": {"type": "Lowercase"}})"),
      "the normalizer 'Lowercase' is not known (FILE): known are: NFC, NFD, NFKC, NFKD, Prepend, Replace, Sequence");
  EXPECT_EQ(refusal("{" + small + R"(, "pre_tokenizer": {"type": "BertPreTokenizer"}})"),
            "the pre_tokenizer 'BertPreTokenizer' is not known (FILE): known are: ByteLevel, Digits, Metaspace, "
            "Sequence, Split");
  EXPECT_EQ(
      refusal("{" + small + R"(, "post_processor": {"type": "BertProcessing"}})"),
      "the post_processor 'BertProcessing' is not known (FILE): known are: ByteLevel, Sequence, TemplateProcessing");
  EXPECT_TRUE(refusal("{" + small +
                      R"(, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"}})")
                  .starts_with("the splitting rule '(a' can't be used: missing closing parenthesis (FILE)"));
}

TEST(TokenizerJson, AFolderWithoutOneIsNamed) {
  const Folder folder;
  const auto made = tokenizer_from_folder(folder.path());
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().message().starts_with("the model folder has no tokenizer.json ("));
}

TEST(TokenizerJson, StopsAtTheTokensOfTheGenerationConfig) {
  const Folder folder;
  std::filesystem::copy(cases() / "gpt-2" / "tokenizer.json", folder.path() / "tokenizer.json");
  ASSERT_TRUE(write_file_atomic(folder.path() / "tokenizer_config.json",
                                R"({"eos_token": {"content": "<|end|>"}, "bos_token": "<|begin|>"})"));
  ASSERT_TRUE(write_file_atomic(folder.path() / "generation_config.json", R"({"eos_token_id": [1, 5, 99999]})"));
  const auto tokenizer = tokenizer_from_folder(folder.path());
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ((*tokenizer)->stop_ids(), (std::vector<int32_t>{1, 5}));
  EXPECT_EQ((*tokenizer)->bos(), 0);
  EXPECT_FALSE((*tokenizer)->adds_bos());
}

}  // namespace
}  // namespace tqm::compress
