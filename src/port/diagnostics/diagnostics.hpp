// What torquetum port says of a user's kernels, numbered: TQP1010. The numbers are kept for ever; scripts filter by
// them. One table a thousand: 1xxx of scan in scan_kinds.cpp, 2xxx of translate in
// translate_kinds.cpp. Adding one is a row, and a case that shows it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tqm::port {

enum class Severity {
  refused,    // the kernel is not translated
  attention,  // translated, and something is left for a person or changes
  note,       // worth knowing
};

struct DiagnosticKind {
  int number;
  Severity severity;
  std::string_view title;    // a line: what was found
  std::string_view meaning;  // why it matters on the other chip
  std::string_view next;     // what a person does about it
};

// One finding at one place.
struct Diagnostic {
  int number = 0;
  std::string file;
  int line = 0;
  std::string text;  // what exactly, at this place
};

std::span<const DiagnosticKind> scan_kinds();
std::span<const DiagnosticKind> translate_kinds();
std::vector<DiagnosticKind> all_kinds();  // ascending

const DiagnosticKind& kind_of(int number);  // ASSERTs that there is one: numbers come from our code
std::string code_of(int number);            // "TQP1010"
std::string_view name(Severity severity);

std::string diagnostics_markdown();  // docs/port-diagnostics.md

}  // namespace tqm::port
