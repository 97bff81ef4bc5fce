#include "fleet/catalogue/quote.hpp"

#include <cmath>
#include <toml++/toml.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tqm::fleet {

Result<Quote> make_quote(const NodeType& type, int64_t nodes, bool sector, int64_t now_ms) {
  if (nodes < 1 || nodes > 10'000)
    return Error{ErrorKind::bad_input, "a job has 1 to 10000 nodes", std::to_string(nodes), ""};
  const PriceVersion price = TRY(price_at(type, now_ms));
  Quote quote;
  quote.node_type = type.id;
  quote.nodes = nodes;
  quote.price_from_ms = price.from_ms;
  quote.node_hour = price.hour;
  if (price.hour > kMostMoney / nodes)
    return Error{ErrorKind::bad_input, "the price of all nodes is too large", type.id, "take fewer nodes"};
  quote.terms.price_hour = price.hour * nodes;
  quote.terms.domestic_percent = type.domestic ? kDomesticPercent : 0;
  quote.terms.sector_percent = sector ? kSectorPercent : 0;
  quote.made_ms = now_ms;
  return quote;
}

Result<Quote> committed(Quote quote) {
  quote.terms.price_hour = 0;
  return quote;
}

Result<double> commitment_pays_from_hours(const PriceVersion& price) {
  if (!price.year || price.hour == 0)
    return Error{ErrorKind::not_found, "this node type has no yearly price", "", "it is paid by use"};
  return static_cast<double>(*price.year) / static_cast<double>(price.hour);
}

Result<std::vector<Compared>> compare(double work, std::span<const Candidate> candidates, bool sector, int64_t now_ms) {
  if (!(work > 0) || !std::isfinite(work))
    return Error{ErrorKind::bad_input, "the work to compare must be above 0", fixed_text(work, 0), ""};
  std::vector<Compared> rows;
  for (const Candidate& candidate : candidates) {
    const double seconds = std::ceil(work / candidate.rate);
    if (!(candidate.rate > 0) || !(seconds <= static_cast<double>(kMostSeconds)))
      return Error{ErrorKind::bad_input, "a rate that does not come to an end within a hundred years",
                   candidate.type.id, "give units of work a second, above 0"};
    const Quote quote = TRY(make_quote(candidate.type, candidate.nodes, sector, now_ms));
    Compared row;
    row.node_type = candidate.type.id;
    row.nodes = candidate.nodes;
    row.seconds = static_cast<int64_t>(seconds);
    row.rate = candidate.rate;
    row.node_hour = quote.node_hour;
    row.charge = TRY(charge_of(quote.terms, row.seconds));
    row.price_source = TRY(price_at(candidate.type, now_ms)).source;
    row.rate_source = candidate.rate_source;
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return Error{ErrorKind::bad_input, "nothing to compare", "", "name a node type"};
  const double base = static_cast<double>(rows.front().charge.net());
  for (Compared& row : rows) {
    row.list_share = base > 0 ? static_cast<double>(row.charge.gross) / base : 0;
    row.net_share = base > 0 ? static_cast<double>(row.charge.net()) / base : 0;
  }
  return rows;
}

std::string arithmetic(double work, std::span<const Compared> rows) {
  std::string text;
  for (const Compared& row : rows) {
    text += row.node_type + (row.nodes > 1 ? " x " + std::to_string(row.nodes) : "") + "\n";
    text += "  time      " + fixed_text(work, 0) + " / " + fixed_text(row.rate, 2) +
            " a second = " + std::to_string(row.seconds) +
            " s = " + fixed_text(static_cast<double>(row.seconds) / 3600, 3) + " h  (rate: " + row.rate_source + ")\n";
    text += "  list      " + yuan_text(row.node_hour) + " yuan an hour" +
            (row.nodes > 1 ? " x " + std::to_string(row.nodes) : "") + ": " + yuan_text(row.charge.gross) +
            " yuan = " + percent_text(row.list_share, 1) +
            " of the first row  (price: " + (row.price_source.assumed ? "assumed" : row.price_source.address) +
            (row.price_source.unverified ? ", unverified" : "") + ")\n";
    if (row.charge.domestic) text += "  domestic  30 % of it: -" + yuan_text(row.charge.domestic) + " yuan\n";
    if (row.charge.sector) text += "  sector    15 % of the rest: -" + yuan_text(row.charge.sector) + " yuan\n";
    text += "  total     " + yuan_text(row.charge.net()) + " yuan = " + percent_text(row.net_share, 1) +
            " of the first row\n";
  }
  return text;
}

Result<Scenario> load_scenario(const std::filesystem::path& file, std::span<const NodeType> types) {
  const std::string content = TRY(read_file(file, uint64_t{1} << 20));
  const auto bad = [&](std::string what) { return Error{ErrorKind::bad_input, std::move(what), file.string(), ""}; };
  try {
    const toml::table root = toml::parse(content, file.string());
    Scenario scenario;
    scenario.title = root["title"].value_or(std::string());
    scenario.unit = root["unit"].value_or(std::string());
    scenario.work = root["work"].value_or(0.0);
    if (scenario.title.empty() || scenario.unit.empty() || !(scenario.work > 0))
      return bad("a scenario needs title, unit and work above 0");
    const toml::array* rates = root["rate"].as_array();
    if (!rates || rates->empty()) return bad("a scenario needs [[rate]]");
    for (const toml::node& node : *rates) {
      const toml::table* rate = node.as_table();
      if (!rate) return bad("a rate is a table");
      Candidate candidate;
      candidate.type = TRY(find_node_type(types, (*rate)["node_type"].value_or(std::string())));
      candidate.nodes = (*rate)["nodes"].value_or(int64_t{1});
      candidate.rate = (*rate)["value"].value_or(0.0);
      candidate.rate_source = (*rate)["source"].value_or(std::string());
      if (candidate.rate_source.empty()) return bad("a rate without a source");
      scenario.candidates.push_back(std::move(candidate));
    }
    return scenario;
  } catch (const toml::parse_error& e) {
    return bad("not valid TOML: " + std::string(e.description()));
  }
}

}  // namespace tqm::fleet
