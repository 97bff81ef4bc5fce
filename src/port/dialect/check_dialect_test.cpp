#include "port/dialect/check_dialect.hpp"

#include <gtest/gtest.h>

#include "port/dialect/bang_calls.hpp"
#include "port/dialect/tokens.hpp"

namespace tqm::port::dialect {
namespace {

std::vector<std::string> kinds(std::string_view text) {
  std::vector<std::string> result;
  for (const Finding& finding : check_dialect(text)) {
    result.push_back(finding.kind + ":" + std::to_string(finding.line));
  }
  return result;
}

using Kinds = std::vector<std::string>;

TEST(Dialect, TakesAKernelOfTheChip) {
  EXPECT_EQ(kinds(R"(#include <bang.h>
__nram__ float buf[1024];
__mlu_entry__ void k(float* x, int n) {
  __memcpy(buf, x, n * sizeof(float), GDRAM2NRAM);
  __bang_add_scalar(buf, buf, 1.0f, n);
  __memcpy(x, buf, n * sizeof(float), NRAM2GDRAM);
}
)"),
            Kinds{});
}

TEST(Dialect, LeavesHostCodeAlone) {
  EXPECT_EQ(kinds("#include <vector>\nint main() { std::vector<double> v; double x = 0; return 0; }\n"), Kinds{});
}

TEST(Dialect, FindsDoubleContainersAllocationAndExceptions) {
  EXPECT_EQ(kinds(R"(__mlu_func__ float f(float x) {
  double y = x;
  std::vector<float> v;
  int* p = new int[3];
  throw 1;
  return (float)y;
})"),
            (Kinds{"double:2", "container:3", "allocation:4", "exception:5"}));
}

TEST(Dialect, FindsRecursionThroughOtherFunctions) {
  EXPECT_EQ(kinds("__mlu_func__ int f(int n) { return n == 0 ? 1 : n * f(n - 1); }"), Kinds{"recursion:1"});
  const auto findings = check_dialect(
      "__mlu_func__ int g(int n);\n__mlu_func__ int f(int n) { return g(n); }\n__mlu_func__ int g(int n) {\n  return "
      "f(n);\n}\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text, "f calls itself by way of g: a kernel has no call stack to grow");
  EXPECT_EQ(findings[0].line, 4);
}

TEST(Dialect, NamesCallsThatTheChipDoesNotHave) {
  const auto findings = check_dialect("__mlu_entry__ void k(float* x) {\n  __bang_tanhshrink(x, x, 64);\n}\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text, "__bang_tanhshrink: the MLU370 has no such call");
  EXPECT_EQ(findings[0].line, 2);
}

TEST(Dialect, SaysWhatToWriteForAnotherToolchainsName) {
  const auto findings = check_dialect("__mlu_entry__ void k(half* x, float* y) { __bang_float2half(x, y, 64); }");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text, "__bang_float2half is another toolchain's name: write __bang_float2half_rn");
}

TEST(Dialect, DoesNotReadCommentsAndStrings) {
  EXPECT_EQ(kinds("__mlu_func__ void f() { // double\n /* new */ const char* s = \"throw double\"; }"), Kinds{});
}

TEST(BangCalls, HoldsBothToolchains) {
  EXPECT_TRUE(is_call_of_372("__bang_mlp"));     // 3.0
  EXPECT_TRUE(is_call_of_372("__bang_matmul"));  // mlu-ops
  EXPECT_FALSE(is_call_of_372("__bang_neg"));
  EXPECT_GE(calls_of_372().size(), 700u);
  for (const std::string_view call : calls_of_372()) {
    EXPECT_FALSE(call_for_alias(call).has_value()) << call;
  }
}

TEST(Tokens, GiveLinesAndLaunchBrackets) {
  const auto tokens = tokenize("a\nk<float><<<d, t, q>>>(x); // c\n\"s\\\"<<<\"");
  ASSERT_EQ(tokens.size(), 17u);
  EXPECT_EQ(tokens[1].line, 2);
  EXPECT_TRUE(tokens[5].is("<<<"));
  EXPECT_EQ(matching(tokens, 5), 11u);
  EXPECT_EQ(tokens.back().text, "\"s\\\"<<<\"");
}

TEST(Tokens, TakeAnyBytes) {
  for (const char* text : {"\"", "'", "R\"(", "/*", "#if \\", "\x01\xff<<<", "((("}) {
    const auto tokens = tokenize(text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].is("(") || tokens[i].is("<<<")) {
        EXPECT_LE(matching(tokens, i), tokens.size());
      }
    }
    check_dialect(text);
  }
}

}  // namespace
}  // namespace tqm::port::dialect
