// A report with every kind of block, as compress might write it, for the tests. Its numbers are examples, measured
// nowhere.
#pragma once

#include "report/report.hpp"

namespace tqm::report {

Report sample_report();

}  // namespace tqm::report
