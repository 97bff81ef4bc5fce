// What the emulator computes, and what it finds: programs in tests/cases/port/cuda/right check their own values; each
// in planted has one fault, whose kind and line its first line names.

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "port/emulate/cuda/program.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port::cuda {
namespace {

const std::filesystem::path kCases = std::filesystem::path(TQM_SOURCE_DIR) / "tests/cases/port/cuda";

struct Ran {
  CommandResult end;
  LaunchResult result;
};

// Builds the program, runs it, and reads what the emulator reports. Empty where the build failed, which is a failure.
Ran run_program(const std::vector<std::filesystem::path>& files, const std::string& options, bool checked,
                const std::filesystem::path& folder) {
  Sources sources;
  sources.files = files;
  sources.checked = checked;
  const auto program = build_program(sources, folder);
  EXPECT_TRUE(program.ok()) << program.error().message();
  if (!program) return {};
  Command command;
  command.arguments = {program->string()};
  command.set_environment = {{"TORQUETUM_CUDA", "report=" + (folder / "report.json").string() + options}};
  command.timeout_seconds = 300;
  const auto end = run_command(command);
  EXPECT_TRUE(end.ok());
  const auto result = read_file(folder / "report.json");
  Ran ran;
  if (end) ran.end = *end;
  if (!result) return ran;
  auto parsed = parse_result(*result, "report");
  EXPECT_TRUE(parsed.ok());
  if (parsed) ran.result = *parsed;
  return ran;
}

std::vector<std::string> programs_in(const char* folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases / folder))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Right : public testing::TestWithParam<std::string> {};

TEST_P(Right, GivesTheRightValuesAndNoFault) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const Ran ran = run_program({kCases / "right" / (GetParam() + ".cu")}, ",order=random,seed=5", true, folder->path());
  EXPECT_EQ(ran.end.code, 0) << ran.end.output << ran.end.errors;
  for (const Fault& fault : ran.result.faults)
    ADD_FAILURE() << fault.file << ":" << fault.line << ": " << fault.kind << ": " << fault.text;
  EXPECT_GT(ran.result.counters.at("launches"), 0U);
}
INSTANTIATE_TEST_SUITE_P(Emulator, Right, testing::ValuesIn(programs_in("right")),
                         [](const auto& param_info) { return param_info.param; });

class Planted : public testing::TestWithParam<std::string> {};

// The first line of each case names the fault's kind and line.
TEST_P(Planted, IsFoundWithItsLineAndNothingElseIs) {
  const std::filesystem::path file = kCases / "planted" / (GetParam() + ".cu");
  const auto text = read_file(file);
  ASSERT_TRUE(text.ok());
  const std::string wanted = text->substr(3, text->find('\n') - 3);
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const Ran ran = run_program({file}, "", true, folder->path());
  EXPECT_EQ(ran.end.code, 0) << ran.end.errors;
  ASSERT_FALSE(ran.result.faults.empty()) << ran.end.errors;
  for (const Fault& fault : ran.result.faults) {
    EXPECT_EQ(fault.kind + " " + std::to_string(fault.line), wanted) << fault.text;
    EXPECT_EQ(fault.file, file.string());
  }
}
INSTANTIATE_TEST_SUITE_P(Emulator, Planted, testing::ValuesIn(programs_in("planted")),
                         [](const auto& param_info) { return param_info.param; });

TEST(Emulator, EndsWhatDoesNotEnd) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const std::filesystem::path file = folder->path() / "spin.cu";
  ASSERT_TRUE(write_file_atomic(file,
                                "__global__ void spin(volatile int* p) { while (*p == 0) {} }\n"
                                "int main() { int* p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); spin<<<1, 1>>>(p); }\n")
                  .ok());
  const Ran ran = run_program({file}, ",seconds=0.2", false, folder->path());
  EXPECT_EQ(ran.end.code, 124) << ran.end.errors;
  EXPECT_NE(ran.end.errors.find("limit"), std::string::npos);
}

