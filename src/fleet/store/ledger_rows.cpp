#include "fleet/store/ledger_rows.hpp"

#include "fleet/job/meter.hpp"

namespace tqm::fleet {
namespace {

Result<Lot> lot_from(const Row& row) {
  Lot lot;
  lot.id = row.text(0);
  lot.organisation = row.text(1);
  lot.kind = TRY(parse_lot_kind(row.text(2)));
  lot.expires_ms = row.number_or_null(3);
  lot.balance = row.number_or_null(4).value_or(0);
  return lot;
}

Result<std::vector<Lot>> lots_from(const Rows& rows) {
  std::vector<Lot> lots;
  for (const Row& row : rows) lots.push_back(TRY(lot_from(row)));
  return lots;
}

}  // namespace

Result<bool> post(Connection& connection, const Transaction& transaction) {
  TRY(check_transaction(transaction));
  if (!TRY(connection.run("SELECT number FROM posted WHERE key = $1", {transaction.key})).empty()) return false;
  const Rows next = TRY(connection.run("UPDATE counter SET value = value + 1 WHERE name = 'posted' RETURNING value"));
  const int64_t number = next.front().number(0);
  TRY(
      connection.run("INSERT INTO posted (number, key, kind, organisation, job, seconds, time_ms, note) "
                     "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                     {number, transaction.key, std::string(name(transaction.kind)), transaction.organisation,
                      transaction.job, transaction.seconds, transaction.time_ms, transaction.note}));
  int64_t position = 0;
  for (const Entry& entry : transaction.entries) {
    TRY(connection.run("INSERT INTO entry (posted, position, account, amount) VALUES ($1, $2, $3, $4)",
                       {number, ++position, entry.account, entry.amount}));
    const Rows known = TRY(connection.run("UPDATE balance SET amount = amount + $2 WHERE account = $1 RETURNING amount",
                                          {entry.account, entry.amount}));
    if (known.empty())
      TRY(connection.run("INSERT INTO balance (account, amount) VALUES ($1, $2)", {entry.account, entry.amount}));
  }
  return true;
}

Status add_lot(Connection& connection, const Lot& lot, int64_t now_ms) {
  TRY(connection.run(
      "INSERT INTO lot (id, organisation, kind, expires_ms, created_ms, amount) VALUES ($1, $2, $3, $4, $5, $6)",
      {lot.id, lot.organisation, std::string(name(lot.kind)), or_null(lot.expires_ms), now_ms, lot.balance}));
  return {};
}

Result<std::vector<Lot>> lots_of(Connection& connection, const std::string& organisation) {
  return lots_from(
      TRY(connection.run("SELECT lot.id, lot.organisation, lot.kind, lot.expires_ms, balance.amount FROM lot "
                         "JOIN balance ON balance.account = 'lot/' || lot.id "
                         "WHERE lot.organisation = $1 AND balance.amount > 0 ORDER BY lot.id",
                         {organisation})));
}

Result<Lot> lot_of(Connection& connection, const std::string& id) {
  const Rows rows =
      TRY(connection.run("SELECT lot.id, lot.organisation, lot.kind, lot.expires_ms, balance.amount FROM lot "
                         "LEFT JOIN balance ON balance.account = 'lot/' || lot.id WHERE lot.id = $1",
                         {id}));
  if (rows.empty()) return Error{ErrorKind::not_found, "no such lot of credit", id, ""};
  return lot_from(rows.front());
}

Result<std::vector<Lot>> held_by_job(Connection& connection, const std::string& job) {
  const std::string prefix = held_account(job, "");
  std::string after = prefix;  // the first text that does not begin so: '0' comes after '/'
  after.back() = '0';
  std::vector<Lot> held;
  for (const Row& row :
       TRY(connection.run("SELECT account, amount FROM balance WHERE account >= $1 AND account < $2 AND amount > 0 "
                          "ORDER BY account",
                          {prefix, after}))) {
    Lot lot = TRY(lot_of(connection, row.text(0).substr(prefix.size())));
    lot.balance = row.number(1);
    held.push_back(std::move(lot));
  }
  return held;
}

Result<Micro> balance_of(Connection& connection, const std::string& account) {
  const Rows rows = TRY(connection.run("SELECT amount FROM balance WHERE account = $1", {account}));
  return rows.empty() ? Micro{0} : rows.front().number(0);
}

Result<std::vector<Transaction>> transactions(Connection& connection, const std::string& organisation, int64_t from_ms,
                                              int64_t to_ms) {
  std::vector<Transaction> result;
  int64_t last = 0;
  const Rows rows =
      TRY(connection.run("SELECT p.number, p.key, p.kind, p.organisation, p.job, p.seconds, p.time_ms, p.note, "
                         "e.account, e.amount FROM posted p "
                         "JOIN entry e ON e.posted = p.number WHERE ($1 = '' OR p.organisation = $1) AND p.time_ms >= "
                         "$2 AND p.time_ms < $3 "
                         "ORDER BY p.number, e.position",
                         {organisation, from_ms, to_ms}));
  for (const Row& row : rows) {
    if (row.number(0) != last) {
      last = row.number(0);
      Transaction transaction;
      transaction.key = row.text(1);
      transaction.kind = TRY(parse_transaction_kind(row.text(2)));
      transaction.organisation = row.text(3);
      transaction.job = row.text(4);
      transaction.seconds = row.number(5);
      transaction.time_ms = row.number(6);
      transaction.note = row.text(7);
      result.push_back(std::move(transaction));
    }
    result.back().entries.push_back({row.text(8), row.number(9)});
  }
  return result;
}

