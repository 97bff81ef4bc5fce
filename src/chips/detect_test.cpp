// Machines that aren't here: a root with proc, sys and dev of their own, and drivers' tools that are shell scripts.
#include "chips/detect.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

#include "chips/catalogue.hpp"

namespace tqm::chips {
namespace {
namespace fs = std::filesystem;

class Detect : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tqm-detect-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    for (const char* folder : {"proc", "dev", "tools", "sys/fs/cgroup"}) fs::create_directories(root_ / folder);
    write("proc/cpuinfo",
          "processor\t: 0\nmodel name\t: Example CPU @ 2.00GHz\nflags\t\t: fpu sse2 avx2 avx512f avx512_vnni "
          "avx512_bf16\n\n"
          "processor\t: 1\nmodel name\t: Example CPU @ 2.00GHz\nflags\t\t: fpu sse2 avx2 avx512f avx512_vnni "
          "avx512_bf16\n");
    write("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:         1000 kB\n");
    catalogue_ = load_catalogue(TQM_SOURCE_DIR "/catalog").take();
    host_.root = root_;
    host_.folders = {root_ / "tools"};
    host_.timeout_seconds = 30;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& content) { std::ofstream(root_ / path) << content; }

  void tool(const std::string& path, const std::string& script) {
    fs::create_directories((root_ / path).parent_path());
    write(path, "#!/bin/sh\n" + script);
    fs::permissions(root_ / path, fs::perms::owner_all);
  }

  Detection run() { return detect(catalogue_, host_); }

  fs::path root_;
  Host host_;
  std::vector<Chip> catalogue_;
};

TEST_F(Detect, ReadsTheProcessor) {
  const Processor cpu = read_processor(root_);
  EXPECT_EQ(cpu.model, "Example CPU @ 2.00GHz");
  EXPECT_EQ(cpu.architecture, "x86-64");
  EXPECT_EQ(cpu.cores, 2);
  EXPECT_EQ(cpu.memory_bytes, uint64_t{16000000} * 1024);
  EXPECT_EQ(cpu.features, (std::vector<std::string>{"AVX2", "AVX-512", "VNNI", "BF16"}));
}

TEST_F(Detect, ReadsAnArmProcessor) {
  write("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd asimddp sve i8mm bf16\n");
  const Processor cpu = read_processor(root_);
  EXPECT_EQ(cpu.architecture, "AArch64");
  EXPECT_EQ(cpu.features, (std::vector<std::string>{"BF16", "NEON", "SVE", "DOTPROD", "I8MM"}));
}

TEST_F(Detect, AControlGroupMayAllowLessMemory) {
  write("sys/fs/cgroup/memory.max", "1000000000\n");
  EXPECT_EQ(read_processor(root_).memory_bytes, 1000000000u);
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(read_processor(root_).memory_bytes, uint64_t{16000000} * 1024);
}

