// Whole programs on the emulator: each tests/cases/port/cuda/NAME.cu is built and run; what it prints and which faults
// are found in it stand in NAME.said (UPDATE=1 writes them anew).
#include "port/emulate/cuda/program.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "port/emulate/build/compiler.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port::cuda {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(TQM_SOURCE_DIR) / "tests/cases/port/cuda";

std::string text_of(const fs::path& file) {
  const auto text = read_file(file);
  return text ? *text : "there is no " + file.string();
}

struct Ran {
  int code = -1;
  std::string printed;
  LaunchResult result;
};

Ran run_program(const fs::path& source, const std::string& options) {
  Ran ran;
  const auto scratch = TemporaryFolder::make();
  EXPECT_TRUE(scratch);
  Sources sources;
  sources.files = {source};
  const auto program = build_program(sources, scratch->path());
  if (!program) {
    ADD_FAILURE() << program.error().message();
    return ran;
  }
  const fs::path report = scratch->path() / "report.json";
  Command command;
  command.arguments = {program->string()};
  command.set_environment = {{"TORQUETUM_CUDA", "report=" + report.string() + options}};
  command.timeout_seconds = 60;
  const auto done = run_command(command);
  if (!done) {
    ADD_FAILURE() << done.error().message();
    return ran;
  }
  ran.code = done->code;
  ran.printed = done->output;
  const auto result = parse_result(text_of(report), report.string());
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return ran;
  }
  ran.result = *result;
  return ran;
}

std::string said(const Ran& ran) {
  std::string text = ran.printed;
  for (const Fault& fault : ran.result.faults)
    text += fs::path(fault.file).filename().string() + ":" + std::to_string(fault.line) + ": " + fault.kind + ": " +
            fault.text + "\n";
  return text;
}

class Programs : public testing::TestWithParam<std::string> {};

TEST_P(Programs, SayWhatIsKept) {
  const Ran ran = run_program(kCases / (GetParam() + ".cu"), "");
  EXPECT_EQ(ran.code, 0);
  const fs::path kept = kCases / (GetParam() + ".said");
  if (std::getenv("UPDATE")) {
    ASSERT_TRUE(write_file_atomic(kept, said(ran)));
  }
  EXPECT_EQ(said(ran), text_of(kept));
}

INSTANTIATE_TEST_SUITE_P(Emulator, Programs, testing::Values("arithmetic", "faults", "launches", "warp"),
                         [](const auto& one) { return one.param; });

TEST(Program, IsTheSameInEveryOrderOfBlocks) {
  for (const char* order : {",order=reverse", ",order=random,seed=7"}) {
    const Ran ran = run_program(kCases / "launches.cu", order);
    EXPECT_EQ(ran.printed, text_of(kCases / "launches.said"));
  }
}

TEST(Program, RefusesWhatDoesNotCompileWithItsLine) {
  const auto scratch = TemporaryFolder::make();
  const fs::path source = scratch->path() / "wrong.cu";
  ASSERT_TRUE(write_file_atomic(source, "__global__ void k() {\n  no_such_name = 1;\n}\n"));
  Sources sources;
  sources.files = {source};
  const auto program = build_program(sources, scratch->path());
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message().find("wrong.cu:2"), std::string::npos) << program.error().message();
  sources.files = {scratch->path() / "absent.cu"};
  EXPECT_FALSE(build_program(sources, scratch->path()));
}

}  // namespace
}  // namespace tqm::port::cuda