Result<LedgerCheck> verify_ledger(Connection& connection) {
  LedgerCheck check;
  const auto count = [&](const char* sql) -> Result<int64_t> { return TRY(connection.run(sql)).front().number(0); };
  check.transactions = TRY(count("SELECT COUNT(*) FROM posted"));
  check.entries = TRY(count("SELECT COUNT(*) FROM entry"));
  check.accounts = TRY(count("SELECT COUNT(*) FROM balance"));
  const auto fault = [&](std::string text) {
    if (check.faults.size() < 100) check.faults.push_back(std::move(text));
  };
  for (const Row& row : TRY(connection.run(
           "SELECT posted, CAST(SUM(amount) AS BIGINT) FROM entry GROUP BY posted HAVING SUM(amount) <> 0")))
    fault("transaction " + std::to_string(row.number(0)) + " adds up to " + yuan_text(row.number(1)) + ", not to zero");
  for (const Row& row : TRY(connection.run(
           "SELECT p.number FROM posted p WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.posted = p.number)")))
    fault("transaction " + std::to_string(row.number(0)) + " has no entries");
  if (const Rows last = TRY(connection.run("SELECT COALESCE(MAX(number), 0), COALESCE(MIN(number), 1) FROM posted"));
      last.front().number(0) != check.transactions || last.front().number(1) != 1)
    fault("the numbers of the transactions have a gap");
  for (const Row& row : TRY(connection.run(
           "SELECT b.account, b.amount, CAST(COALESCE(s.total, 0) AS BIGINT) FROM balance b LEFT JOIN "
           "(SELECT account, SUM(amount) AS total FROM entry GROUP BY account) s ON s.account = b.account "
           "WHERE b.amount <> COALESCE(s.total, 0)")))
    fault("the balance of " + row.text(0) + " is " + yuan_text(row.number(1)) + ", and its entries add up to " +
          yuan_text(row.number(2)));
  for (const Row& row : TRY(connection.run("SELECT DISTINCT e.account FROM entry e WHERE NOT EXISTS (SELECT 1 FROM "
                                           "balance b WHERE b.account = e.account)")))
    fault("the account " + row.text(0) + " has no balance");
  for (const Row& row : TRY(connection.run(
           "SELECT account, amount FROM balance WHERE amount < 0 AND (account LIKE 'lot/%' OR account LIKE 'held/%')")))
    fault(row.text(0) + " is below zero: " + yuan_text(row.number(1)));
  for (const Row& row : TRY(connection.run("SELECT j.id, j.price_hour, j.domestic_percent, j.sector_percent, "
                                           "j.seconds, j.paid_to, CAST(COALESCE((SELECT SUM(b.amount) FROM balance b "
                                           "WHERE b.account >= 'held/' || j.id || '/' AND b.account < 'held/' || j.id "
                                           "|| '0'), 0) AS BIGINT) FROM job j"))) {
    const Terms terms{row.number(1), static_cast<int>(row.number(2)), static_cast<int>(row.number(3))};
    const Micro paid = TRY(charge_of(terms, row.number(5))).net() - TRY(charge_of(terms, row.number(4))).net();
    if (paid != row.number(6))
      fault("job " + row.text(0) + " holds " + yuan_text(row.number(6)) + ", and its paid seconds cost " +
            yuan_text(paid));
  }
  for (const Row& row : TRY(connection.run("SELECT j.id, j.price_hour, j.domestic_percent, j.sector_percent, "
                                           "j.seconds, CAST(COALESCE((SELECT SUM(-e.amount) FROM posted p "
                                           "JOIN entry e ON e.posted = p.number WHERE p.job = j.id AND p.kind = "
                                           "'charge' AND e.account LIKE 'held/%'), 0) AS BIGINT), "
                                           "CAST(COALESCE((SELECT SUM(p.seconds) FROM posted p WHERE p.job = j.id AND "
                                           "p.kind = 'charge'), 0) AS BIGINT) FROM job j "
                                           "WHERE j.seconds > 0"))) {
    const Terms terms{row.number(1), static_cast<int>(row.number(2)), static_cast<int>(row.number(3))};
    const Micro net = TRY(charge_of(terms, row.number(4))).net();
    if (net != row.number(5))
      fault("job " + row.text(0) + " was charged " + yuan_text(row.number(5)) + ", and its seconds cost " +
            yuan_text(net));
    if (terms.price_hour > 0 && row.number(6) > row.number(4))
      fault("job " + row.text(0) + " was charged for more seconds than it ran");
  }
  return check;
}

Result<std::vector<std::string>> verify_accounts(Connection& connection, std::span<const std::string> accounts) {
  std::vector<std::string> faults;
  for (const std::string& account : accounts) {
    const Micro kept = TRY(balance_of(connection, account));
    const Rows rows =
        TRY(connection.run("SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM entry WHERE account = $1", {account}));
    if (rows.front().number(0) != kept)
      faults.push_back("the balance of " + account + " is " + yuan_text(kept) + ", and its entries add up to " +
                       yuan_text(rows.front().number(0)));
    if (kept < 0 && never_below_zero(account)) faults.push_back(account + " is below zero: " + yuan_text(kept));
  }
  return faults;
}

}  // namespace tqm::fleet
