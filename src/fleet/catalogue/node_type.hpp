// What can be rented: a node of so many chips of one kind, and what it has cost since when. One file a node type in
// catalog/prices; a price is never changed, a new version is added below it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/ledger/money.hpp"

namespace tqm::fleet {

// Where a figure comes from. What we set ourselves says so.
struct PriceSource {
  std::string address;      // empty where assumed
  bool unverified = false;  // only a secondary source says so
  bool assumed = false;     // set by us: nobody published it
  std::string note;
  bool operator==(const PriceSource&) const = default;
};

struct PriceVersion {
  int64_t from_ms = 0;        // since 1970, UTC
  Micro hour = 0;             // of one node
  std::optional<Micro> year;  // of one node, where it can be committed to for 365 days
  PriceSource source;
  bool operator==(const PriceVersion&) const = default;
};

struct NodeType {
  std::string id;    // the file's name without .toml: "mlu370-x8.8"
  std::string chip;  // id in catalog/chips
  std::string chip_name;
  int chips = 1;  // of one node
  bool domestic = false;
  std::string resource;              // what the scheduler calls the chip
  std::vector<PriceVersion> prices;  // rising from_ms, at least one
};

// One file. Unknown keys, chips that the catalogue lacks, prices without a source, times that do not rise are refused
// with file and line.
Result<NodeType> load_node_type(const std::filesystem::path& file, const std::filesystem::path& catalogue);

// Every .toml of FOLDER/prices, by id.
Result<std::vector<NodeType>> load_node_types(const std::filesystem::path& catalogue);

Result<NodeType> find_node_type(std::span<const NodeType> types, std::string_view id);

// The version that holds at a time; not_found before the first.
Result<PriceVersion> price_at(const NodeType& type, int64_t time_ms);

// May `later` stand in the place of `earlier`? Only with all of its versions unchanged and new ones after them.
Status check_appended(std::span<const PriceVersion> earlier, std::span<const PriceVersion> later);

// "2026-12-01", UTC.
Result<int64_t> parse_date_ms(std::string_view text);

}  // namespace tqm::fleet
