#include "fleet/catalogue/node_type.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <toml++/toml.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "chips/catalogue.hpp"
#include "fleet/ledger/transaction.hpp"

namespace tqm::fleet {
namespace fs = std::filesystem;
namespace {

class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file.string()) {}

  Error error(const toml::node& node, std::string what, std::string next) const {
    return Error{ErrorKind::bad_input, std::move(what), file_ + ":" + std::to_string(node.source().begin.line),
                 std::move(next)};
  }

  Status keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      const std::string word(key.str());
      if (std::find(known.begin(), known.end(), word) == known.end())
        return error(node, "unknown key '" + word + "'", "known are " + join(known, ", "));
    }
    return {};
  }

  template <class T>
  Result<T> need(const toml::table& table, std::string_view key) const {
    const auto value = table[key].value_exact<T>();
    if (!value) return error(table, "the key '" + std::string(key) + "' is missing or of the wrong type", "add it");
    return *value;
  }

  Result<Micro> yuan(const toml::table& table, std::string_view key) const {
    const auto amount = parse_yuan(TRY(need<std::string>(table, key)));
    if (!amount)
      return error(*table.get(key), "'" + std::string(key) + "': " + amount.error().what, amount.error().next);
    return *amount;
  }

  Result<PriceVersion> price(const toml::table& table) const {
    TRY(keys(table, {"from", "hour", "year", "source", "unverified", "assumed", "note"}));
    PriceVersion version;
    const auto from = parse_date_ms(TRY(need<std::string>(table, "from")));
    if (!from) return error(*table.get("from"), from.error().what, from.error().next);
    version.from_ms = *from;
    version.hour = TRY(yuan(table, "hour"));
    if (table.contains("year")) version.year = TRY(yuan(table, "year"));
    version.source.address = table["source"].value_or(std::string());
    version.source.unverified = table["unverified"].value_or(false);
    version.source.assumed = table["assumed"].value_or(false);
    version.source.note = table["note"].value_or(std::string());
    if (version.source.address.empty() != version.source.assumed)
      return error(table, "a price has a source or is assumed, not both",
                   "give source = \"https://…\", or assumed = true");
    return version;
  }

  Result<NodeType> node_type(const toml::table& root, const fs::path& catalogue) const {
    TRY(keys(root, {"chip", "chips", "price"}));
    NodeType type;
    type.chip = TRY(need<std::string>(root, "chip"));
    if (!is_id(type.chip)) return error(*root.get("chip"), "not the id of a chip", "name a file of catalog/chips");
    const int64_t chips = TRY(need<int64_t>(root, "chips"));
    if (chips < 1 || chips > 64) return error(*root.get("chips"), "a node has 1 to 64 chips", "");
    type.chips = static_cast<int>(chips);
    const auto chip = chips::load_chip(catalogue / "chips" / (type.chip + ".toml"));
    if (!chip)
      return error(*root.get("chip"), "the chip '" + type.chip + "' can't be read: " + chip.error().what,
                   chip.error().next);
    type.chip_name = (*chip).name;
    type.domestic = (*chip).domestic;
    type.resource = (*chip).scheduler_resource;
    const toml::array* prices = root["price"].as_array();
    if (!prices || prices->empty()) return error(root, "a node type without a price", "add [[price]]");
    for (const toml::node& node : *prices) {
      if (!node.is_table()) return error(node, "a price is a table", "write [[price]]");
      type.prices.push_back(TRY(price(*node.as_table())));
      if (type.prices.size() > 1 && type.prices.back().from_ms <= type.prices[type.prices.size() - 2].from_ms)
        return error(node, "a price that does not begin after the one above it", "add new prices at the end");
    }
    return type;
  }

 private:
  std::string file_;
};

}  // namespace

Result<NodeType> load_node_type(const fs::path& file, const fs::path& catalogue) {
  const std::string content = TRY(read_file(file, uint64_t{1} << 20));
  try {
    NodeType type = TRY(Reader(file).node_type(toml::parse(content, file.string()), catalogue));
    type.id = file.stem().string();
    if (!is_id(type.id)) return Error{ErrorKind::bad_input, "a file name that is no id", file.string(), "rename it"};
    return type;
  } catch (const toml::parse_error& e) {
    return Error{ErrorKind::bad_input, "not valid TOML: " + std::string(e.description()),
                 file.string() + ":" + std::to_string(e.source().begin.line), "mend the line"};
  }
}

Result<std::vector<NodeType>> load_node_types(const fs::path& catalogue) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator it(catalogue / "prices", code), end; !code && it != end; it.increment(code))
    if (it->path().extension() == ".toml") files.push_back(it->path());
  if (code) return system_error("can't read the prices", catalogue / "prices", code.value());
  std::sort(files.begin(), files.end());
  std::vector<NodeType> types;
  for (const fs::path& file : files) types.push_back(TRY(load_node_type(file, catalogue)));
  return types;
}

Result<NodeType> find_node_type(std::span<const NodeType> types, std::string_view id) {
  std::vector<std::string> names;
  for (const NodeType& type : types) {
    if (type.id == id) return type;
    names.push_back(type.id);
  }
  std::string next = did_you_mean(id, names);
  next += std::string(next.empty() ? "" : " ") + "known are " + join(names, ", ");
  return Error{ErrorKind::not_found, "no such node type", std::string(id), next};
}

Result<PriceVersion> price_at(const NodeType& type, int64_t time_ms) {
  const PriceVersion* found = nullptr;
  for (const PriceVersion& version : type.prices)
    if (version.from_ms <= time_ms) found = &version;
  if (!found) return Error{ErrorKind::not_found, "no price is known for that time", type.id, ""};
  return *found;
}

Status check_appended(std::span<const PriceVersion> earlier, std::span<const PriceVersion> later) {
  if (later.size() < earlier.size() || !std::equal(earlier.begin(), earlier.end(), later.begin()))
    return Error{ErrorKind::conflict, "prices that were in force have been changed", "",
                 "leave them, and add a new version below"};
  for (size_t i = 1; i < later.size(); ++i)
    if (later[i].from_ms <= later[i - 1].from_ms)
      return Error{ErrorKind::bad_input, "a price that does not begin after the one before it", "",
                   "add new prices at the end"};
  return {};
}

Result<int64_t> parse_date_ms(std::string_view text) {
  int year = 0;
  unsigned month = 0, day = 0;
  const auto number = [&](size_t at, size_t size, auto& value) {
    const char* end = text.data() + at + size;
    return std::from_chars(text.data() + at, end, value).ptr == end;
  };
  if (text.size() == 10 && text[4] == '-' && text[7] == '-' && number(0, 4, year) && number(5, 2, month) &&
      number(8, 2, day)) {
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
    if (date.ok())
      return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::sys_days(date).time_since_epoch())
          .count();
  }
  return Error{ErrorKind::bad_input, "not a date", std::string(text), "write it as 2026-12-01"};
}

}  // namespace tqm::fleet
