// Text into windows of tokens, and one text into parts that never meet: calibration, repair and verdict.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/tokenizer/tokenizer.hpp"

namespace tqm::compress {

using Windows = std::vector<std::vector<int32_t>>;

// A file's documents, their bytes as they are. *.jsonl: one {"text": …} a line. Else plain text: parted after form
// feeds where there are any, else after blank lines, else after every line; neighbours are joined again until a
// document has 4,096 bytes or more. Empty ones are left out. Errors: not_found; bad_input naming the line that is no
// JSON or has no "text".
Result<std::vector<std::string>> read_documents(const std::filesystem::path& path);

// The whole file as one stream (documents of *.jsonl one after another, a line feed between), cut into windows of
// length tokens, the rest dropped; no BOS, no EOS. bad_input where not one window is full, saying how many tokens there
// are.
// from: tokens left out at the beginning.
Result<Windows> stream_windows(const Tokenizer& tokenizer, const std::filesystem::path& path, int64_t length,
                               int64_t from = 0);

// Each document of a file of JSON lines, whatever its name, a window of its own: BOS and EOS where asked for (bad_input
// where the vocabulary has none), cut at length; no leading space is put before it. Documents of less than two tokens
// have nothing to score and are left out; bad_input where none remains.
Result<Windows> document_windows(const Tokenizer& tokenizer, const std::filesystem::path& path, int64_t length,
                                 bool bos, bool eos);

// Full windows of length tokens out of each document, none across two; only documents shorter than a window are joined,
// one after another. In seeded random order, so that the first n are a fair sample. bos, eos: around each document.
Windows sampled_windows(const Tokenizer& tokenizer, const std::vector<std::string>& documents, int64_t length,
                        uint64_t seed, bool bos = false, bool eos = false);

// Whole documents dealt at random (seeded) to parts, so that each gets about its share of the bytes; equal documents go
// to the same part. Shares sum to 1.
std::vector<std::vector<std::string>> split_documents(std::vector<std::string> documents,
                                                      const std::vector<double>& shares, uint64_t seed);

// Refuses (bad_input) two sets of documents that share a run of 200 bytes or more, or a whole document of 64 or more,
// quoting where: what was calibrated on must not judge. Rules of dashes and the like (under 12 different bytes) don't
// count.
Status check_apart(const std::vector<std::string>& one, const std::string& one_name,
                   const std::vector<std::string>& other, const std::string& other_name);

}  // namespace tqm::compress
