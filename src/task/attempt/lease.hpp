// The shim's side of "one live attempt": it claims the attempt before the command starts, and lives by the answers.
#pragma once

#include <memory>
#include <string>

#include "task/attempt/record.hpp"

namespace tqm::task {

class LeaseClient {
 public:
  virtual ~LeaseClient() = default;
  // conflict: the attempt is another shim's, or over: do not start.
  virtual Status claim(const std::string& holder) = 0;
  // Sign of life and use in one; none where nothing new is permitted. conflict: the attempt is not ours any more: kill
  // its tree without saving. Any other error: nobody answered, go on.
  virtual Result<std::optional<PermitRecord>> renew(const UseRecord& use) = 0;
  // The last word: nothing of the attempt runs any more.
  virtual Status end(const ExitRecord& exit) = 0;
};

// On one machine: a locked file, which the kernel gives free however the shim ends. While it is held nobody else runs
// the attempt; an attempt with an exit record never runs again. An outage of the service stops nothing but what its
// last permit bounds.
std::unique_ptr<LeaseClient> held_file_lease(const AttemptFiles& files);

// For engines: the exit record of an attempt whose shim does not hold the lock; where there is none, it is written
// first (with this reason). None: a shim holds it.
Result<std::optional<ExitRecord>> exit_unless_held(const AttemptFiles& files, int64_t attempt,
                                                   const std::string& reason_if_none, const std::string& text_if_none);

}  // namespace tqm::task
