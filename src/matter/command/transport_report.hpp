// What `torquetum matter transport` found, as a report: conductivities with their standing, displacements, the
// Arrhenius line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matter/analyze/arrhenius.hpp"
#include "report/report.hpp"

namespace tqm::matter {

struct TransportFindings {
  TransportOptions options;
  std::vector<Transport> temperatures;  // ascending
  std::optional<Arrhenius> carried_on;  // of two temperatures or more
};

// Title, sentence, sections and data; who ran it, when and on what machine is the caller's to add.
report::Report transport_report(const TransportFindings& found);
// The same for a terminal.
std::string transport_text(const TransportFindings& found);

}  // namespace tqm::matter
