#include "fleet/ledger/bill.hpp"

#include <map>

#include "base/clock.hpp"

namespace tqm::fleet {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string html_text(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

Status add_charge(BillLine& line, const Transaction& transaction) {
  line.seconds += transaction.seconds;
  for (const Entry& entry : transaction.entries) {
    if (entry.account == "revenue") line.gross = TRY(add_money(line.gross, entry.amount));
    if (entry.account == "subsidy/domestic") line.domestic = TRY(add_money(line.domestic, -entry.amount));
    if (entry.account == "subsidy/sector") line.sector = TRY(add_money(line.sector, -entry.amount));
    if (never_below_zero(entry.account)) line.net = TRY(add_money(line.net, -entry.amount));
  }
  return {};
}

std::string time_text(int64_t ms) {
  return utc_text(ms * 1'000'000);
}

}  // namespace

Result<Bill> make_bill(std::string organisation, int64_t from_ms, int64_t to_ms,
                       std::span<const Transaction> transactions) {
  Bill bill;
  bill.organisation = std::move(organisation);
  bill.from_ms = from_ms;
  bill.to_ms = to_ms;
  std::map<std::string, BillLine> used;
  std::vector<BillLine> credits;
  for (const Transaction& transaction : transactions) {
    if (transaction.organisation != bill.organisation || transaction.time_ms < from_ms || transaction.time_ms >= to_ms)
      continue;
    if (transaction.kind == TransactionKind::charge) {
      BillLine& line = used[transaction.job];
      line.job = transaction.job;
      line.text = "use";
      TRY(add_charge(line, transaction));
    } else if (transaction.kind == TransactionKind::credit) {
      BillLine line;
      line.kind = TransactionKind::credit;
      line.job = transaction.job;
      line.text = transaction.note;
      for (const Entry& entry : transaction.entries)
        if (never_below_zero(entry.account)) line.net = TRY(add_money(line.net, -entry.amount));
      credits.push_back(std::move(line));
    }
  }
  for (auto& [job, line] : used) bill.lines.push_back(std::move(line));
  for (BillLine& line : credits) bill.lines.push_back(std::move(line));
  for (const BillLine& line : bill.lines) bill.exact = TRY(add_money(bill.exact, line.net));
  const Micro over = ((bill.exact % kFen) + kFen) % kFen;
  bill.rounded = bill.exact - over;
  return bill;
}

std::optional<Transaction> round_bill(const Bill& bill, const std::string& credit_lot, int64_t now_ms) {
  if (bill.remainder() == 0) return std::nullopt;
  Transaction transaction;
  transaction.kind = TransactionKind::round;
  transaction.key =
      "round/" + bill.organisation + "/" + std::to_string(bill.from_ms) + "-" + std::to_string(bill.to_ms);
  transaction.organisation = bill.organisation;
  transaction.time_ms = now_ms;
  transaction.note = "part of a fen of the bill";
  transaction.entries = {{"rounding", -bill.remainder()}, {lot_account(credit_lot), bill.remainder()}};
  return transaction;
}

Json bill_json(const Bill& bill) {
  Json lines = Json::array();
  for (const BillLine& line : bill.lines)
    lines.push_back({{"kind", name(line.kind)},
                     {"job", line.job},
                     {"text", line.text},
                     {"seconds", line.seconds},
                     {"gross_microyuan", line.gross},
                     {"domestic_subsidy_microyuan", line.domestic},
                     {"sector_subsidy_microyuan", line.sector},
                     {"net_microyuan", line.net},
                     {"net_yuan", yuan_text(line.net)}});
  return {{"v", 1},
          {"organisation", bill.organisation},
          {"from", time_text(bill.from_ms)},
          {"to", time_text(bill.to_ms)},
          {"lines", lines},
          {"exact_microyuan", bill.exact},
          {"returned_microyuan", bill.remainder()},
          {"total_fen", bill.rounded / kFen},
          {"total_yuan", yuan_text(bill.rounded)}};
}

std::string bill_csv(const Bill& bill) {
  std::string text = "kind,job,text,seconds,gross_yuan,domestic_subsidy_yuan,sector_subsidy_yuan,net_yuan\r\n";
  const auto row = [&](const std::string& kind, const std::string& job, const std::string& what,
                       const std::string& seconds, const std::string& gross, const std::string& domestic,
                       const std::string& sector, Micro net) {
    text += csv_field(kind) + ',' + csv_field(job) + ',' + csv_field(what) + ',' + seconds + ',' + gross + ',' +
            domestic + ',' + sector + ',' + yuan_text(net) + "\r\n";
  };
  for (const BillLine& line : bill.lines)
    row(std::string(name(line.kind)), line.job, line.text, std::to_string(line.seconds), yuan_text(line.gross),
        yuan_text(-line.domestic), yuan_text(-line.sector), line.net);
  if (bill.remainder() != 0) row("round", "", "returned: part of a fen", "", "", "", "", -bill.remainder());
  row("total", "", "", "", "", "", "", bill.rounded);
  return text;
}

std::string bill_html(const Bill& bill) {
  std::string rows;
  const auto cell = [&](const std::string& text, bool number) {
    rows += number ? "<td class=\"n\">" : "<td>";
    rows += html_text(text) + "</td>";
  };
  for (const BillLine& line : bill.lines) {
    rows += "<tr>";
    cell(line.job, false);
    cell(line.text, false);
    cell(line.kind == TransactionKind::charge ? std::to_string(line.seconds) : "", true);
    cell(yuan_text(line.gross), true);
    cell(yuan_text(-line.domestic), true);
    cell(yuan_text(-line.sector), true);
    cell(yuan_text(line.net), true);
    rows += "</tr>\n";
  }
  const auto foot = [&](const std::string& text, Micro amount) {
    rows +=
        "<tr class=\"sum\"><td colspan=\"6\">" + text + "</td><td class=\"n\">" + yuan_text(amount) + "</td></tr>\n";
  };
  if (bill.remainder() != 0) foot("Returned: part of a fen", -bill.remainder());
  foot("Total", bill.rounded);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Bill</title><style>"
         "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em}"
         "table{border-collapse:collapse;width:100%}td,th{padding:.3em .6em;border-bottom:1px solid "
         "#ccc;text-align:left}"
         ".n{text-align:right;font-variant-numeric:tabular-nums}.sum "
         "td{font-weight:600}</style></head><body>\n<h1>Bill of " +
         html_text(bill.organisation) + "</h1>\n<p>" + time_text(bill.from_ms) + " to " + time_text(bill.to_ms) +
         ", amounts in yuan</p>\n<table><tr><th>Job</th><th>For</th><th class=\"n\">Seconds</th><th class=\"n\">List "
         "price</th>"
         "<th class=\"n\">Domestic chip</th><th class=\"n\">Sector</th><th class=\"n\">Charged</th></tr>\n" +
         rows + "</table>\n</body></html>\n";
}

}  // namespace tqm::fleet
