// What `torquetum matter clean` found, as a report: who was set aside and why, and how energies and distances spread.
#pragma once

#include "matter/clean/clean.hpp"
#include "report/report.hpp"

namespace tqm::matter {

// Title, sentence, sections and data; who ran it, when and on what machine is the caller's to add.
report::Report clean_report(const Cleaned& cleaned);

}  // namespace tqm::matter
