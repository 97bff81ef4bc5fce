#include "fleet/ledger/transaction.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace tqm::fleet {
namespace {

constexpr std::array<std::string_view, 9> kKinds = {"top-up", "grant",  "hold",   "charge", "release",
                                                    "expire", "refund", "credit", "round"};
constexpr std::array<std::string_view, 8> kPlatform = {"outside",  "promotion", "subsidy/domestic", "subsidy/sector",
                                                       "goodwill", "expired",   "rounding",         "revenue"};

bool is_account(std::string_view account) {
  if (std::find(kPlatform.begin(), kPlatform.end(), account) != kPlatform.end()) return true;
  if (account.starts_with("lot/")) return is_id(account.substr(4));
  if (!account.starts_with("held/")) return false;
  const size_t slash = account.find('/', 5);
  return slash != std::string_view::npos && is_id(account.substr(5, slash - 5)) && is_id(account.substr(slash + 1));
}

Error refused(const Transaction& transaction, std::string what) {
  return Error{ErrorKind::internal, std::move(what), "transaction " + transaction.key, ""};
}

}  // namespace

std::string_view name(TransactionKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

Result<TransactionKind> parse_transaction_kind(std::string_view word) {
  for (size_t i = 0; i < kKinds.size(); ++i)
    if (kKinds[i] == word) return static_cast<TransactionKind>(i);
  return Error{ErrorKind::bad_input, "no such kind of transaction", std::string(word), ""};
}

std::string lot_account(std::string_view lot) {
  return "lot/" + std::string(lot);
}
std::string held_account(std::string_view job, std::string_view lot) {
  return "held/" + std::string(job) + "/" + std::string(lot);
}
bool never_below_zero(std::string_view account) {
  return account.starts_with("lot/") || account.starts_with("held/");
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

Status check_transaction(const Transaction& transaction) {
  if (transaction.key.empty()) return refused(transaction, "a transaction without a key");
  if (transaction.entries.size() < 2) return refused(transaction, "a transaction of fewer than two entries");
  std::set<std::string_view> seen;
  Micro sum = 0;
  for (const Entry& entry : transaction.entries) {
    if (!is_account(entry.account)) return refused(transaction, "no account of the ledger: '" + entry.account + "'");
    if (!seen.insert(entry.account).second)
      return refused(transaction, "the account '" + entry.account + "' stands twice");
    if (entry.amount == 0) return refused(transaction, "an entry of zero on '" + entry.account + "'");
    sum = TRY(add_money(sum, entry.amount));
  }
  if (sum != 0) return refused(transaction, "the entries add up to " + yuan_text(sum) + ", not to zero");
  return {};
}

}  // namespace tqm::fleet
