// Text (any bytes) to token ids and back. Byte-level BPE and SentencePiece-style BPE stand behind this; both are made
// from a tokenizer.json, from GGUF keys or from a llama2.c vocabulary, and equal the originals id for id.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace tqm::compress {

struct EncodeOptions {
  bool bos = false, eos = false;  // add them, where the vocabulary has them
  bool parse_special = false;     // "<|im_start|>" in the text is one token, not characters
  bool leading_space = true;      // SentencePiece's dummy prefix, where the vocabulary uses one
};

// What a GGUF file says of its tokenizer, in its own terms; also what a folder's tokenizer becomes when it is written
// to GGUF.
struct GgufVocabulary {
  std::string model;  // "gpt2", "llama"
  std::string pre;    // "smollm", "llama-bpe", "qwen2", …; empty where absent
  std::vector<std::string> tokens;
  std::vector<float> scores;         // SentencePiece
  std::vector<int32_t> token_types;  // 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte
  std::vector<std::string> merges;   // byte-level BPE
  int32_t bos = -1, eos = -1, unknown = -1, padding = -1;
  bool add_bos = false, add_eos = false, add_space_prefix = true;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual std::vector<int32_t> encode(std::string_view text, const EncodeOptions& options) const = 0;
  virtual std::string decode(const std::vector<int32_t>& ids) const = 0;  // special tokens left out
  virtual std::string token_bytes(int32_t id) const = 0;                  // what the token adds to the text
  virtual int32_t vocab_size() const = 0;
  virtual int32_t bos() const = 0;                           // −1: none
  virtual const std::vector<int32_t>& stop_ids() const = 0;  // any of them ends a generation
  virtual std::optional<int32_t> id_of(std::string_view token) const = 0;
  virtual bool adds_bos() const = 0;  // the model expects BOS by default
  // The other forms, made to give equal ids.
  virtual Result<GgufVocabulary> to_gguf() const = 0;
  virtual Result<Json> to_tokenizer_json() const = 0;
  virtual Json to_tokenizer_config() const = 0;  // tokenizer_config.json, without the chat template
};

// folder holds tokenizer.json (and tokenizer_config.json, special_tokens_map.json where there are).
Result<std::shared_ptr<const Tokenizer>> tokenizer_from_folder(const std::filesystem::path& folder);
Result<std::shared_ptr<const Tokenizer>> tokenizer_from_gguf(GgufVocabulary vocabulary, const std::string& where);
// llama2.c's tokenizer.bin: u32 longest, then score f32, length i32, bytes, for each of vocab_size tokens.
Result<std::shared_ptr<const Tokenizer>> tokenizer_from_llama2c(const std::filesystem::path& file, int32_t vocab_size);

struct ChatMessage {
  std::string role, content;
};
// The chat template (Jinja, as Hugging Face uses it) over the messages; add_generation_prompt opens the answer.
Result<std::string> render_chat(const std::string& chat_template, const std::vector<ChatMessage>& messages,
                                bool add_generation_prompt, const std::string& bos_token, const std::string& eos_token);

}  // namespace tqm::compress
