// API keys: "tqm_ID_SECRET", 256 random bits in the secret. Only its hash is kept, so a key is shown once; a plain
// SHA-256 does, because a secret of 256 bits can't be guessed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/account/permission.hpp"

namespace tqm::fleet {

struct ApiKey {
  std::string id;
  std::string user;
  std::string hash;  // of the secret, 64 hexadecimal digits
  std::vector<Scope> scopes;
  int64_t created_ms = 0;
  std::optional<int64_t> expires_ms, revoked_ms;
};

struct NewKey {
  ApiKey kept;
  std::string shown;  // the key itself: shown once, kept nowhere
};

// random: 32 bytes. Refuses a key without scopes and an expiry that is past.
Result<NewKey> make_key(std::string id, std::string user, std::vector<Scope> scopes, std::optional<int64_t> expires_ms,
                        std::span<const std::byte, 32> random, int64_t now_ms);

// The id in a key that somebody brings; unauthenticated where it has not the form of one.
Result<std::string> key_id(std::string_view shown);

// unauthenticated, always in the same words, where the secret is wrong, or the key has expired or been revoked.
Status check_key(const ApiKey& key, std::string_view shown, int64_t now_ms);

}  // namespace tqm::fleet
