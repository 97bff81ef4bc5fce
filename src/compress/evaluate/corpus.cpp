#include "compress/evaluate/corpus.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace tqm::compress {
namespace fs = std::filesystem;
namespace {

constexpr size_t kDocumentBytes = 4096;

bool is_json_lines(const fs::path& path) {
  return path.extension() == ".jsonl";
}

Result<std::vector<std::string>> json_documents(const std::string& content, const fs::path& path) {
  std::vector<std::string> documents;
  size_t number = 0;
  for (size_t from = 0; from < content.size();) {
    const size_t end = std::min(content.find('\n', from), content.size());
    const std::string_view line = std::string_view(content).substr(from, end - from);
    from = end + 1;
    ++number;
    if (trim(line).empty()) continue;
    const std::string where = path.string() + ", line " + std::to_string(number);
    const Json json = TRY(parse_json(line, where));
    if (!json.is_object() || !json.contains("text") || !json["text"].is_string())
      return Error{ErrorKind::bad_input, "the line is no object with a \"text\"", where,
                   "each line must be like {\"text\": \"…\"}"};
    auto text = json["text"].get<std::string>();
    if (!text.empty()) documents.push_back(std::move(text));
  }
  return documents;
}

// The ends of lines that a document may end after: those that hold nothing but blanks, or all.
std::vector<size_t> line_ends(std::string_view text, bool blank_only) {
  std::vector<size_t> ends;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
    if (!blank_only || trim(text.substr(from, end - from)).empty()) ends.push_back(end);
    from = end;
  }
  return ends;
}

std::vector<std::string> text_documents(std::string_view text) {
  std::vector<size_t> ends;
  for (size_t at = text.find('\f'); at != std::string_view::npos; at = text.find('\f', at + 1)) ends.push_back(at + 1);
  if (ends.empty()) ends = line_ends(text, true);
  if (ends.empty()) ends = line_ends(text, false);
  ends.push_back(text.size());
  std::vector<std::string> documents;
  size_t from = 0;
  for (const size_t end : ends) {
    if (end - from < kDocumentBytes && end != text.size()) continue;
    const std::string_view piece = text.substr(from, end - from);
    if (!trim(piece).empty()) documents.emplace_back(piece);
    from = end;
  }
  return documents;
}

Windows cut(const std::vector<int32_t>& tokens, int64_t length) {
  Windows windows;
  for (auto from = tokens.begin(); tokens.end() - from >= length; from += length)
    windows.emplace_back(from, from + length);
  return windows;
}

// A run that two texts share, found by hashing aligned blocks of one and sliding over the other.
constexpr size_t kSharedRun = 200;
constexpr size_t kBlock = kSharedRun / 2;  // a run of kSharedRun − 1 bytes holds an aligned block whole
constexpr size_t kSharedDocument = 64;
constexpr size_t kCandidates = 64;  // places looked at where one block stands many times

constexpr uint64_t kBase = 0x9E3779B97F4A7C15ULL | 1;

uint64_t block_hash(std::string_view block) {
  uint64_t hash = 0;
  for (const char c : block) hash = hash * kBase + static_cast<unsigned char>(c);
  return hash;
}

bool is_prose(std::string_view run) {
  std::bitset<256> seen;
  for (const char c : run) seen.set(static_cast<unsigned char>(c));
  return seen.count() >= 12;
}

struct Place {
  size_t document = 0, offset = 0;
};

std::string place_text(const std::string& name, const Place& place) {
  return name + ", document " + std::to_string(place.document + 1) + ", byte " + std::to_string(place.offset);
}

// The first characters, on one line, whole ones only.
std::string quoted(std::string_view text) {
  std::string line(text.substr(0, 80));
  while (!line.empty() && (line.front() & 0xC0) == 0x80) line.erase(0, 1);
  while (!line.empty() && !is_utf8(line)) line.pop_back();
  std::replace_if(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return "\"" + shorten(trim(line), 60) + "\"";
}

Error overlap(std::string_view run, const std::string& one_name, const Place& one, const std::string& other_name,
              const Place& other) {
  return Error{ErrorKind::bad_input, "both hold the same " + std::to_string(run.size()) + " bytes " + quoted(run),
               place_text(one_name, one) + "; " + place_text(other_name, other),
               "what a model is calibrated on must not judge it: take texts that share nothing, or give one file and "
               "let it be split"};
}

using BlockIndex = std::unordered_multimap<uint64_t, Place>;

BlockIndex index_blocks(const std::vector<std::string>& documents) {
  BlockIndex index;
  for (size_t d = 0; d < documents.size(); ++d)
    for (size_t at = 0; at + kBlock <= documents[d].size(); at += kBlock) {
      const std::string_view block = std::string_view(documents[d]).substr(at, kBlock);
      if (is_prose(block)) index.emplace(block_hash(block), Place{d, at});
    }
  return index;
}

// The whole run around two equal blocks; both places are moved to its start.
std::string_view grow(std::string_view one, size_t& one_at, std::string_view other, size_t& other_at) {
  size_t before = 0;
  while (before < one_at && before < other_at && one[one_at - before - 1] == other[other_at - before - 1]) ++before;
  size_t length = before + kBlock;
  one_at -= before;
  other_at -= before;
  while (one_at + length < one.size() && other_at + length < other.size() &&
         one[one_at + length] == other[other_at + length])
    ++length;
  return one.substr(one_at, length);
}

}  // namespace

Result<std::vector<std::string>> read_documents(const fs::path& path) {
  const std::string content = TRY(read_file(path));
  if (is_json_lines(path)) return json_documents(content, path);
  return text_documents(content);
}

