// safetensors files and folders (github.com/huggingface/safetensors, "Format"): u64 length of the header, a JSON header
// with each tensor's type, shape and place, then the bytes without a gap. Reading maps the files; writing knows every
// size beforehand, so that tensors can arrive in any order, one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/result.hpp"
#include "tensor/host_tensor.hpp"

namespace tqm::tensor {

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  uint64_t offset = 0, size = 0;  // bytes, from the beginning of the file
};

// The header of a whole file in memory, sorted by offset. Everything the format asks for is checked: sizes, gaps,
// overlaps, ends.
Result<std::vector<SafetensorsEntry>> parse_safetensors(std::span<const std::byte> bytes, const std::string& where);

// One file, or a folder's model.safetensors, or the shards that its model.safetensors.index.json names.
class SafetensorsReader {
 public:
  static Result<SafetensorsReader> open_file(const std::filesystem::path& file);
  static Result<SafetensorsReader> open_folder(const std::filesystem::path& folder);

  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // in the order of the files
  const SafetensorsEntry* find(const std::string& name) const;               // null: not there
  HostTensor view(const SafetensorsEntry& entry) const;  // of the mapping; a copy where the file lays it out unaligned
  void release(const SafetensorsEntry& entry) const;     // its pages may leave memory

 private:
  Status add(const std::filesystem::path& file, const std::string* wanted_shard,
             const std::map<std::string, std::string>* shard_of);
  std::vector<MappedFile> files_;
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, size_t> index_;
  std::map<std::string, size_t> file_of_;
};

struct SafetensorsDescription {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  uint64_t size() const { return static_cast<uint64_t>(element_count(shape)) * size_of(dtype); }
};

// Writes model.safetensors, or shards of at most shard_bytes (decimal gigabytes by custom) and their index: a shard
// takes tensors in the order given, a tensor above the limit has one of its own; inside a file wide types come first,
// then names (as the Rust library does). The files grow under their final names: write into a folder that is put in
// place as a whole.
class SafetensorsWriter {
 public:
  static Result<SafetensorsWriter> create(const std::filesystem::path& folder,
                                          std::vector<SafetensorsDescription> tensors,
                                          uint64_t shard_bytes = 5'000'000'000);
  // One file of this name, without index.
  static Result<SafetensorsWriter> create_file(const std::filesystem::path& file,
                                               std::vector<SafetensorsDescription> tensors);
  SafetensorsWriter(SafetensorsWriter&&) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&&) noexcept;
  ~SafetensorsWriter();

  Status put(const std::string& name, std::span<const std::byte> bytes);  // once each, exactly its size
  Status finish();  // every tensor is there: flushes the files, writes the index
  const std::vector<std::string>& files() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  SafetensorsWriter();
};

}  // namespace tqm::tensor
