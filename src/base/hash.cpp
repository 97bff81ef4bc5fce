#include "base/hash.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <vector>
#include <xxhash.h>

#include "base/file.hpp"

namespace tqm {
namespace fs = std::filesystem;

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  ASSERT(state_->context && EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  ASSERT(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  ASSERT(EVP_DigestFinal_ex(state_->context, digest, &size) == 1);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

struct Xxh3::State {
  XXH3_state_t* hash = XXH3_createState();
  ~State() { XXH3_freeState(hash); }
};

Xxh3::Xxh3() : state_(std::make_unique<State>()) {
  ASSERT(state_->hash && XXH3_64bits_reset(state_->hash) == XXH_OK);
}
Xxh3::Xxh3(Xxh3&&) noexcept = default;
Xxh3& Xxh3::operator=(Xxh3&&) noexcept = default;
Xxh3::~Xxh3() = default;

void Xxh3::add(std::span<const std::byte> bytes) {
  ASSERT(bytes.empty() || XXH3_64bits_update(state_->hash, bytes.data(), bytes.size()) == XXH_OK);
}
uint64_t Xxh3::value() const {
  return XXH3_64bits_digest(state_->hash);
}
std::string Xxh3::hex() const {
  return fmt::format("{:016x}", value());
}

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

uint64_t xxh3(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

namespace {

template <class Hash>
Result<std::string> hash_of_file(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error("can't open the file", path, errno);
  Hash hash;
  std::vector<std::byte> piece(size_t{1} << 20);
  while (true) {
    ssize_t n = ::read(file.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("can't read the file", path, errno);
    if (n == 0) return hash.hex();
    hash.add(std::span(piece).first(static_cast<size_t>(n)));
  }
}

}  // namespace

Result<std::string> sha256_of_file(const fs::path& path) {
  return hash_of_file<Sha256>(path);
}
Result<std::string> xxh3_of_file(const fs::path& path) {
  return hash_of_file<Xxh3>(path);
}

}  // namespace tqm
