#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

#include "base/json.hpp"
#include "tensor/safetensors.hpp"

namespace tqm::tensor {
namespace fs = std::filesystem;
namespace {

Status write_at(int fd, std::span<const std::byte> bytes, uint64_t offset, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t n =
        ::pwrite(fd, bytes.data(), std::min<size_t>(bytes.size(), size_t{1} << 30), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("can't write the file", path, errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
  return {};
}

}  // namespace

struct SafetensorsWriter::Parts {
  struct File {
    fs::path path;
    int fd = -1;
    std::vector<size_t> tensors;  // into descriptions
  };
  struct Place {
    size_t file = 0;
    uint64_t offset = 0, size = 0;
    bool written = false;
  };
  fs::path folder;
  std::vector<SafetensorsDescription> descriptions;
  std::vector<File> files;
  std::vector<std::string> names;
  std::map<std::string, Place> places;
  uint64_t total = 0;

  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() {
    for (File& file : files)
      if (file.fd >= 0) ::close(file.fd);
  }

  Status write_header(size_t at) {
    File& file = files[at];
    std::sort(file.tensors.begin(), file.tensors.end(), [&](size_t a, size_t b) {
      const size_t wide_a = size_of(descriptions[a].dtype), wide_b = size_of(descriptions[b].dtype);
      return wide_a != wide_b ? wide_a > wide_b : descriptions[a].name < descriptions[b].name;
    });
    Json json;
    json["__metadata__"] = {{"format", "pt"}};
    uint64_t offset = 0;
    for (size_t t : file.tensors) {
      const SafetensorsDescription& tensor = descriptions[t];
      json[tensor.name] = {{"dtype", safetensors_name(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.size()}}};
      places[tensor.name] = {at, offset, tensor.size()};
      offset += tensor.size();
    }
    std::string text = dump_json(json, -1);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const uint64_t length = text.size(), data = sizeof(length) + length;
    for (size_t t : file.tensors) places[descriptions[t].name].offset += data;
    file.fd = ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file.fd < 0) return system_error("can't write the file", file.path, errno);
    TRY(write_at(file.fd, std::as_bytes(std::span(&length, 1)), 0, file.path));
    TRY(write_at(file.fd, std::as_bytes(std::span(text)), sizeof(length), file.path));
    if (::ftruncate(file.fd, static_cast<off_t>(data + offset)) != 0)
      return system_error("can't write the file", file.path, errno);
    return {};
  }
};

SafetensorsWriter::SafetensorsWriter() : parts_(std::make_unique<Parts>()) {}
SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&&) noexcept = default;
SafetensorsWriter& SafetensorsWriter::operator=(SafetensorsWriter&&) noexcept = default;
SafetensorsWriter::~SafetensorsWriter() = default;

Result<SafetensorsWriter> SafetensorsWriter::create(const fs::path& folder, std::vector<SafetensorsDescription> tensors,
                                                    uint64_t shard_bytes) {
  SafetensorsWriter writer;
  Parts& parts = *writer.parts_;
  parts.folder = folder;
  parts.descriptions = std::move(tensors);
  std::vector<std::vector<size_t>> shards(1);
  uint64_t used = 0;
  for (size_t t = 0; t < parts.descriptions.size(); ++t) {
    const uint64_t size = parts.descriptions[t].size();
    if (!shards.back().empty() && used + size > shard_bytes) {
      shards.emplace_back();
      used = 0;
    }
    shards.back().push_back(t);
    used += size;
    parts.total += size;
  }
  for (size_t s = 0; s < shards.size(); ++s) {
    parts.names.push_back(shards.size() == 1 ? "model.safetensors"
                                             : fmt::format("model-{:05}-of-{:05}.safetensors", s + 1, shards.size()));
    parts.files.push_back({folder / parts.names.back(), -1, std::move(shards[s])});
    TRY(parts.write_header(s));
  }
  ASSERT(parts.places.size() == parts.descriptions.size());  // no name twice
  return writer;
}

Result<SafetensorsWriter> SafetensorsWriter::create_file(const fs::path& file,
                                                         std::vector<SafetensorsDescription> tensors) {
  SafetensorsWriter writer;
  Parts& parts = *writer.parts_;
  parts.folder = file.parent_path();
  parts.descriptions = std::move(tensors);
  parts.names = {file.filename().string()};
  Parts::File one{file, -1, {}};
  for (size_t t = 0; t < parts.descriptions.size(); ++t) one.tensors.push_back(t);
  parts.files.push_back(std::move(one));
  TRY(parts.write_header(0));
  ASSERT(parts.places.size() == parts.descriptions.size());  // no name twice
  return writer;
}

Status SafetensorsWriter::put(const std::string& name, std::span<const std::byte> bytes) {
  const auto it = parts_->places.find(name);
  ASSERT(it != parts_->places.end() && !it->second.written && it->second.size == bytes.size());
  const Parts::File& file = parts_->files[it->second.file];
  TRY(write_at(file.fd, bytes, it->second.offset, file.path));
  it->second.written = true;
  return {};
}

Status SafetensorsWriter::finish() {
  for (const auto& [name, place] : parts_->places) ASSERT(place.written);
  for (const Parts::File& file : parts_->files)
    if (::fsync(file.fd) != 0) return system_error("can't flush the file", file.path, errno);
  if (parts_->files.size() > 1) {
    Json map = Json::object();
    for (const SafetensorsDescription& tensor : parts_->descriptions)
      map[tensor.name] = parts_->names[parts_->places.at(tensor.name).file];
    const Json index = {{"metadata", {{"total_size", parts_->total}}}, {"weight_map", map}};
    TRY(write_file_atomic(parts_->folder / "model.safetensors.index.json", dump_json(index) + "\n"));
  }
  return flush_folder(parts_->folder);
}

const std::vector<std::string>& SafetensorsWriter::files() const {
  return parts_->names;
}

}  // namespace tqm::tensor