TEST_F(Detect, AMachineWithoutAnythingReadable) {
  fs::remove_all(root_ / "proc");
  const Detection found = run();
  EXPECT_EQ(found.processor.architecture, "unknown");
  EXPECT_EQ(found.processor.memory_bytes, 0u);
  EXPECT_TRUE(found.devices.empty());
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(Detect, NvidiaCardsByNameAndMemory) {
  tool("tools/nvidia-smi", "echo 'NVIDIA H200, 143771'\necho 'NVIDIA A100-SXM4-80GB, 81920'\necho 'Tesla T4, 15360'\n");
  const Detection found = run();
  ASSERT_EQ(found.devices.size(), 3u);
  EXPECT_EQ(found.devices[0].chip, "H200");
  EXPECT_EQ(found.devices[0].memory_bytes, uint64_t{143771} << 20);
  EXPECT_EQ(found.devices[0].found_by, "nvidia-smi");
  EXPECT_EQ(found.devices[1].chip, "A100");
  EXPECT_EQ(found.devices[2].chip, "");
  EXPECT_EQ(found.devices[2].driver_name, "Tesla T4");
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(Detect, EveryDomesticFamily) {
  tool("tools/cnmon",
       "echo '| 0  MLU370-X8 v1.1.6 | 0% |'\necho '| 1  MLU370-X8 v1.1.6 | 0% |'\necho '| Processes |'\n");
  tool("usr/local/sbin/npu-smi", "echo '| 0     910B3  | OK | 92.0 |'\n");
  tool("opt/hyhal/bin/hy-smi", "echo 'HCU[0] : Card Series: K100_AI'\n");
  tool("usr/local/corex/bin/ixsmi", "echo 'GPU 0: Iluvatar BI-V150 (UUID: GPU-1)'\n");
  tool("tools/mthreads-gmi", "echo 'GPU 0: MTT S4000 (UUID: 1)'\n");
  tool("tools/mx-smi", "echo 'GPU 0: MXC500 (UUID: MX-abc)'\n");
  const Detection found = run();
  std::vector<std::string> chips;
  for (const Device& device : found.devices) chips.push_back(device.chip);
  std::sort(chips.begin(), chips.end());
  EXPECT_EQ(chips, (std::vector<std::string>{"Ascend 910B", "BI-V150", "C500", "K100", "MLU370-X8", "MLU370-X8",
                                             "MTT S4000"}));
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(Detect, AToolThatHangsIsStoppedAndNamed) {
  tool("tools/cnmon", "sleep 600\n");
  tool("tools/nvidia-smi", "echo 'NVIDIA H100 80GB HBM3, 81559'\n");
  write("dev/cambricon_dev0", "");
  host_.timeout_seconds = 0.3;
  const Detection found = run();
  ASSERT_EQ(found.devices.size(), 2u);
  EXPECT_EQ(found.devices[0].found_by, "/dev/cambricon_dev0");
  EXPECT_EQ(found.devices[0].chip, "");
  EXPECT_EQ(found.devices[1].chip, "H100");
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0], "cnmon did not answer within 0.3 s and was stopped");
}

TEST_F(Detect, AToolThatFailsWithItsDriverThereIsNamed) {
  tool("tools/npu-smi", "echo 'dcmi module initialize failed. ret is -8005' >&2\nexit 1\n");
  write("dev/davinci0", "");
  const Detection found = run();
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].chip, "Ascend 910B");  // the only chip of its family
  EXPECT_EQ(found.devices[0].found_by, "/dev/davinci0");
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0], "npu-smi ended with exit code 1: dcmi module initialize failed. ret is -8005");
}

TEST_F(Detect, AToolWithoutItsDriverIsNoDevice) {
  tool("tools/nvidia-smi", "echo 'NVIDIA-SMI has failed' >&2\nexit 9\n");
  const Detection found = run();
  EXPECT_TRUE(found.devices.empty());
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(Detect, ADriverWithoutItsToolIsNamed) {
  write("dev/cambricon_dev0", "");
  write("dev/cambricon_dev1", "");
  write("dev/cambricon_ctl", "");
  const Detection found = run();
  EXPECT_EQ(found.devices.size(), 2u);
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0], "/dev/cambricon_dev0 is there, and cnmon, which would say what it is, is not in PATH");
}

TEST_F(Detect, ANewerCardThatNobodyKnowsIsSaid) {
  tool("tools/cnmon", "echo '| 0  MLU999-Z1 | 0% |'\n");
  write("dev/cambricon_dev0", "");
  const Detection found = run();
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].chip, "");
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0], "cnmon named no chip of the catalogue");
}

TEST_F(Detect, WithoutNvidiaSmiLibcudaIsAskedInAProcessOfItsOwn) {
  write("dev/nvidia0", "");
  tool("tools/probe", "test \"$1\" = ask-libcuda && echo 'NVIDIA H200, 143771'\n");
  host_.library_probe = root_ / "tools/probe";
  const Detection found = run();
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].chip, "H200");
  EXPECT_EQ(found.devices[0].found_by, "libcuda.so.1");
}

TEST_F(Detect, ALibcudaThatCrashesTakesNothingWithIt) {
  write("dev/nvidia0", "");
  tool("tools/probe", "kill -SEGV $$\n");
  host_.library_probe = root_ / "tools/probe";
  const Detection found = run();
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices[0].found_by, "/dev/nvidia0");
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0], "libcuda.so.1 ended with exit code 139");
}

TEST(DetectHere, ThisMachineHasAProcessor) {
  const Processor cpu = read_processor("/");
  EXPECT_GE(cpu.cores, 1);
  EXPECT_GT(cpu.memory_bytes, 0u);
  EXPECT_NE(cpu.architecture, "unknown");
}

}  // namespace
}  // namespace tqm::chips
