#include "fleet/operate/money.hpp"

#include "fleet/store/ledger_rows.hpp"

namespace tqm::fleet {
namespace {

Status note(Connection& connection, const Actor& actor, const std::string& organisation, const char* action,
            std::string detail) {
  return add_audit(connection, {0, actor.now_ms, actor.who, organisation, action, std::move(detail)});
}

}  // namespace

Status create_organisation(Connection& connection, const Decide& decide, const OrganisationRow& organisation,
                           const Actor& actor) {
  TRY(add_organisation(connection, organisation));
  TRY(note(connection, actor, organisation.id, "create-organisation", std::string(name(organisation.kind))));
  const Lot trial{"trial-" + organisation.id, organisation.id, LotKind::trial, {}, kTrialCredit};
  return give_credit(connection, decide, trial, "trial credit", actor);
}

Status give_credit(Connection& connection, const Decide& decide, const Lot& lot, const std::string& text,
                   const Actor& actor) {
  const std::string key = "give/" + lot.id;
  if (!TRY(connection.run("SELECT id FROM lot WHERE id = $1", {lot.id})).empty()) return {};
  const OrganisationRow organisation = TRY(organisation_of(connection, lot.organisation));
  const GrantsSoFar so_far = TRY(grants_so_far(connection, organisation));
  const Transaction transaction = lot.kind == LotKind::paid ? TRY(top_up(lot, key, text, actor.now_ms))
                                                            : TRY(decide.grant({lot, key, text}, so_far, actor.now_ms));
  TRY(add_lot(connection, lot, actor.now_ms));
  TRY(post(connection, transaction));
  return note(connection, actor, lot.organisation, lot.kind == LotKind::paid ? "top-up" : "grant",
              std::string(name(lot.kind)) + " " + yuan_text(lot.balance));
}

Status refund_lot(Connection& connection, const std::string& lot, Micro amount, const std::string& key,
                  const std::string& text, const Actor& actor) {
  if (!TRY(connection.run("SELECT number FROM posted WHERE key = $1", {key})).empty()) return {};
  const Lot left = TRY(lot_of(connection, lot));
  const Transaction transaction = TRY(refund(left, amount, key, text, actor.now_ms));
  TRY(post(connection, transaction));
  return note(connection, actor, left.organisation, "refund", lot + " " + yuan_text(amount));
}

Result<int64_t> expire_lots(Connection& connection, const Decide& decide, int64_t now_ms) {
  int64_t count = 0;
  for (const Row& row :
       TRY(connection.run("SELECT lot.id, lot.organisation, lot.kind, lot.expires_ms, balance.amount FROM lot "
                          "JOIN balance ON balance.account = 'lot/' || lot.id "
                          "WHERE lot.expires_ms <= $1 AND balance.amount > 0 ORDER BY lot.id",
                          {now_ms}))) {
    const Lot lot{row.text(0), row.text(1), TRY(parse_lot_kind(row.text(2))), row.number(3), row.number(4)};
    if (const auto gone = decide.expire(lot, now_ms)) count += TRY(post(connection, *gone)) ? 1 : 0;
  }
  return count;
}

Result<Bill> bill_organisation(Connection& connection, const std::string& organisation, int64_t from_ms, int64_t to_ms,
                               const Actor& actor) {
  if (to_ms > actor.now_ms)
    return Error{ErrorKind::conflict, "the period is not over", organisation, "ask for one that is"};
  const std::vector<Transaction> posted = TRY(transactions(connection, organisation, from_ms, to_ms));
  const Bill bill = TRY(make_bill(organisation, from_ms, to_ms, posted));
  const std::string lot = "rounding-" + organisation;
  if (const auto rounding = round_bill(bill, lot, actor.now_ms)) {
    if (TRY(connection.run("SELECT id FROM lot WHERE id = $1", {lot})).empty())
      TRY(add_lot(connection, {lot, organisation, LotKind::credit, {}, 0}, actor.now_ms));
    TRY(post(connection, *rounding));
  }
  return bill;
}

}  // namespace tqm::fleet
