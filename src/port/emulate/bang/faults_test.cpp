// Every fault that the emulator promises to find, planted in tests/cases/port/bang/faults.mlu: found, named, and at
// its line.
#include <gtest/gtest.h>

#include "port/emulate/bang/side_for_tests.hpp"

namespace tqm::port::bang {
namespace {

class Faults : public testing::Test {
 protected:
  static void SetUpTestSuite() { side_ = new SideForTests(SideForTests::compile("faults.mlu", {}).take()); }
  static void TearDownTestSuite() { delete side_; }

  static Outcome run(const std::string& kernel, Shape shape = {}, std::vector<std::string> options = {}) {
    return side_->run(kernel, shape, std::move(options));
  }

  // One fault, of this kind, at the line whose comment is the kernel's name.
  static void expect(const std::string& kernel, const std::string& kind, const std::string& text, Shape shape = {},
                     std::vector<std::string> options = {}) {
    const Outcome result = run(kernel, shape, std::move(options));
    ASSERT_FALSE(result.result.faults.empty()) << kernel << ": nothing was found";
    const Fault& fault = result.result.faults.front();
    EXPECT_EQ(fault.kind, kind) << fault.text;
    EXPECT_EQ(fault.text, text);
    EXPECT_EQ(fault.line, side_->line_of("// " + kernel)) << kernel << " " << fault.file;
    EXPECT_EQ(std::filesystem::path(fault.file).filename(), "faults.mlu");
  }

