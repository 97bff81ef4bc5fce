// What shim and engine tell each other through files of the attempt's folder. Each is written whole under another name
// and renamed, so a reader never sees half of one; the last of each counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace tqm::task {

// Names in the attempt's folder.
struct AttemptFiles {
  std::filesystem::path folder;
  std::filesystem::path spec() const { return folder / "spec.json"; }
  std::filesystem::path lock() const { return folder / "lock"; }           // held by the shim; holds its pid
  std::filesystem::path permit() const { return folder / "permit.json"; }  // the engine's word to the shim
  std::filesystem::path use() const { return folder / "use.json"; }        // the shim's sign of life and its seconds
  std::filesystem::path exit() const { return folder / "exit.json"; }      // the last word; nothing runs any more
  std::filesystem::path shim_log() const { return folder / "shim.log"; }
  std::filesystem::path out() const { return folder / "stdout"; }
  std::filesystem::path err() const { return folder / "stderr"; }
  std::filesystem::path events() const { return folder / "events"; }
  std::filesystem::path checkpoint() const { return folder / "checkpoint"; }
  std::filesystem::path report() const { return folder / "report"; }
};

enum class Order { run, stop, kill };

struct PermitRecord {
  int64_t paid_until_s = 0;    // of the attempt's own seconds; 0: no bound
  int64_t acknowledged_s = 0;  // of its seconds, what the service has counted
  Order order = Order::run;
  std::string why = {};  // a reason of ExitRecord, for `stop`
  bool operator==(const PermitRecord&) const = default;
};

struct UseRecord {
  int64_t attempt = 0;
  std::string holder;            // the shim's own id
  int64_t from_s = 0, to_s = 0;  // of the attempt's own seconds (CLOCK_BOOTTIME): acknowledged, run
  int64_t checkpoint_s = 0;      // of them, at the last commit of this attempt; 0: none
  uint64_t memory_bytes = 0;     // resident now, of the whole tree
  bool operator==(const UseRecord&) const = default;
};

// reason is a word of this list: done, failed, rolled-back, stopped, time-limit, unpaid, lost, never-started; or what
// the permit's `why` said.
struct ExitRecord {
  int64_t attempt = 0;
  std::string holder;
  std::string reason;
  std::string text;              // for people: "exit 3", "more memory than its 512 MB"
  std::optional<int> code = {};  // of the command; none where it never ran or nobody saw its end
  bool resumable = false;        // a checkpoint of this attempt is committed
  int64_t seconds = 0, checkpoint_s = 0;
  uint64_t peak_memory_bytes = 0;  // of the whole tree, as far as it was seen
  std::string memory_limit = {};   // "polled": how it was kept; empty: none was asked for
  bool operator==(const ExitRecord&) const = default;
};

Json permit_json(const PermitRecord& record);
Json use_json(const UseRecord& record);
Json exit_json(const ExitRecord& record);
Status write_record(const std::filesystem::path& path, const Json& json);

// None where the file is missing; what is no such record is bad_input.
Result<std::optional<PermitRecord>> read_permit(const std::filesystem::path& path);
Result<std::optional<UseRecord>> read_use(const std::filesystem::path& path);
Result<std::optional<ExitRecord>> read_exit(const std::filesystem::path& path);

}  // namespace tqm::task
