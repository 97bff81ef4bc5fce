#include "task/attempt/record.hpp"

#include "base/file.hpp"

namespace tqm::task {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOrders[] = {"run", "stop", "kill"};

// The library's own errors of missing fields and wrong types become one of ours.
template <class Record, class Take>
Result<std::optional<Record>> read_record(const fs::path& path, const Take& take) {
  std::error_code code;
  if (!fs::exists(path, code)) return std::optional<Record>();
  const Json json = TRY(read_json(path));
  try {
    return std::optional<Record>(take(json));
  } catch (const nlohmann::json::exception& problem) {
    return Error{ErrorKind::bad_input, std::string("this is no record of an attempt: ") + problem.what(), path.string(),
                 "it is written by Torquetum alone; the attempt counts as lost"};
  }
}

}  // namespace

Json permit_json(const PermitRecord& record) {
  return Json{{"v", 1},
              {"paid_until_s", record.paid_until_s},
              {"acknowledged_s", record.acknowledged_s},
              {"order", kOrders[static_cast<size_t>(record.order)]},
              {"why", record.why}};
}

Json use_json(const UseRecord& record) {
  return Json{{"v", 1},
              {"attempt", record.attempt},
              {"holder", record.holder},
              {"from_s", record.from_s},
              {"to_s", record.to_s},
              {"checkpoint_s", record.checkpoint_s},
              {"memory_bytes", record.memory_bytes}};
}

Json exit_json(const ExitRecord& record) {
  return Json{{"v", 1},
              {"attempt", record.attempt},
              {"holder", record.holder},
              {"reason", record.reason},
              {"text", record.text},
              {"code", record.code ? Json(*record.code) : Json()},
              {"resumable", record.resumable},
              {"seconds", record.seconds},
              {"checkpoint_s", record.checkpoint_s},
              {"peak_memory_bytes", record.peak_memory_bytes},
              {"memory_limit", record.memory_limit}};
}

Status write_record(const fs::path& path, const Json& json) {
  return write_file_atomic(path, dump_json(json, 1) + "\n");
}

Result<std::optional<PermitRecord>> read_permit(const fs::path& path) {
  return read_record<PermitRecord>(path, [](const Json& json) {
    PermitRecord record;
    record.paid_until_s = json.at("paid_until_s").get<int64_t>();
    record.acknowledged_s = json.at("acknowledged_s").get<int64_t>();
    const auto order = json.at("order").get<std::string>();
    record.order = order == kOrders[0] ? Order::run : order == kOrders[1] ? Order::stop : Order::kill;
    record.why = json.at("why").get<std::string>();
    return record;
  });
}

Result<std::optional<UseRecord>> read_use(const fs::path& path) {
  return read_record<UseRecord>(path, [](const Json& json) {
    return UseRecord{json.at("attempt").get<int64_t>(),      json.at("holder").get<std::string>(),
                     json.at("from_s").get<int64_t>(),       json.at("to_s").get<int64_t>(),
                     json.at("checkpoint_s").get<int64_t>(), json.at("memory_bytes").get<uint64_t>()};
  });
}

Result<std::optional<ExitRecord>> read_exit(const fs::path& path) {
  return read_record<ExitRecord>(path, [](const Json& json) {
    ExitRecord record;
    record.attempt = json.at("attempt").get<int64_t>();
    record.holder = json.at("holder").get<std::string>();
    record.reason = json.at("reason").get<std::string>();
    record.text = json.at("text").get<std::string>();
    if (!json.at("code").is_null()) record.code = json.at("code").get<int>();
    record.resumable = json.at("resumable").get<bool>();
    record.seconds = json.at("seconds").get<int64_t>();
    record.checkpoint_s = json.at("checkpoint_s").get<int64_t>();
    record.peak_memory_bytes = json.at("peak_memory_bytes").get<uint64_t>();
    record.memory_limit = json.at("memory_limit").get<std::string>();
    return record;
  });
}

}  // namespace tqm::task
