#include <cstdint>
#include <string>
#include <string_view>

#include "compress/tokenizer/tokenizer.hpp"
#include "compress/tokenizer/utf8.hpp"

namespace {

using namespace tqm::compress;

// A vocabulary of all bytes with a few merges, under one splitting rule.
std::shared_ptr<const Tokenizer> bytes(const char* pre) {
  GgufVocabulary v;
  v.model = "gpt2";
  v.pre = pre;
  for (unsigned b = 0; b < 256; ++b) v.tokens.emplace_back(byte_to_character(static_cast<uint8_t>(b)));
  for (const char* merge : {"a a", "aa aa", "t h", "th e", "Ġ the", "Ġ Ġ"}) {
    v.merges.emplace_back(merge);
    const std::string_view line = merge;
    v.tokens.push_back(std::string(line.substr(0, line.find(' '))) + std::string(line.substr(line.find(' ') + 1)));
  }
  auto made = tokenizer_from_gguf(std::move(v), "fuzz");
  ASSERT(made.ok());
  return std::move(made).take();
}

std::shared_ptr<const Tokenizer> pieces() {
  GgufVocabulary v;
  v.model = "llama";
  v.tokens = {"<unk>", "<s>", "</s>"};
  v.token_types = {2, 3, 3};
  for (unsigned b = 0; b < 256; ++b) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", b);
    v.tokens.emplace_back(name);
    v.token_types.push_back(6);
  }
  for (const char* word : {"▁", "a", "t", "h", "e", "aa", "aaa", "th", "the", "▁the", "▁▁", "é", "xy"})
    v.tokens.emplace_back(word);
  v.token_types.resize(v.tokens.size(), 1);
  for (size_t i = 0; i < v.tokens.size(); ++i) v.scores.push_back(-static_cast<float>(i));
  v.add_space_prefix = false;
  auto made = tokenizer_from_gguf(std::move(v), "fuzz");
  ASSERT(made.ok());
  return std::move(made).take();
}

}  // namespace

// Any bytes: byte-level BPE gives back the repaired text, pieces a text that was valid.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto by_piece = pieces();
  static const std::shared_ptr<const Tokenizer> by_byte[] = {bytes("gpt-2"),  bytes("smollm"), bytes("llama-bpe"),
                                                             bytes("tekken"), bytes("gpt-4o"), bytes("deepseek-v3"),
                                                             bytes("default")};
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string repaired = repair_utf8(text);
  ASSERT(!needs_repair(repaired));
  for (const auto& tokenizer : by_byte) ASSERT(tokenizer->decode(tokenizer->encode(text, {})) == repaired);
  // The mark itself reads as a blank; a torn character takes a mark's bytes into its own, as in llama.cpp.
  const std::string spelled = by_piece->decode(by_piece->encode(text, {}));
  if (!needs_repair(text) && text.find("▁") == std::string::npos) ASSERT(spelled == text);
  static const auto normalized = bytes("qwen2");
  ASSERT(normalized->decode(normalized->encode(text, {})) == normalize(repaired, UnicodeForm::nfc));
  return 0;
}
