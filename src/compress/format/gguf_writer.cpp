#include "compress/format/gguf_writer.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.hpp"

namespace tqm::compress {
namespace {

constexpr uint64_t kAlignment = 32;
// Types of values, ggml's gguf.h.
constexpr uint32_t kUint32 = 4, kInt32 = 5, kFloat32 = 6, kBool = 7, kString = 8, kArray = 9;

uint64_t padding(uint64_t size) {
  return (kAlignment - size % kAlignment) % kAlignment;
}

}  // namespace

template <class T>
void GgufWriter::number(T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out_->append(bytes, sizeof(T));
}

void GgufWriter::text(const std::string& value) {
  number<uint64_t>(value.size());
  *out_ += value;
}

void GgufWriter::begin_key(const std::string& name, uint32_t type) {
  text(name);
  number(type);
  ++key_count_;
}

void GgufWriter::key(const std::string& name, const std::string& value) {
  begin_key(name, kString);
  text(value);
}

void GgufWriter::key(const std::string& name, uint32_t value) {
  begin_key(name, kUint32);
  number(value);
}

void GgufWriter::key(const std::string& name, float value) {
  begin_key(name, kFloat32);
  number(value);
}

void GgufWriter::key(const std::string& name, bool value) {
  begin_key(name, kBool);
  number<uint8_t>(value ? 1 : 0);
}

void GgufWriter::key(const std::string& name, const std::vector<std::string>& values) {
  begin_key(name, kArray);
  number(kString);
  number<uint64_t>(values.size());
  for (const std::string& value : values) text(value);
}

void GgufWriter::key(const std::string& name, const std::vector<float>& values) {
  begin_key(name, kArray);
  number(kFloat32);
  number<uint64_t>(values.size());
  for (float value : values) number(value);
}

void GgufWriter::key(const std::string& name, const std::vector<int32_t>& values) {
  begin_key(name, kArray);
  number(kInt32);
  number<uint64_t>(values.size());
  for (int32_t value : values) number(value);
}

void GgufWriter::tensor(const std::string& name, const std::vector<int64_t>& shape, const GgmlType& type) {
  out_ = &descriptions_;
  text(name);
  number(static_cast<uint32_t>(shape.size()));
  uint64_t count = 1;
  for (auto side = shape.rbegin(); side != shape.rend(); ++side) {
    number(*side);
    count *= static_cast<uint64_t>(*side);
  }
  ASSERT(count % static_cast<uint64_t>(type.block_values) == 0);
  number(type.id);
  number(data_size_);
  out_ = &keys_;
  const uint64_t size = count / static_cast<uint64_t>(type.block_values) * type.block_bytes;
  sizes_.push_back(size);
  data_size_ += size + padding(size);
}

Status GgufWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("can't write the file", path_, errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return {};
}

Status GgufWriter::open(const std::filesystem::path& path) {
  path_ = path;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) return system_error("can't write the file", path, errno);
  std::string head = "GGUF";
  out_ = &head;
  number<uint32_t>(3);
  number<uint64_t>(sizes_.size());
  number(key_count_);
  head += keys_;
  head += descriptions_;
  head.resize(head.size() + padding(head.size()), '\0');
  return write(std::as_bytes(std::span(head)));
}

Status GgufWriter::append(std::span<const std::byte> bytes) {
  ASSERT(current_ < sizes_.size() && bytes.size() <= sizes_[current_] - done_);
  TRY(write(bytes));
  done_ += bytes.size();
  if (done_ < sizes_[current_]) return {};
  constexpr std::byte kZeros[kAlignment] = {};
  TRY(write(std::span(kZeros).first(padding(done_))));
  ++current_;
  done_ = 0;
  return {};
}

Status GgufWriter::finish() {
  ASSERT(current_ == sizes_.size());
  if (::fsync(fd_) != 0) return system_error("can't flush the file", path_, errno);
  return flush_folder(path_.parent_path());
}

GgufWriter::~GgufWriter() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace tqm::compress
