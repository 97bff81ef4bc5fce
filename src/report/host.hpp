// The machine a report was made on.
#pragma once

#include "report/report.hpp"

namespace tqm::report {

// threads: as asked for; 0 is filled with the number of processors.
Host this_host(int threads);

}  // namespace tqm::report