// Code for cards before Volta: right there, and a fault by today's rules.
TEST(Emulator, LanesGoOnInStepAtVolatileSharedMemory) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const std::filesystem::path file = folder->path() / "last_warp.cu";
  ASSERT_TRUE(write_file_atomic(file,
                                "__global__ void sum(int* out) {\n"
                                "  __shared__ int s[64];\n"
                                "  const int t = threadIdx.x;\n"
                                "  s[t] = t; s[t + 32] = 100;\n"
                                "  volatile int* v = s;\n"
                                "  for (int step = 32; step > 0; step /= 2) v[t] += v[t + step];\n"
                                "  if (t == 0) *out = s[0];\n}\n"
                                "int main() {\n"
                                "  int h = 0, *p;\n"
                                "  cudaMalloc(&p, 4);\n"
                                "  sum<<<1, 32>>>(p);\n"
                                "  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);\n"
                                "  return h == 31 * 16 + 3200 ? 0 : 3;\n}\n")
                  .ok());
  const Ran ran = run_program({file}, "", true, folder->path());
  EXPECT_EQ(ran.end.code, 0) << ran.end.output << ran.end.errors;
  ASSERT_FALSE(ran.result.faults.empty());
  EXPECT_EQ(ran.result.faults[0].kind, "implicit-warp-synchrony");
}

// A launch is recorded, and the side replays it to the bytes that the program got.
TEST(Emulator, ReplaysARecordedLaunchInASide) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const std::filesystem::path file = folder->path() / "scale.cu";
  ASSERT_TRUE(write_file_atomic(file,
                                "__constant__ float factor;\n"
                                "struct View { float* data; int n; };\n"
                                "__global__ void scale(View v, const float* in) {\n"
                                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (i < v.n) v.data[i] = in[i] * factor;\n}\n"
                                "int main() {\n"
                                "  float h[40], f = 3, *p, *q;\n"
                                "  for (int i = 0; i < 40; ++i) h[i] = i;\n"
                                "  cudaMemcpyToSymbol(factor, &f, 4);\n"
                                "  cudaMalloc(&p, 160); cudaMalloc(&q, 160);\n"
                                "  cudaMemcpy(q, h, 160, cudaMemcpyHostToDevice);\n"
                                "  cudaMemset(p, 0, 160);\n"
                                "  scale<<<2, 32>>>(View{p, 40}, q);\n"
                                "  return cudaDeviceSynchronize();\n}\n")
                  .ok());
  const Ran ran = run_program({file}, ",record=" + (folder->path() / "cases").string(), true, folder->path());
  EXPECT_EQ(ran.end.code, 0) << ran.end.errors;
  const std::filesystem::path recorded = folder->path() / "cases/0000";
  const auto launch = read_case(recorded);
  ASSERT_TRUE(launch.ok()) << launch.error().message();
  EXPECT_EQ(launch->grid[0], 2U);
  EXPECT_EQ(launch->arguments.size(), 2U);
  EXPECT_EQ(launch->symbols.size(), 1U);
  const std::string out = launch->arguments[0].pointers.at(0).buffer;

  const auto side_folder = TemporaryFolder::make();
  ASSERT_TRUE(side_folder.ok());
  Sources sources;
  sources.files = {file};
  const auto side = build_side(sources, side_folder->path());
  ASSERT_TRUE(side.ok()) << side.error().message();
  for (const char* order : {"forward", "reverse", "random"}) {
    Command command;
    command.arguments = {side->string(), recorded.string(), "--order", order, "--poison", "2"};
    const auto end = run_command(command);
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->code, 0) << end->errors;
    const auto result = read_result(recorded);
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->ran);
    EXPECT_TRUE(result->faults.empty());
    EXPECT_EQ(result->counters.at("blocks"), 2U);
    const auto bytes = read_file(recorded / (out + ".out"));
    ASSERT_TRUE(bytes.ok());
    ASSERT_EQ(bytes->size(), 160U);
    for (int i = 0; i < 40; ++i) {
      float value = 0;
      std::memcpy(&value, bytes->data() + 4 * i, 4);
      EXPECT_EQ(value, 3.0F * static_cast<float>(i));
    }
  }
}

// With contraction the C++ library's headers include those of vector instructions, too.
TEST(Emulator, BuildsBothSidesWhateverHeadersTheHostIncludes) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  Sources sources;
  sources.files = {kCases / "right/host_headers.cu"};
  const auto sides = build_side_pair(sources, folder->path());
  EXPECT_TRUE(sides.ok()) << sides.error().message();
}

}  // namespace
}  // namespace tqm::port::cuda
