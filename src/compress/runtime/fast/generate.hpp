// Text from a prompt, piece by piece: each piece is whole UTF-8, and nothing of a stop string is ever shown.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "compress/runtime/fast/fast_decoder.hpp"
#include "compress/runtime/fast/sampler.hpp"
#include "compress/tokenizer/tokenizer.hpp"

namespace tqm::compress {

struct GenerateOptions {
  SamplingOptions sampling = {};
  int64_t max_tokens = 256;
  std::vector<int32_t> stop_ids = {};  // the tokenizer's own besides
  std::vector<std::string> stop_strings = {};
};

enum class StopReason { stop_token, stop_string, max_tokens, context_full, stopped };
std::string_view name(StopReason reason);

struct Generated {
  std::vector<int32_t> tokens;  // without the stop token
  std::string text;
  StopReason reason = StopReason::max_tokens;
};

// Called with each piece of text that is certain; false ends the generation.
using TextCallback = std::function<bool(std::string_view piece)>;

// The sequence goes on where it stands (forget it for a fresh start); prompt is read first.
Result<Generated> generate(FastDecoder& decoder, int64_t sequence, const std::vector<int32_t>& prompt,
                           const Tokenizer& tokenizer, const GenerateOptions& options,
                           const TextCallback& callback = {});

// Collects bytes and gives out what is certain: whole UTF-8 characters (bytes that can't become one turn into U+FFFD)
// that can't be the beginning of a stop string.
class TextStream {
 public:
  explicit TextStream(std::vector<std::string> stop_strings) : stop_strings_(std::move(stop_strings)) {}
  std::string add(std::string_view bytes);
  std::string finish();  // what is held back still; nothing after a stop string
  bool stopped() const { return stopped_; }

 private:
  std::string take(bool last);
  std::vector<std::string> stop_strings_;
  std::string bytes_, text_;  // not yet characters; characters not yet shown
  bool stopped_ = false;
};

}  // namespace tqm::compress
