#include "port/diagnostics/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tqm::port {

std::vector<DiagnosticKind> all_kinds() {
  std::vector<DiagnosticKind> kinds;
  for (const auto part : {scan_kinds(), translate_kinds()}) kinds.insert(kinds.end(), part.begin(), part.end());
  return kinds;
}

const DiagnosticKind& kind_of(int number) {
  static const std::vector<DiagnosticKind> kinds = all_kinds();
  const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.number == number; });
  ASSERT(at != kinds.end());
  return *at;
}

std::string code_of(int number) {
  return fmt::format("TQP{}", number);
}

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::refused:
      return "refused";
    case Severity::attention:
      return "attention";
    case Severity::note:
      return "note";
  }
  ASSERT(false);
}

std::string diagnostics_markdown() {
  std::string page =
      "# What torquetum port says\n\n"
      "Made from the tables in `src/port/diagnostics`; a test checks that it is not stale. *Refused*: the kernel is "
      "not\n"
      "translated. *Attention*: it is, and something changes or is left for a person. *Note*: worth knowing.\n";
  for (const DiagnosticKind& kind : all_kinds())
    page += fmt::format("\n## {}: {}\n\n*{}.* {} {}\n", code_of(kind.number), kind.title, name(kind.severity),
                        kind.meaning, kind.next);
  return page;
}

}  // namespace tqm::port
