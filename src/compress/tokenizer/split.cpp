#include "compress/tokenizer/split.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <array>
#include <pcre2.h>

#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress {
namespace {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};
using Code = std::unique_ptr<pcre2_code, Deleter<pcre2_code_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Deleter<pcre2_match_data_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Deleter<pcre2_match_context_free>>;
using JitStack = std::unique_ptr<pcre2_jit_stack, Deleter<pcre2_jit_stack_free>>;

// PCRE2's \s also takes U+180E, which is no White_Space; Oniguruma's and Rust's do not.
std::string with_white_space(const std::string& pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\\' || i + 1 == pattern.size()) {
      out += pattern[i];
      continue;
    }
    const char escaped = pattern[++i];
    if (escaped == 's') {
      out += "\\p{White_Space}";
    } else if (escaped == 'S') {
      out += "\\P{White_Space}";
    } else {
      out += '\\';
      out += escaped;
    }
  }
  return out;
}

// Surrogates pass through repair as llama.cpp lets them, but are no valid subject; a private-use character, as
// unassigned to any class and as long, is matched in their place.
bool has_surrogate(std::string_view text) {
  for (size_t at = text.find('\xED'); at != std::string_view::npos; at = text.find('\xED', at + 1)) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
  }
  return false;
}

std::string without_surrogates(std::string_view text) {
  std::string out(text);
  for (size_t at = out.find('\xED'); at != std::string::npos; at = out.find('\xED', at + 1)) {
    if (at + 2 < out.size() && static_cast<unsigned char>(out[at + 1]) >= 0xA0) out.replace(at, 3, "\xEE\x80\x80");
  }
  return out;
}

constexpr uint32_t match_limit = 1'000'000;

}  // namespace

struct Regex::Compiled {
  std::string pattern;
  Code code;
};

Result<Regex> Regex::compile(const std::string& pattern, const std::string& where) {
  const std::string translated = with_white_space(pattern);
  int number = 0;
  PCRE2_SIZE at = 0;
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                          PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &number, &at, nullptr));
  if (!code) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(number, text.data(), text.size());
    return Error{
        ErrorKind::unsupported,
        "the splitting rule '" + pattern + "' can't be used: " + reinterpret_cast<const char*>(text.data()), where,
        "use a tokenizer.json whose pre_tokenizer holds a regular expression with lookahead and \\p classes at most"};
  }
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // where there is no JIT, matching is interpreted
  Regex regex;
  regex.compiled_ = std::make_shared<const Compiled>(Compiled{pattern, std::move(code)});
  return regex;
}

const std::string& Regex::pattern() const {
  return compiled_->pattern;
}

void Regex::split(std::string_view text, std::vector<Piece>& out) const {
  const pcre2_code* code = compiled_->code.get();
  const MatchData match(pcre2_match_data_create(1, nullptr));
  const MatchContext context(pcre2_match_context_create(nullptr));
  const JitStack stack(pcre2_jit_stack_create(size_t{32} << 10, size_t{16} << 20, nullptr));
  ASSERT(match && context);
  if (stack) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  pcre2_set_match_limit(context.get(), match_limit);

  const std::string replaced = has_surrogate(text) ? without_surrogates(text) : std::string();
  const std::string_view subject = replaced.empty() ? text : std::string_view(replaced);
  size_t done = 0;
  for (size_t from = 0; from < text.size();) {
    const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(), from,
                                  PCRE2_NO_UTF_CHECK, match.get(), context.get());
    if (found == PCRE2_ERROR_NOMATCH) break;
    const PCRE2_SIZE* range = pcre2_get_ovector_pointer(match.get());
    const size_t start = found < 0 ? from : range[0];
    const size_t end = found < 0 ? from + announced_length(text, from) : range[1];
    if (end <= start) {  // an empty match
      from = std::max(from, start) +
             announced_length(text, std::max(from, start) < text.size() ? std::max(from, start) : from);
      continue;
    }
    if (start > done) out.push_back({text.substr(done, start - done), false});
    out.push_back({text.substr(start, end - start), true});
    done = from = end;
  }
  if (done < text.size()) out.push_back({text.substr(done), false});
}

std::vector<std::string_view> join_pieces(const std::vector<Piece>& pieces, SplitBehavior behavior) {
  std::vector<std::string_view> out;
  const auto extend = [&](const Piece& piece) {  // pieces follow each other in memory
    out.back() = std::string_view(out.back().data(), out.back().size() + piece.text.size());
  };
  bool previous_matched = false;
  for (const Piece& piece : pieces) {
    const bool first = out.empty();
    switch (behavior) {
      case SplitBehavior::removed:
        if (!piece.matched) out.push_back(piece.text);
        break;
      case SplitBehavior::isolated:
        out.push_back(piece.text);
        break;
      case SplitBehavior::merged_with_previous:
        if (piece.matched && !previous_matched && !first) {
          extend(piece);
        } else {
          out.push_back(piece.text);
        }
        break;
      case SplitBehavior::merged_with_next:
        if (!piece.matched && previous_matched && !first) {
          extend(piece);
        } else {
          out.push_back(piece.text);
        }
        break;
      case SplitBehavior::contiguous:
        if (piece.matched == previous_matched && !first) {
          extend(piece);
        } else {
          out.push_back(piece.text);
        }
        break;
    }
    previous_matched = piece.matched;
  }
  return out;
}

namespace {

constexpr std::string_view gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view one_number = R"(\p{N})";
constexpr std::string_view llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view gpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view tekken = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
                                    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
                                    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view deepseek3_words = R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^)"
                                             "\r\n"
                                             R"(\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[)"
                                             "\r\n"
                                             R"(]*|\s*[)"
                                             "\r\n"
                                             R"(]+|\s+(?!\S)|\s+)";

}  // namespace

std::string_view gpt2_pattern() {
  return gpt2;
}

const std::vector<SplitRule>& split_rules() {
  static const std::vector<SplitRule> rules = {
      {{"gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "exaone4", "mpt", "olmo", "jais", "trillion"}, {gpt2}},
      {{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"}, {one_number, gpt2}},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "lfm2"}, {llama3}, true},
      {{"smaug-bpe", "dbrx"}, {llama3}},
      {{"qwen2", "deepseek-r1-qwen", "stablelm2", "megrez"}, {qwen2}, false, true},
      {{"qwen35"}, {qwen35}, false, true},
      {{"tekken"}, {tekken}, true},
      {{"gpt-4o", "llama4"}, {gpt4o}},
      {{"deepseek-v3"}, {R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+", deepseek3_words}},
      {{"default"},
       {R"([\p{P}\$\+<=>\^~\|]+)", R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))",
        R"(\p{N}+)", "[0-9][0-9][0-9]"}},
  };
  return rules;
}

const SplitRule* split_rule(std::string_view name) {
  for (const SplitRule& rule : split_rules()) {
    if (std::ranges::find(rule.names, name) != rule.names.end()) return &rule;
  }
  return nullptr;
}

}  // namespace tqm::compress
