// A backup is one text file of JSON lines: a head, every row of every table as one moment saw it, and an end with the
// number of rows. It is the same whatever database it comes from, so it also moves a service from SQLite to PostgreSQL.
#pragma once

#include <filesystem>

#include "fleet/store/database.hpp"

namespace tqm::fleet {

// To be called in one transaction (Store::read). The file is whole or not there.
Result<int64_t> backup(Connection& connection, const std::filesystem::path& file);

// Into a database without organisations (Store::write). Refuses a file without its end, of another schema version, or
// with tables or columns that are unknown; then nothing is written.
Result<int64_t> restore(Connection& connection, const std::filesystem::path& file);

}  // namespace tqm::fleet
