#include "port/mutate/mutants.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace tqm::port {
namespace {

const std::string kText =
    "// a < b\n"
    "#define TILE 4\n"
    "for (int i = 0; i < n; i += step) {  // all\n"
    "  if (i < rows) y[i] = a * x[i] + b;\n"
    "  __memcpy_async(y, t, 4 * min(n, 64), NRAM2GDRAM);\n"
    "  __sync();\n"
    "}\n";

std::vector<std::string> after(Slip slip, int line) {
  std::vector<std::string> found;
  for (const Mutant& mutant : mutants(kText, 1, 7))
    if (mutant.slip == slip && mutant.line == line) found.push_back(mutant.after);
  return found;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(Mutants, EachSlipIsPlanted) {
  EXPECT_TRUE(has(after(Slip::bound, 3), "for (int i = 0; i <= n; i += step) {"));
  EXPECT_TRUE(has(after(Slip::bound, 3), "for (int i = 1; i < n; i += step) {"));
  EXPECT_TRUE(has(after(Slip::stride, 3), "for (int i = 0; i < n; i += 2 * step) {"));
  EXPECT_TRUE(has(after(Slip::tail, 3), "for (int i = 0; i < n - 1; i += step) {"));
  EXPECT_TRUE(has(after(Slip::stride, 4), "if (i < rows) y[i + 1] = a * x[i] + b;"));
  EXPECT_TRUE(has(after(Slip::operand, 4), "if (i < rows) y[i] = a * x[i] - b;"));
  EXPECT_TRUE(has(after(Slip::operand, 4), "if (i < rows) y[i] = a + x[i] + b;"));
  EXPECT_TRUE(has(after(Slip::mask, 4), "if (!(i < rows)) y[i] = a * x[i] + b;"));
  EXPECT_TRUE(has(after(Slip::tail, 5), "__memcpy_async(y, t, 4 * (n), NRAM2GDRAM);"));
  EXPECT_EQ(after(Slip::sync, 6), std::vector<std::string>{";"});
}

TEST(Mutants, OneLineChangesAndTheRestStays) {
  for (const Mutant& mutant : mutants(kText, 1, 7)) {
    EXPECT_NE(mutant.before, mutant.after);
    EXPECT_EQ(std::count(mutant.text.begin(), mutant.text.end(), '\n'), 7);
    EXPECT_GE(mutant.line, 3);  // comments and the preprocessor's lines stay
    EXPECT_EQ(mutant.text.substr(0, 24), kText.substr(0, 24));
  }
}

TEST(Mutants, OnlyTheLinesAskedFor) {
  for (const Mutant& mutant : mutants(kText, 4, 4)) EXPECT_EQ(mutant.line, 4);
  EXPECT_TRUE(mutants(kText, 1, 2).empty());
  EXPECT_TRUE(mutants("", 1, 100).empty());
}

}  // namespace
}  // namespace tqm::port
