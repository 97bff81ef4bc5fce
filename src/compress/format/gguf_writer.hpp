// Writes one GGUF file of version 3: keys and descriptions first, then each tensor's bytes in the order described.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/model/ggml_blocks.hpp"

namespace tqm::compress {

class GgufWriter {
 public:
  void key(const std::string& name, const std::string& value);
  void key(const std::string& name, const char* value) { key(name, std::string(value)); }
  void key(const std::string& name, uint32_t value);
  void key(const std::string& name, float value);
  void key(const std::string& name, bool value);
  void key(const std::string& name, const std::vector<std::string>& values);
  void key(const std::string& name, const std::vector<float>& values);
  void key(const std::string& name, const std::vector<int32_t>& values);
  // shape: row-major, as elsewhere here; the file holds it backwards.
  void tensor(const std::string& name, const std::vector<int64_t>& shape, const GgmlType& type);

  Status open(const std::filesystem::path& path);   // writes keys and descriptions
  Status append(std::span<const std::byte> bytes);  // of the tensor whose turn it is; may come in pieces
  Status finish();                                  // every tensor is whole: flushes

  GgufWriter() = default;
  GgufWriter(const GgufWriter&) = delete;
  GgufWriter& operator=(const GgufWriter&) = delete;
  ~GgufWriter();

 private:
  void begin_key(const std::string& name, uint32_t type);
  void text(const std::string& value);
  template <class T>
  void number(T value);
  Status write(std::span<const std::byte> bytes);

  std::string keys_, descriptions_;
  std::string* out_ = &keys_;
  uint64_t key_count_ = 0;
  std::vector<uint64_t> sizes_;
  uint64_t data_size_ = 0;
  std::filesystem::path path_;
  int fd_ = -1;
  size_t current_ = 0;
  uint64_t done_ = 0;  // bytes of the current tensor
};

}  // namespace tqm::compress
