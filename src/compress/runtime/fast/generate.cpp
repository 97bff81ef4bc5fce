#include "compress/runtime/fast/generate.hpp"

#include <algorithm>

namespace tqm::compress {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the UTF-8 character at the start: 0 where it is cut short but may go on, −1 where it can't become one
// (Unicode 15, table 3-7: no overlong forms, no surrogates).
int character_length(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const int length = first >= 0xC2 && first <= 0xDF   ? 2
                     : first >= 0xE0 && first <= 0xEF ? 3
                     : first >= 0xF0 && first <= 0xF4 ? 4
                                                      : -1;
  if (length < 0) return -1;
  for (size_t i = 1; i < static_cast<size_t>(length); ++i) {
    if (i >= bytes.size()) return 0;
    unsigned char low = 0x80, high = 0xBF;
    if (i == 1) {
      if (first == 0xE0) low = 0xA0;
      if (first == 0xED) high = 0x9F;
      if (first == 0xF0) low = 0x90;
      if (first == 0xF4) high = 0x8F;
    }
    if (byte(i) < low || byte(i) > high) return -1;
  }
  return length;
}

// How many bytes at the end of text begin the stop string.
size_t overlap(const std::string& text, const std::string& stop) {
  for (size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
    if (text.compare(text.size() - length, length, stop, 0, length) == 0) return length;
  }
  return 0;
}

}  // namespace

std::string TextStream::take(bool last) {
  size_t at = 0;
  while (at < bytes_.size()) {
    const int length = character_length(std::string_view(bytes_).substr(at));
    if (length == 0 && !last) break;
    if (length > 0) {
      text_.append(bytes_, at, static_cast<size_t>(length));
      at += static_cast<size_t>(length);
    } else {
      text_ += kReplacement;
      ++at;
    }
  }
  bytes_.erase(0, at);

  size_t held = 0, found = std::string::npos;
  for (const std::string& stop : stop_strings_) {
    if (stop.empty()) continue;
    found = std::min(found, text_.find(stop));
    held = std::max(held, overlap(text_, stop));
  }
  std::string shown;
  if (found != std::string::npos) {
    stopped_ = true;
    shown = text_.substr(0, found);
    text_.clear();
    bytes_.clear();
    return shown;
  }
  if (last) held = 0;
  shown = text_.substr(0, text_.size() - held);
  text_.erase(0, text_.size() - held);
  return shown;
}

std::string TextStream::add(std::string_view bytes) {
  if (stopped_) return {};
  bytes_ += bytes;
  return take(false);
}

std::string TextStream::finish() {
  return stopped_ ? std::string() : take(true);
}

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::stop_token:
      return "stop token";
    case StopReason::stop_string:
      return "stop string";
    case StopReason::max_tokens:
      return "most tokens";
    case StopReason::context_full:
      return "context full";
    case StopReason::stopped:
      return "stopped";
  }
  return "";
}

Result<Generated> generate(FastDecoder& decoder, int64_t sequence, const std::vector<int32_t>& prompt,
                           const Tokenizer& tokenizer, const GenerateOptions& options, const TextCallback& callback) {
  TRY(check_sampling(options.sampling));
  std::vector<int32_t> stops = tokenizer.stop_ids();
  stops.insert(stops.end(), options.stop_ids.begin(), options.stop_ids.end());
  Sampler sampler(options.sampling);
  for (const int32_t token : prompt) sampler.saw(token);
  TextStream stream(options.stop_strings);
  Generated made;
  bool wanted = true;
  const auto show = [&](const std::string& piece) {
    made.text += piece;
    if (!piece.empty() && callback && !callback(piece)) wanted = false;
  };
  std::vector<float> logits = TRY(decoder.prefill(sequence, prompt));
  while (static_cast<int64_t>(made.tokens.size()) < options.max_tokens) {
    const int32_t token = TRY(sampler.next(logits.data(), decoder.vocab()));
    if (std::find(stops.begin(), stops.end(), token) != stops.end()) {
      made.reason = StopReason::stop_token;
      break;
    }
    made.tokens.push_back(token);
    show(stream.add(tokenizer.token_bytes(token)));
    if (stream.stopped() || !wanted) {
      made.reason = stream.stopped() ? StopReason::stop_string : StopReason::stopped;
      break;
    }
    if (decoder.length(sequence) >= decoder.max_context()) {
      made.reason = StopReason::context_full;
      break;
    }
    if (static_cast<int64_t>(made.tokens.size()) < options.max_tokens) logits = TRY(decoder.step({{sequence, token}}));
  }
  if (wanted) show(stream.finish());
  return made;
}

}  // namespace tqm::compress
