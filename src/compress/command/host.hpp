// The machine a report was made on.
#pragma once

#include "report/report.hpp"

namespace tqm::compress {

// threads: as asked for; 0 is filled with the number of processors.
report::Host this_host(int threads);

}  // namespace tqm::compress
