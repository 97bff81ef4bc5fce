// The shim's work: one attempt of a job from its claim to its exit record.
//
// The command runs under torquetum-guard, which kills everything of it when we die, however we die; where the guard is
// killed, its orphans are ours (the program makes itself the subreaper) and are killed here. Ten times a second we look
// whether it has ended, was told to stop, or has reached a bound; once a second its use is said and the permit read.
#pragma once

#include <functional>
#include <string>

#include "base/clock.hpp"
#include "task/attempt/lease.hpp"
#include "task/attempt/spec.hpp"

namespace tqm::task {

// CLOCK_BOOTTIME: goes on while the machine sleeps, and is never set.
const Clock& boot_clock();

struct ShimSurroundings {
  const Clock& clock = boot_clock();
  std::string holder = {};                                     // the shim's own id
  std::function<bool()> asked_to_stop = [] { return false; };  // SIGTERM to the shim
};

// An Error only where the attempt is not ours (conflict) or the records can't be written; whatever becomes of the
// command is an exit record, which is on the disk when this returns.
Result<ExitRecord> run_attempt(const AttemptSpec& spec, LeaseClient& lease, const ShimSurroundings& surroundings);

}  // namespace tqm::task
