// For tests: a token is a byte; BOS and EOS follow where asked for; a leading space is a space.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compress/tokenizer/tokenizer.hpp"

namespace tqm::compress {

class ByteTokenizer final : public Tokenizer {
 public:
  explicit ByteTokenizer(bool marks = true, bool adds_bos = false) : marks_(marks), adds_bos_(adds_bos) {}
  std::vector<int32_t> encode(std::string_view text, const EncodeOptions& options) const override {
    std::vector<int32_t> ids;
    if (options.bos && marks_) ids.push_back(256);
    if (options.leading_space && leading_space) ids.push_back(' ');
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    if (options.eos && marks_) ids.push_back(257);
    return ids;
  }
  std::string decode(const std::vector<int32_t>& ids) const override {
    std::string text;
    for (const int32_t id : ids) text += token_bytes(id);
    return text;
  }
  std::string token_bytes(int32_t id) const override {
    return id < 256 ? std::string(1, static_cast<char>(id)) : std::string();
  }
  int32_t vocab_size() const override { return 258; }
  int32_t bos() const override { return marks_ ? 256 : -1; }
  const std::vector<int32_t>& stop_ids() const override { return stops_; }
  std::optional<int32_t> id_of(std::string_view) const override { return std::nullopt; }
  bool adds_bos() const override { return adds_bos_; }
  Result<GgufVocabulary> to_gguf() const override { return Error{ErrorKind::unsupported, "a toy", "", ""}; }
  Result<Json> to_tokenizer_json() const override { return Error{ErrorKind::unsupported, "a toy", "", ""}; }
  Json to_tokenizer_config() const override { return {}; }

  bool leading_space = false;

 private:
  bool marks_, adds_bos_;
  std::vector<int32_t> stops_{257};
};

}  // namespace tqm::compress
