#include "port/diagnostics/diagnostics.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "base/file.hpp"

namespace tqm::port {
namespace {

TEST(Diagnostics, NumbersAscendAndStandInTheirThousand) {
  int before = 0;
  for (const DiagnosticKind& kind : all_kinds()) {
    EXPECT_LT(before, kind.number);
    before = kind.number;
    EXPECT_FALSE(kind.title.empty()) << kind.number;
    EXPECT_FALSE(kind.next.empty()) << kind.number;
    EXPECT_EQ(kind_of(kind.number).title, kind.title);
  }
  for (const DiagnosticKind& kind : scan_kinds()) EXPECT_EQ(kind.number / 1000, 1);
  for (const DiagnosticKind& kind : translate_kinds()) EXPECT_EQ(kind.number / 1000, 2);
  EXPECT_EQ(code_of(1010), "TQP1010");
}

// Somewhere below tests/ a case shows each: as what scan prints, or as the number that a translated case names.
TEST(Diagnostics, EachHasACase) {
  std::string cases;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TQM_SOURCE_DIR "/tests/cases/port")) {
    const auto extension = entry.path().extension();
    if (extension != ".txt" && extension != ".cu") continue;
    const auto text = read_file(entry.path());
    ASSERT_TRUE(text.ok()) << text.error().message();
    cases += *text;
  }
  for (const DiagnosticKind& kind : all_kinds()) {
    if (kind.number == 1001) continue;  // Clang ended: scan's own test brings that about
    EXPECT_NE(cases.find(code_of(kind.number)), std::string::npos) << code_of(kind.number) << " has no case";
  }
}

TEST(Diagnostics, TheReferencePageIsNotStale) {
  const std::string path = TQM_SOURCE_DIR "/docs/port-diagnostics.md";
  const char* update = std::getenv("UPDATE");
  if (update && std::string(update) == "1") std::ofstream(path) << diagnostics_markdown();
  const auto kept = read_file(path);
  ASSERT_TRUE(kept.ok()) << kept.error().message();
  EXPECT_EQ(diagnostics_markdown(), *kept) << path << " is stale: run the test with UPDATE=1 and look at the change";
}

}  // namespace
}  // namespace tqm::port
