// For the tests: what the schema says against a document; empty when it says nothing.
#pragma once

#include <string>

namespace tqm::report {

std::string complaints(const std::string& document);

}  // namespace tqm::report
