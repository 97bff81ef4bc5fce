// The tables, and their way from one version to the next. A version is never edited once it has been released: the next
// one is added below it.
#pragma once

#include <string>
#include <vector>

#include "fleet/store/database.hpp"

namespace tqm::fleet {

constexpr int64_t kSchemaVersion = 1;

// Brings an empty or older database to kSchemaVersion, one transaction a version. unsupported where it is newer.
Status migrate(Connection& connection);

// Every table with its columns, in an order in which rows can be inserted; for backup and restore.
struct Table {
  std::string name;
  std::vector<std::string> columns;
};
const std::vector<Table>& tables();

// Tables whose rows are never changed or deleted: triggers refuse it.
const std::vector<std::string>& append_only_tables();

}  // namespace tqm::fleet
