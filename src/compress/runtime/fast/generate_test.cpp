#include "compress/runtime/fast/generate.hpp"

#include <gtest/gtest.h>

#include "compress/model/memory_weights.hpp"

namespace tqm::compress {
namespace {

// Token id is a byte; 255 ends a text.
class ByteTokenizer final : public Tokenizer {
 public:
  std::vector<int32_t> encode(std::string_view text, const EncodeOptions&) const override {
    std::vector<int32_t> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }
  std::string decode(const std::vector<int32_t>& ids) const override {
    std::string text;
    for (const int32_t id : ids) text += token_bytes(id);
    return text;
  }
  std::string token_bytes(int32_t id) const override { return std::string(1, static_cast<char>(id)); }
  int32_t vocab_size() const override { return 256; }
  int32_t bos() const override { return -1; }
  const std::vector<int32_t>& stop_ids() const override { return stops_; }
  std::optional<int32_t> id_of(std::string_view) const override { return std::nullopt; }
  bool adds_bos() const override { return false; }
  Result<GgufVocabulary> to_gguf() const override { return GgufVocabulary{}; }
  Result<Json> to_tokenizer_json() const override { return Json(); }
  Json to_tokenizer_config() const override { return {}; }

 private:
  std::vector<int32_t> stops_ = {255};
};

Model model_of_bytes() {
  ModelConfig config;
  config.vocab = 256;
  config.hidden = 32;
  config.intermediate = 48;
  config.layers = 1;
  config.heads = config.kv_heads = 2;
  config.head_dim = 16;
  config.max_position = 64;
  return random_model(config).first;
}

FastDecoder decoder_of(const Model& model) {
  FastOptions options;
  options.threads = 1;
  return FastDecoder::load(model, options).take();
}

TEST(TextStream, GivesOutWholeCharactersOnly) {
  TextStream stream({});
  const std::string text = "a\xE4\xBD\xA0\xF0\x9F\x99\x82z";
  std::string shown;
  std::vector<std::string> pieces;
  for (const char c : text) {
    pieces.push_back(stream.add(std::string(1, c)));
    shown += pieces.back();
  }
  EXPECT_EQ(shown + stream.finish(), text);
  EXPECT_EQ(pieces[1] + pieces[2], "");
  EXPECT_EQ(pieces[3], "\xE4\xBD\xA0");
}

TEST(TextStream, BrokenBytesBecomeTheReplacementCharacter) {
  TextStream stream({});
  EXPECT_EQ(stream.add("\xE4\xBD"
                       "a\xFFz\xED\xA0\x80"),
            "\xEF\xBF\xBD\xEF\xBF\xBD"
            "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(stream.add("\xE4\xBD"), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(TextStream, NothingOfAStopStringIsShown) {
  TextStream stream({"<end>", "stop"});
  EXPECT_EQ(stream.add("one <e"), "one ");
  EXPECT_EQ(stream.add("x st"), "<ex ");
  EXPECT_EQ(stream.add("op and more"), "");
  EXPECT_TRUE(stream.stopped());
  EXPECT_EQ(stream.finish(), "");
  TextStream unfinished({"<end>"});
  EXPECT_EQ(unfinished.add("a<en"), "a");
  EXPECT_EQ(unfinished.finish(), "<en");
}

TEST(Generate, EndsForEachOfItsReasons) {
  const Model model = model_of_bytes();
  const ByteTokenizer tokenizer;
  FastDecoder decoder = decoder_of(model);
  std::string streamed;
  const auto all = generate(decoder, 0, {65, 66}, tokenizer, {.max_tokens = 12}, [&](std::string_view piece) {
                     streamed += piece;
                     return true;
                   }).take();
  ASSERT_EQ(all.tokens.size(), 12U);
  EXPECT_EQ(all.reason, StopReason::max_tokens);
  EXPECT_EQ(all.text, streamed);

  decoder.forget(0);
  const auto again = generate(decoder, 0, {65, 66}, tokenizer, {.max_tokens = 12, .stop_ids = {all.tokens[3]}}).take();
  EXPECT_EQ(again.reason, StopReason::stop_token);
  EXPECT_LE(again.tokens.size(), 3U);

  decoder.forget(0);
  EXPECT_EQ(generate(decoder, 0, {65, 66}, tokenizer, {.max_tokens = 1000}).take().reason, StopReason::context_full);
  EXPECT_EQ(decoder.length(0), 64);

  decoder.forget(0);
  GenerateOptions stop;
  stop.stop_strings = {all.text.substr(0, 4)};
  const auto stopped = generate(decoder, 0, {65, 66}, tokenizer, stop).take();
  EXPECT_EQ(stopped.reason, StopReason::stop_string);
  EXPECT_EQ(stopped.text, "");

  decoder.forget(0);
  const auto cut = generate(decoder, 0, {65, 66}, tokenizer, {}, [](std::string_view) { return false; }).take();
  EXPECT_EQ(cut.reason, StopReason::stopped);
}

TEST(Generate, RefusesAnEmptyPromptAndBadSampling) {
  const Model model = model_of_bytes();
  FastDecoder decoder = decoder_of(model);
  const auto empty = generate(decoder, 0, {}, ByteTokenizer(), {});
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message().find("there are no tokens to read"), std::string::npos);
  GenerateOptions hot;
  hot.sampling.temperature = -1;
  EXPECT_EQ(generate(decoder, 0, {1}, ByteTokenizer(), hot).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace tqm::compress
