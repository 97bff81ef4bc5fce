#include "port/verify/check_kernel.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"

namespace tqm::port {
namespace {

const std::string kScale = R"toml(
[[kernel]]
name = "scale"
grid = ["cdiv(n, 256)"]
block = [256]
arguments = ["x", "y", "n"]
sizes = [{n = 1000}, {n = 64}]
cases = ["random", "ones"]

[kernel.buffers.x]
element = "f32"
count = "n"

[kernel.buffers.y]
element = "f32"
count = "n"
fill = "none"
output = true
)toml";

// The CUDA side runs the kernel `cuda` of tests/tools/port_side, the BANG side `bang`.
KernelVerdict verdict(const std::string& cuda, const std::string& bang, Tolerance tolerance = {}) {
  const auto folder = TemporaryFolder::make();
  EXPECT_TRUE(folder.ok());
  auto harness = parse_harness(kScale, "scale.toml");
  EXPECT_TRUE(harness.ok());
  HarnessKernel kernel = harness->kernels.at(0);
  kernel.name = cuda;
  KernelCases cases;
  auto prepared = prepare_all(kernel, 1);
  EXPECT_TRUE(prepared.ok());
  cases.cases = std::move(prepared).take();
  cases.remake = [kernel](const Sizes& sizes, Fill fill, std::uint64_t seed) {
    return prepare(kernel, sizes, fill, seed);
  };
  const std::filesystem::path side = std::filesystem::path(TQM_BIN_DIR) / "port_side";
  CheckPlan plan;
  plan.form.kernel = bang;
  plan.tolerance = tolerance;
  plan.bounds.seconds = 5;
  if (bang == "scale_hang" || cuda == "scale_hang") plan.bounds.seconds = 0.3;
  if (bang == "scale_large") plan.bounds.memory_bytes = std::uint64_t{256} << 20;
  const auto result = check_kernel({side, side, side, {}}, plan, cases, folder->path());
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
  return result.ok() ? *result : KernelVerdict{};
}

void expect(const KernelVerdict& verdict, Agreement agreement, const std::string& reason) {
  EXPECT_EQ(name(verdict.agreement), name(agreement)) << verdict.reason;
  EXPECT_NE(verdict.reason.find(reason), std::string::npos) << verdict.reason;
}

TEST(CheckKernel, EqualSidesAgree) {
  const KernelVerdict same = verdict("scale", "scale");
  expect(same, Agreement::agrees, "");
  EXPECT_EQ(same.cases.size(), 4U);  // and a larger one: n = 64001
  EXPECT_TRUE(same.notes.empty());
  EXPECT_EQ(same.cases[0].buffers[1].comparison.changed, 1000U);
}

TEST(CheckKernel, AWrongTailIsFoundAndMadeSmall) {
  const KernelVerdict tail = verdict("scale", "scale_wrong_tail");
  expect(tail, Agreement::differs, "1 of 1 elements differ");
  EXPECT_EQ(tail.smallest, "random, n = 1");
  ASSERT_TRUE(tail.cases.back().difference);
  EXPECT_EQ(tail.cases.back().difference->index, 0U);
}

TEST(CheckKernel, TheTranslationsFaultsAreDifferences) {
  expect(verdict("scale", "scale_off"), Agreement::differs, "y[0] is");
  expect(verdict("scale", "scale_crash"), Agreement::differs,
         "did not come to its end with copies at once: killed by signal 11");
  expect(verdict("scale", "scale_exit"), Agreement::differs, "exit 3");
  expect(verdict("scale", "scale_hang"), Agreement::differs, "ran for more than 0.3 s");
  expect(verdict("scale", "scale_large"), Agreement::differs, "of memory when it was killed, and the bound is 268 MB");
  expect(verdict("scale", "scale_short"), Agreement::differs, "y.out has");
  expect(verdict("scale", "scale_unsynced"), Agreement::differs, "another result with copies as late as allowed");
  expect(verdict("scale", "scale_poisoned"), Agreement::differs, "another result under another poison");
  expect(verdict("scale", "scale_three"), Agreement::differs, "another result with three tasks");
  expect(verdict("scale", "scale_nothing"), Agreement::differs,
         "another result under another poison than with copies at once: y[0]");
  expect(verdict("scale_nothing", "scale"), Agreement::differs, "writes y[0], which CUDA leaves as it was");
  const KernelVerdict stopped = verdict("scale", "scale_stopped");
  expect(stopped, Agreement::differs, "copy-direction: NRAM2GDRAM from GDRAM (scale.mlu:9)");
  EXPECT_EQ(stopped.line, 9);
}

TEST(CheckKernel, TheOriginalsFaultsAreItsOwn) {
  const KernelVerdict race = verdict("scale_race", "scale");
  expect(race, Agreement::original_fault, "race: threads 1 and 2 write y[0] (scale.cu:12)");
  EXPECT_EQ(race.line, 12);
  expect(verdict("scale_crash", "scale"), Agreement::not_run,
         "could not be run from first to last block: killed by signal 11");
  expect(verdict("scale_hang", "scale"), Agreement::not_run, "ran for more than");
}

TEST(CheckKernel, TablesOfApproximateCallsNeedTheirAllowance) {
  Tolerance tolerance;
  tolerance.relative = 0.01;
  expect(verdict("scale", "scale_worst", tolerance), Agreement::agrees, "");
  expect(verdict("scale", "scale_worst"), Agreement::differs, "y[0] is");
}

TEST(CheckKernel, NothingShownIsNoAgreement) {
  expect(verdict("scale_nothing", "scale_nothing"), Agreement::not_run, "no case changed the output y");
  const KernelVerdict order = verdict("scale_by_order", "scale");
  expect(order, Agreement::agrees, "");  // the case of ones is the same in every order
  ASSERT_FALSE(order.notes.empty());
  EXPECT_NE(order.notes[0].find("depend on CUDA's own order of blocks"), std::string::npos);
}

}  // namespace
}  // namespace tqm::port