  static SideForTests* side_;
};
SideForTests* Faults::side_ = nullptr;

constexpr Shape kUnion{.clusters = 1, .tasks = 4};

TEST_F(Faults, NoneInACorrectKernel) {
  for (const char* schedule : {"eager", "latest", "random"}) {
    for (const char* kernel : {"correct", "pipeline"}) {
      const Outcome result = run(kernel, {}, {"--schedule", schedule});
      ASSERT_TRUE(result.result.ran && result.result.faults.empty())
          << kernel << " " << (result.result.faults.empty() ? "" : result.result.faults[0].text);
      for (std::size_t i = 0; i < result.out.size() && i < 1024; ++i) {
        ASSERT_EQ(result.out[i], static_cast<float>(i) + 1);
      }
    }
  }
  EXPECT_TRUE(run("padded").result.faults.empty());
  EXPECT_TRUE(run("barrier_of_ipus", kUnion).result.faults.empty());
}

TEST_F(Faults, MissingSync) {
  for (const char* schedule : {"eager", "latest", "random"}) {
    expect("missing_sync_after_load", "missing-sync",
           "__bang_add_scalar reads what the asynchronous copy of faults.mlu:18 writes, with no __sync_io or __sync "
           "between",
           {}, {"--schedule", schedule});
  }
  expect("missing_sync_before_store", "missing-sync",
         "an asynchronous copy reads what the vector call of faults.mlu:25 writes, with no __sync_compute or __sync "
         "between");
  expect("missing_sync_raw", "missing-sync",
         "a raw load reads what the asynchronous copy of faults.mlu:30 writes, with no __sync_io or __sync between");
}

TEST_F(Faults, MissingSyncChangesTheResultUnderTheLatestSchedule) {
  const Outcome eager = run("missing_sync_after_load");
  const Outcome latest = run("missing_sync_after_load", {}, {"--schedule", "latest"});
  EXPECT_EQ(eager.out[1], 2);
  EXPECT_NE(latest.out[1], 2);
}

TEST_F(Faults, MemoryOverflow) {
  expect("nram_overflow", "memory-overflow",
         "NRAM is too small: third takes 262272 bytes beside 524288 in use, of 786432");
  expect("sram_overflow", "memory-overflow",
         "SRAM is too small: rest takes 2097152 bytes beside 3145728 in use, of 4194304", kUnion);
}

TEST_F(Faults, OutOfBounds) {
  expect("past_the_end", "out-of-bounds",
         "__memcpy with GDRAM2NRAM writes 512 bytes at byte 0 of small (384 bytes of NRAM): 128 bytes lie outside");
  expect("past_the_end_raw", "out-of-bounds",
         "a raw store of 4 bytes at byte 384 of small (384 bytes of NRAM): outside");
  expect("segment_count", "out-of-bounds",
         "__memcpy with GDRAM2NRAM reads 128 bytes at byte 4096 of buffer in (4096 bytes of GDRAM): 128 bytes lie "
         "outside; segment 33 of 33 (segnum is their number less one)");
}

TEST_F(Faults, DirectionAndSpace) {
  expect("wrong_direction", "copy-direction",
         "__memcpy with NRAM2GDRAM: src points into byte 0 of buffer in (4096 bytes of GDRAM)");
  expect("wrong_space", "wrong-space",
         "__bang_add: src1 points into byte 0 of buffer in (4096 bytes of GDRAM), and the call takes NRAM");
  expect("wrong_space_raw", "wrong-space", "scalar code can't reach WRAM: byte 0 of weights (16384 bytes of WRAM)");
  expect("wild_pointer", "wrong-space", "a raw load from an address in no memory of the device");
  expect("block_of_other_core", "wrong-space", "a raw load in another core's NRAM", kUnion);
  expect("union_only", "task-type", "a Block task has no SRAM for shared");
}

TEST_F(Faults, Alignment) {
  expect("misaligned", "alignment", "__bang_sumpool: channel * sizeof is 96 bytes, and must be a multiple of 128");
}

TEST_F(Faults, UninitialisedRead) {
  expect("uninitialised", "uninitialised-read",
         "__memcpy with NRAM2GDRAM stores byte 4092 of a (262144 bytes of NRAM), which nothing has written, to byte "
         "4092 of buffer out (4096 bytes of GDRAM)");
  expect("uninitialised_raw", "uninitialised-read",
         "a raw load of byte 4092 of a (262144 bytes of NRAM), which nothing has written");
}

TEST_F(Faults, UnwrittenBytesMayGoBackUnderAMask) {
  const Outcome masked = run("masked_store");
  ASSERT_TRUE(masked.result.ran && masked.result.faults.empty()) << masked.result.faults.front().text;
  EXPECT_EQ(masked.out[6], 6);
  expect("masked_strange", "uninitialised-read",
         "__memcpy with NRAM2GDRAM stores byte 4064 of a (262144 bytes of NRAM), which nothing has written, to byte "
         "4064 of buffer out (4096 bytes of GDRAM)");
}

TEST_F(Faults, Overlap) {
  expect("overlapping", "overlap",
         "__bang_transpose: dst and a source overlap, which the call forbids; dst is byte 0 of a (262144 bytes of "
         "NRAM), the source byte 0 of a (262144 bytes of NRAM)");
  expect("overlapping_in_part", "overlap",
         "__bang_add_scalar: dst and a source overlap in part: they may be the same or apart; dst is byte 4 of a "
         "(262144 bytes of NRAM), the source byte 0 of a (262144 bytes of NRAM)");
}

TEST_F(Faults, BarrierThatTheMpuNeverReaches) {
  for (const char* order : {"forward", "reverse", "random"}) {
    expect("barrier_without_mpu", "barrier-never-met",
           "an IPU of cluster 0 waits at __sync_cluster for the MPU, which has returned: this barrier counts the IPUs "
           "and the MPU",
           kUnion, {"--order", order});
  }
}

TEST_F(Faults, CallThatTheChipDoesNotHave) {
  expect("not_on_chip", "not-on-chip", "__bang_topk_of_the_future: the MLU370 has no such call");
}

TEST_F(Faults, PoolWithItsStridesExchanged) {
  expect("pool_strides", "out-of-bounds",
         "__bang_maxpool writes 896 bytes of dst, with stride_width 2, stride_height 4 (the width's comes first) at "
         "byte 0 of pooled (512 bytes of NRAM): 384 bytes lie outside");
  expect(
      "pool_strides_fewer", "uninitialised-read",
      "__memcpy with NRAM2GDRAM stores byte 384 of pooled (512 bytes of NRAM), which nothing has written, to byte 384 "
      "of buffer out (4096 bytes of GDRAM)");
}

TEST_F(Faults, WramLayoutMisread) {
  expect("wram_layout", "wram-layout",
         "__bang_matmul: the weights of output channel 0 were not put in order: by __bang_reshape_filter, or by a copy "
         "with WRAM's 1/64 as stride",
         {.elements = 4096});
}

TEST_F(Faults, Race) {
  expect("race_on_sram", "race",
         "__memcpy reads byte 0 of shared (4096 bytes of SRAM), which another core wrote (faults.mlu:188) with no "
         "barrier between",
         kUnion, {"--order", "reverse"});
  expect("race_on_gdram", "race",
         "a raw load reads byte 0 of buffer out (4096 bytes of GDRAM), which another task wrote (faults.mlu:195) with "
         "no barrier between",
         {.tasks = 4});
}

TEST_F(Faults, DomainAndArguments) {
  expect("domain", "domain", "__bang_active_exp: element 1 is 1000, and the function is given for -3.5e+38 to 10.25");
  expect("empty_call", "argument", "__bang_write_zero: the number of elements is 0, and must be greater than zero");
}

TEST_F(Faults, TrapsAreNoCrash) {
  expect("divided_by_zero", "trap", "an integer is divided by zero");
}

}  // namespace
}  // namespace tqm::port::bang
