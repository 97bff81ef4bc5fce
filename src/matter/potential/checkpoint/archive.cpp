#include "matter/potential/checkpoint/archive.hpp"

#include <cstdint>
#include <string_view>

namespace tqm::matter {
namespace {

uint64_t little_endian(std::span<const std::byte> bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t k = count; k-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[at + k]);
  return value;
}

}  // namespace

// APPNOTE.TXT 6.3.10: end of central directory record (4.3.16), central file headers (4.3.12), local headers (4.3.7).
Result<std::map<std::string, std::span<const std::byte>>> stored_members(std::span<const std::byte> bytes,
                                                                         const std::string& where) {
  const Error broken{ErrorKind::bad_input, "this is no whole ZIP archive of torch.save", where, "fetch it anew"};
  constexpr size_t kEnd = 22, kCentral = 46, kLocal = 30, kLongestComment = 65535;
  if (bytes.size() < kEnd) return broken;
  size_t end = bytes.size() - kEnd;
  const size_t least = end > kLongestComment ? end - kLongestComment : 0;
  while (little_endian(bytes, end, 4) != 0x06054b50) {
    if (end == least) return broken;
    --end;
  }
  const uint64_t count = little_endian(bytes, end + 10, 2);
  uint64_t at = little_endian(bytes, end + 16, 4);
  std::map<std::string, std::span<const std::byte>> members;
  for (uint64_t k = 0; k < count; ++k) {
    if (at + kCentral > end || little_endian(bytes, at, 4) != 0x02014b50) return broken;
    const uint64_t method = little_endian(bytes, at + 10, 2), packed = little_endian(bytes, at + 20, 4),
                   size = little_endian(bytes, at + 24, 4), name_size = little_endian(bytes, at + 28, 2),
                   extra = little_endian(bytes, at + 30, 2), comment = little_endian(bytes, at + 32, 2),
                   local = little_endian(bytes, at + 42, 4);
    if (at + kCentral + name_size > end || local + kLocal > bytes.size()) return broken;
    std::string name(reinterpret_cast<const char*>(bytes.data()) + at + kCentral, name_size);
    if (method != 0 || packed != size) {
      return Error{ErrorKind::unsupported, "a member of the archive is compressed", where,
                   "torch.save compresses none"};
    }
    const uint64_t data = local + kLocal + little_endian(bytes, local + 26, 2) + little_endian(bytes, local + 28, 2);
    if (little_endian(bytes, local, 4) != 0x04034b50 || data > bytes.size() || size > bytes.size() - data)
      return broken;
    const size_t slash = name.find('/');
    if (slash != std::string::npos) name = name.substr(slash + 1);
    members[name] = bytes.subspan(data, size);
    at += kCentral + name_size + extra + comment;
  }
  return members;
}

}  // namespace tqm::matter
