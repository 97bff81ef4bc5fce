#include "fleet/account/key.hpp"

#include "base/hash.hpp"
#include "fleet/ledger/transaction.hpp"

namespace tqm::fleet {
namespace {

constexpr std::string_view kPrefix = "tqm_";
constexpr size_t kSecretDigits = 64;

std::string hex(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::byte b : bytes) {
    text += kDigits[std::to_integer<unsigned>(b) >> 4];
    text += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

Error unknown_key() {
  return Error{ErrorKind::unauthenticated, "the key is not valid", "", "give a key that is: torquetum login"};
}

// Looks at every digit, whatever differs.
bool same(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Result<NewKey> make_key(std::string id, std::string user, std::vector<Scope> scopes, std::optional<int64_t> expires_ms,
                        std::span<const std::byte, 32> random, int64_t now_ms) {
  if (!is_id(id) || id.find('_') != std::string::npos)
    return Error{ErrorKind::internal, "the id of a key holds letters, digits, '-' and '.'", id, ""};
  if (scopes.empty())
    return Error{ErrorKind::bad_input, "a key needs a scope", user, "give read, jobs, money or admin"};
  if (expires_ms && *expires_ms <= now_ms)
    return Error{ErrorKind::bad_input, "the key would be expired from the beginning", user, "give a later expiry"};
  const std::string secret = hex(random);
  NewKey key;
  key.kept = {id, std::move(user), sha256_hex(secret), std::move(scopes), now_ms, expires_ms, {}};
  key.shown = std::string(kPrefix) + id + "_" + secret;
  return key;
}

Result<std::string> key_id(std::string_view shown) {
  if (!shown.starts_with(kPrefix) || shown.size() < kPrefix.size() + 2 + kSecretDigits) return unknown_key();
  const size_t end = shown.size() - kSecretDigits - 1;
  const std::string_view id = shown.substr(kPrefix.size(), end - kPrefix.size());
  if (shown[end] != '_' || !is_id(id)) return unknown_key();
  return std::string(id);
}

Status check_key(const ApiKey& key, std::string_view shown, int64_t now_ms) {
  const std::string id = TRY(key_id(shown));
  const bool right = same(sha256_hex(shown.substr(shown.size() - kSecretDigits)), key.hash);
  if (id != key.id || !right || key.revoked_ms || (key.expires_ms && *key.expires_ms <= now_ms)) return unknown_key();
  return {};
}

}  // namespace tqm::fleet
