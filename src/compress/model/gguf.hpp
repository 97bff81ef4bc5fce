// The GGUF container, versions 2 and 3 (docs/gguf.md of ggml): keys, tensor descriptions, where their bytes lie.
// Nothing here knows of models. Parses from memory, so that it can be fuzzed; every count, length and offset is checked
// against the bytes there are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "compress/model/ggml_blocks.hpp"

namespace tqm::compress {

// Whole numbers of every width become int64_t, both float widths double; arrays likewise (booleans as 0 and 1).
using GgufValue = std::variant<int64_t, double, bool, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>>;

struct GgufTensor {
  std::string name;
  std::vector<int64_t> shape;  // row-major, slowest first: the file's dimensions backwards
  const GgmlType* type = nullptr;
  uint64_t offset = 0, size = 0;  // bytes, from the beginning of the file
};

struct GgufFile {
  std::string where;  // for messages
  std::map<std::string, GgufValue> keys;
  std::vector<GgufTensor> tensors;

  bool has(const std::string& key) const { return keys.contains(key); }
  // The value where it is there and of that kind. An absent key is nullopt; another kind is an error naming the key.
  Result<std::optional<int64_t>> integer(const std::string& key) const;
  Result<std::optional<double>> number(const std::string& key) const;  // whole numbers too
  Result<std::optional<bool>> flag(const std::string& key) const;
  Result<std::optional<std::string>> text(const std::string& key) const;
};

Result<GgufFile> parse_gguf(std::span<const std::byte> bytes, const std::string& where);

}  // namespace tqm::compress