Result<Windows> stream_windows(const Tokenizer& tokenizer, const fs::path& path, int64_t length, int64_t from) {
  ASSERT(length >= 2);
  std::string text;
  if (is_json_lines(path)) {
    for (const std::string& document : TRY(read_documents(path))) text += (text.empty() ? "" : "\n") + document;
  } else {
    text = TRY(read_file(path));
  }
  std::vector<int32_t> tokens = tokenizer.encode(text, {});
  const size_t count = tokens.size();
  tokens.erase(tokens.begin(), tokens.begin() + std::min<int64_t>(from, static_cast<int64_t>(count)));
  Windows windows = cut(tokens, length);
  if (windows.empty())
    return Error{ErrorKind::bad_input,
                 "the text has " + std::to_string(count) + " tokens" +
                     (from > 0 ? ", it is read from token " + std::to_string(from) + " on" : "") +
                     ", one window needs " + std::to_string(length),
                 path.string(), "give a longer text or shorter windows"};
  return windows;
}

Result<Windows> document_windows(const Tokenizer& tokenizer, const fs::path& path, int64_t length, bool bos, bool eos) {
  ASSERT(length >= 2);
  const EncodeOptions options{.bos = bos, .eos = eos, .parse_special = false, .leading_space = false};
  for (const bool first : {true, false}) {
    const EncodeOptions alone{.bos = first, .eos = !first, .parse_special = false, .leading_space = false};
    if ((first ? bos : eos) && tokenizer.encode("", alone).empty())
      return Error{ErrorKind::bad_input, std::string("the vocabulary has no ") + (first ? "BOS" : "EOS") + " token",
                   path.string(), "leave the option out"};
  }
  Windows windows;
  const std::string content = TRY(read_file(path));
  for (const std::string& document : TRY(json_documents(content, path))) {
    std::vector<int32_t> tokens = tokenizer.encode(document, options);
    if (static_cast<int64_t>(tokens.size()) > length) tokens.resize(static_cast<size_t>(length));
    if (tokens.size() >= 2) windows.push_back(std::move(tokens));
  }
  if (windows.empty())
    return Error{ErrorKind::bad_input, "no document has two tokens, so there is nothing to score", path.string(),
                 "give a file with text in it"};
  return windows;
}

Windows sampled_windows(const Tokenizer& tokenizer, const std::vector<std::string>& documents, int64_t length,
                        uint64_t seed, bool bos, bool eos) {
  ASSERT(length >= 2);
  EncodeOptions options;
  options.leading_space = false;
  options.bos = bos;
  options.eos = eos;
  Windows windows;
  std::vector<int32_t> joined;  // documents shorter than a window
  for (const std::string& document : documents) {
    const std::vector<int32_t> ids = tokenizer.encode(document, options);
    if (static_cast<int64_t>(ids.size()) < length) {
      joined.insert(joined.end(), ids.begin(), ids.end());
      continue;
    }
    Windows more = cut(ids, length);
    std::move(more.begin(), more.end(), std::back_inserter(windows));
  }
  Windows more = cut(joined, length);
  std::move(more.begin(), more.end(), std::back_inserter(windows));
  Random(seed).shuffle(windows);
  return windows;
}

std::vector<std::vector<std::string>> split_documents(std::vector<std::string> documents,
                                                      const std::vector<double>& shares, uint64_t seed) {
  ASSERT(!shares.empty() && std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-6);
  Random(seed).shuffle(documents);
  std::vector<std::vector<std::string>> parts(shares.size());
  std::vector<double> bytes(shares.size());
  std::unordered_map<std::string, size_t> part_of;
  double total = 0;
  for (std::string& document : documents) {
    const auto size = static_cast<double>(document.size());
    total += size;
    // To the part that is furthest behind its share of what has been dealt.
    size_t part = 0;
    for (size_t p = 1; p < shares.size(); ++p)
      if (shares[p] * total - bytes[p] > shares[part] * total - bytes[part]) part = p;
    part = part_of.emplace(document, part).first->second;
    bytes[part] += size;
    parts[part].push_back(std::move(document));
  }
  return parts;
}

Status check_apart(const std::vector<std::string>& one, const std::string& one_name,
                   const std::vector<std::string>& other, const std::string& other_name) {
  std::unordered_map<std::string_view, size_t> whole;
  for (size_t d = 0; d < one.size(); ++d)
    if (one[d].size() >= kSharedDocument) whole.emplace(one[d], d);
  const BlockIndex index = index_blocks(one);
  uint64_t leading = 1;  // the weight of the byte that leaves the sliding block
  for (size_t i = 1; i < kBlock; ++i) leading *= kBase;

  for (size_t d = 0; d < other.size(); ++d) {
    const std::string_view text = other[d];
    if (const auto found = whole.find(text); found != whole.end() && is_prose(text))
      return overlap(text, one_name, {found->second, 0}, other_name, {d, 0});
    if (text.size() < kSharedRun) continue;
    uint64_t hash = block_hash(text.substr(0, kBlock));
    for (size_t at = 0;; ++at) {
      auto [first, last] = index.equal_range(hash);
      for (size_t looked = 0; first != last && looked < kCandidates; ++first, ++looked) {
        Place here{d, at}, there = first->second;
        const std::string_view candidate = one[there.document];
        if (candidate.substr(there.offset, kBlock) != text.substr(at, kBlock)) continue;
        const std::string_view run = grow(candidate, there.offset, text, here.offset);
        if (run.size() >= kSharedRun) return overlap(run, one_name, there, other_name, here);
      }
      if (at + kBlock >= text.size()) break;
      hash = (hash - leading * static_cast<unsigned char>(text[at])) * kBase +
             static_cast<unsigned char>(text[at + kBlock]);
    }
  }
  return {};
}

}  // namespace tqm::compress
