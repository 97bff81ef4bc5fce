#include "chips/capability.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "chips/catalogue.hpp"

namespace tqm::chips {
namespace {

using enum NumberFormat;

const std::vector<Chip>& catalogue() {
  static const std::vector<Chip> loaded = load_catalogue(TQM_SOURCE_DIR "/catalog").take();
  return loaded;
}
Capability ask(const char* chip, NumberFormat format) {
  return capability(*find_chip(catalogue(), chip), format);
}

TEST(Capability, Fp8ComputesFromAdaOnAndIsOnlyStoredOnAmpere) {
  EXPECT_EQ(ask("h100", fp8).answer, Answer::computes);
  EXPECT_EQ(ask("rtx4090", fp8).answer, Answer::computes);
  const Capability a100 = ask("a100", fp8);
  EXPECT_EQ(a100.answer, Answer::only_stores);
  EXPECT_EQ(a100.computes_in, fp16);
  EXPECT_EQ(a100.reason,
            "the A100 can keep weights in fp8, which saves memory and bandwidth; it unpacks them and computes in fp16");
}

TEST(Capability, ARefusalSaysWhatWorksInstead) {
  const Capability can = ask("mlu370-x8", fp8);
  EXPECT_EQ(can.answer, Answer::refuses);
  EXPECT_EQ(can.reason,
            "the MLU370-X8 does not compute in fp8, only in fp32, fp16, bf16, int8-w8a8 (by a secondary source)");
  EXPECT_EQ(can.nearest, (std::vector{int8_w8a8, int8, bf16}));
  EXPECT_EQ(can.computes_in, std::nullopt);
}

TEST(Capability, Tf32IsNvidiasAndTheirFollowers) {
  EXPECT_EQ(ask("a100", tf32).answer, Answer::computes);
  EXPECT_EQ(ask("ascend910b", tf32).answer, Answer::refuses);
  EXPECT_EQ(ask("ascend910b", tf32).nearest, (std::vector{bf16, fp16, fp32}));
}

TEST(Capability, WeightOnlyIntegersAreStoredWhereverAFloatComputes) {
  for (const Chip& chip : catalogue())
    for (NumberFormat format : {int8, int4, int3}) {
      const Capability can = capability(chip, format);
      EXPECT_EQ(can.answer, Answer::only_stores) << chip.name;
      EXPECT_EQ(can.computes_in, fp16) << chip.name;
    }
}

TEST(Capability, SayingTheReasonWhenComputing) {
  EXPECT_EQ(ask("a100", int8_w8a8).reason, "the A100 computes in int8-w8a8");
  EXPECT_EQ(ask("c500", int8_w8a8).reason, "the C500 computes in int8-w8a8 (by a secondary source)");
}

TEST(Capability, AChipWithoutFloatsRefusesWeightOnlyFormats) {
  Chip chip;
  chip.name = "X";
  chip.computes.formats = {int8_w8a8};
  const Capability can = capability(chip, int4);
  EXPECT_EQ(can.answer, Answer::refuses);
  EXPECT_EQ(can.reason,
            "the X computes in none of fp16, bf16 and fp32, to which weights in int4 would have to be unpacked");
  EXPECT_EQ(can.nearest, std::vector{int8_w8a8});
}

TEST(Capability, WithoutFp16WeightsAreUnpackedToWhatThereIs) {
  Chip chip;
  chip.name = "X";
  chip.computes.formats = {fp32};
  EXPECT_EQ(capability(chip, int4).computes_in, fp32);
  chip.computes.formats = {fp32, bf16};
  EXPECT_EQ(capability(chip, int4).computes_in, bf16);
}

// Laws: a refusal offers only what works; what computes or stores names what it computes in.
TEST(Capability, IsConsistentForEveryChipAndFormat) {
  for (const Chip& chip : catalogue())
    for (NumberFormat format : kNumberFormats) {
      const Capability can = capability(chip, format);
      EXPECT_FALSE(can.reason.empty());
      EXPECT_EQ(can.answer == Answer::refuses, !can.computes_in.has_value());
      EXPECT_EQ(can.answer == Answer::refuses, !can.nearest.empty());
      for (NumberFormat other : can.nearest) EXPECT_NE(capability(chip, other).answer, Answer::refuses);
      if (can.computes_in) {
        EXPECT_EQ(capability(chip, *can.computes_in).answer, Answer::computes);
      }
    }
}

TEST(NumberFormats, ParseInAnyCaseAndRefuseWithTheNearest) {
  EXPECT_EQ(*parse_format("INT8-W8A8"), int8_w8a8);
  for (NumberFormat format : kNumberFormats) EXPECT_EQ(*parse_format(name(format)), format);
  const Error error = parse_format("int5").error();
  EXPECT_EQ(error.kind, ErrorKind::usage);
  EXPECT_EQ(error.message(),
            "no such number format (int5): did you mean int8, int4 or int3? known are fp32, tf32, fp16, bf16, fp8, "
            "int8-w8a8, "
            "int8, int4, int3");
}

TEST(Answers, HaveNames) {
  EXPECT_EQ(name(Answer::computes), "computes");
  EXPECT_EQ(name(Answer::only_stores), "only stores");
  EXPECT_EQ(name(Answer::refuses), "refuses");
}

}  // namespace
}  // namespace tqm::chips
