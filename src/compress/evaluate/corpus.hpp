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

// A file's documents, their bytes as they are. *.jsonl: one {"text": …} a line. Else plain text: parted by form feeds
// where there are any, else by blank lines, neighbours joined again until a document has 4,096 bytes or more. Empty
// ones are left out. Errors: not_found; bad_input naming the line that is no JSON or has no "text".
Result<std::vector<std::string>> read_documents(const std::filesystem::path& path);

// The whole file as one stream (documents of *.jsonl one after another, a line feed between), cut into windows of
// length tokens, the rest dropped; no BOS, no EOS. bad_input where not one window is full, saying how many tokens there
// are.
Result<Windows> stream_windows(const Tokenizer& tokenizer, const std::filesystem::path& path, int64_t length);

// Each document a window of its own: BOS and EOS where asked for, cut at length.
Result<Windows> document_windows(const Tokenizer& tokenizer, const std::filesystem::path& path, int64_t length,
                                 bool bos, bool eos);

// Full windows of length tokens out of each document, none across two; in seeded random order, so that the first n are
// a fair sample.
Windows sampled_windows(const Tokenizer& tokenizer, const std::vector<std::string>& documents, int64_t length,
                        uint64_t seed);

// Whole documents dealt at random (seeded) to parts, so that each gets about its share of the bytes. Shares sum to 1.
std::vector<std::vector<std::string>> split_documents(std::vector<std::string> documents,
                                                      const std::vector<double>& shares, uint64_t seed);

// Refuses (bad_input) two sets of documents that share a run of 200 bytes or more, quoting where: what was calibrated
// on must not judge.
Status check_apart(const std::vector<std::string>& one, const std::string& one_name,
                   const std::vector<std::string>& other, const std::string& other_name);

}  // namespace tqm::compress
