#include "fleet/store/backup.hpp"

#include <fstream>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "fleet/store/schema.hpp"

namespace tqm::fleet {
namespace {

Json json_of(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

Error bad(const std::filesystem::path& file, int64_t line, std::string what) {
  return Error{ErrorKind::bad_input, std::move(what), file.string() + ":" + std::to_string(line),
               "restore another backup"};
}

Result<Value> value_from(const Json& json, const std::filesystem::path& file, int64_t line) {
  if (json.is_null()) return Value();
  if (json.is_number_integer()) return Value(json.get<int64_t>());
  if (json.is_string()) return Value(json.get<std::string>());
  return bad(file, line, "a value that is no whole number, text or null");
}

const Table* table_named(const std::string& name) {
  for (const Table& table : tables())
    if (table.name == name) return &table;
  return nullptr;
}

}  // namespace

Result<int64_t> backup(Connection& connection, const std::filesystem::path& path) {
  AtomicFile file = TRY(AtomicFile::create(path));
  TRY(file.write(dump_json({{"torquetum_backup", 1}, {"schema", kSchemaVersion}}, -1) + "\n"));
  int64_t rows = 0;
  for (const Table& table : tables()) {
    // In order of the key, so that two backups of the same state are the same file.
    for (const Row& row :
         TRY(connection.run("SELECT " + join(table.columns, ", ") + " FROM " + table.name + " ORDER BY 1, 2"))) {
      Json line = {{"t", table.name}, {"r", Json::array()}};
      for (const Value& value : row.values()) line["r"].push_back(json_of(value));
      TRY(file.write(dump_json(line, -1) + "\n"));
      ++rows;
    }
  }
  TRY(file.write(dump_json({{"rows", rows}}, -1) + "\n"));
  TRY(file.commit());
  return rows;
}

Result<int64_t> restore(Connection& connection, const std::filesystem::path& path) {
  if (!TRY(connection.run("SELECT id FROM organisation LIMIT 1")).empty())
    return Error{ErrorKind::conflict, "the database is not empty", "", "restore into a new one"};
  std::ifstream file(path);
  if (!file) return Error{ErrorKind::not_found, "can't read the backup", path.string(), ""};
  std::string text;
  int64_t line = 0, rows = 0;
  bool ended = false;
  while (std::getline(file, text)) {
    ++line;
    const Json json = TRY(parse_json(text, path.string() + ":" + std::to_string(line)));
    if (line == 1) {
      if (json.value("torquetum_backup", 0) != 1) return bad(path, line, "no backup of this form");
      if (json.value("schema", int64_t{0}) != kSchemaVersion)
        return bad(path, line, "a backup of another version of the schema");
      TRY(connection.run("DELETE FROM counter"));
      continue;
    }
    if (ended) return bad(path, line, "something after the end");
    if (json.contains("rows")) {
      if (json["rows"] != rows) return bad(path, line, "another number of rows than the end says");
      ended = true;
      continue;
    }
    const Table* table = table_named(json.value("t", std::string()));
    if (!table || !json.contains("r") || !json["r"].is_array() || json["r"].size() != table->columns.size())
      return bad(path, line, "no row of a table");
    std::vector<Value> values;
    std::string places;
    for (const Json& value : json["r"]) {
      values.push_back(TRY(value_from(value, path, line)));
      places += (places.empty() ? "$" : ", $") + std::to_string(values.size());
    }
    TRY(connection.run("INSERT INTO " + table->name + " (" + join(table->columns, ", ") + ") VALUES (" + places + ")",
                       values));
    ++rows;
  }
  if (!ended) return bad(path, line, "the end is missing: the file was cut off");
  return rows;
}

}  // namespace tqm::fleet
