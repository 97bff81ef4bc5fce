// Where a run may write: found out before the work, not after it; and the right to make OUT, which one run has at a
// time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/lock_file.hpp"
#include "base/result.hpp"

namespace tqm::compress {

struct Places {
  std::filesystem::path out, staging, work, report;
  std::filesystem::path scores;  // may be empty: the usual one
};

// Each can be made, and none lies in one that comes into being whole (OUT) or goes whole (the work folder).
Status check_places(const Places& places);

// Held through a file beside OUT (.OUT.torquetum-run), so that two runs never write the same staging folder, whatever
// their work folders are. The file also says what was put in place under OUT until all else is cleaned up: a run that
// was killed in between is then known to be done.
class Claim {
 public:
  // Makes OUT's parents where they are missing. conflict where another run holds it.
  static Result<Claim> take(const std::filesystem::path& out);
  Claim(Claim&&) = default;
  ~Claim();  // parents that were made and hold nothing go away again

  // What a killed run put in place and did not clean up after; null where there is nothing of the kind.
  const Json& placed() const { return placed_; }
  Status record(const Json& placed);  // before OUT comes into being
  Status forget();                    // all else is cleaned up

 private:
  Claim(LockFile lock, std::vector<std::filesystem::path> made) : lock_(std::move(lock)), made_(std::move(made)) {}
  std::optional<LockFile> lock_;
  std::vector<std::filesystem::path> made_;  // deepest first
  Json placed_;
};

}  // namespace tqm::compress
