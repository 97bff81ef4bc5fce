// A scan as a person reads it, and as a script does.
#pragma once

#include <string>

#include "base/json.hpp"
#include "port/scan/scan.hpp"

namespace tqm::port {

std::string kernels_text(const Scan& scan);  // a table, what each number means, and a summary
std::string calls_text(const Scan& scan);    // launches, and library calls with what takes their place

// Arrays. Scripts rely on the fields: docs/port.md.
Json kernels_json(const Scan& scan);
Json calls_json(const Scan& scan);

}  // namespace tqm::port
