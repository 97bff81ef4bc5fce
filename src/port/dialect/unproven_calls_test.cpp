#include "port/dialect/unproven_calls.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "port/dialect/bang_calls.hpp"

namespace tqm::port::dialect {
namespace {

using Calls = std::vector<std::string>;

TEST(UnprovenCalls, ThePageListsThem) {
  const auto page = read_file(TQM_SOURCE_DIR "/docs/unproven-calls.md");
  ASSERT_TRUE(page.ok());
  Calls listed, known;
  for (const std::string& line : split(*page, '\n'))
    if (line.starts_with("- `")) listed.push_back(line.substr(3, line.rfind('`') - 3));
  for (const std::string_view call : calls_of_372())
    if (is_unproven(call)) known.emplace_back(call);
  EXPECT_EQ(listed, known);
}

TEST(UnprovenCalls, AKernelsOwnAndThoseOfWhatItCalls) {
  const std::string text =
      "__mlu_func__ void inner(float* x) { __bang_pow2(x, x, 64); }\n"
      "__mlu_func__ void other(float* x) { __bang_sin(x, x, 64); }\n"
      "__mlu_entry__ void k(float* x) {\n  __bang_add(x, x, x, 64);  // __bang_cos(\n  inner(x);\n"
      "  __bang_rsqrt(x, x, 64);\n}\n";
  EXPECT_EQ(unproven_calls(text, "k"), (Calls{"__bang_pow2", "__bang_rsqrt"}));
  EXPECT_EQ(unproven_calls(text, "other"), Calls{"__bang_sin"});
  EXPECT_TRUE(unproven_calls(text, "nobody").empty());
}

}  // namespace
}  // namespace tqm::port::dialect
