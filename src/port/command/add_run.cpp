#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <memory>

#include "base/file.hpp"
#include "port/command/commands.hpp"
#include "port/emulate/cuda/program.hpp"
#include "port/launch/launch_case.hpp"
#include "task/children.hpp"

namespace tqm::port {
namespace {

struct Given {
  cuda::Sources sources;
  std::vector<std::string> files, arguments;
  std::string check = "all", order = "forward", record, report, keep;
  std::uint64_t seed = 1, record_launches = 8, record_bytes = std::uint64_t{64} << 20, most_blocks = 0;
  double seconds = 0;
};

std::filesystem::path absolute(const std::string& path) {
  return std::filesystem::absolute(path);
}

// The emulator's options, as its library reads them.
std::string options_text(const Given& given, const std::filesystem::path& report) {
  std::string text = fmt::format("order={},seed={},report={}", given.order, given.seed, report.string());
  if (given.seconds > 0) text += fmt::format(",seconds={}", given.seconds);
  if (given.most_blocks > 0) text += fmt::format(",max-blocks={}", given.most_blocks);
  if (!given.record.empty())
    text += fmt::format(",record={},record-launches={},record-bytes={}", absolute(given.record).string(),
                        given.record_launches, given.record_bytes);
  return text;
}

// The program's own exit code; 2 where it ended well and faults were found.
Result<int> run_built(const Given& given, const std::filesystem::path& program, const std::filesystem::path& scratch) {
  const std::filesystem::path report = given.report.empty() ? scratch / "report.json" : absolute(given.report);
  task::ChildSpec spec;
  spec.command = {program.string()};
  spec.command.insert(spec.command.end(), given.arguments.begin(), given.arguments.end());
  spec.unset_environment = task::kTaskVariables;
  spec.set_environment = {{"TORQUETUM_CUDA", options_text(given, report)}};
  task::Child child = TRY(task::Child::start(spec));
  const task::ChildExit exit = child.wait();
  if (exit.signal != 0)
    return Error{ErrorKind::breakdown, "the program was " + task::exit_text(exit), given.files.front(),
                 "run it with --check all to see what its kernels do"};
  if (exit.code != 0) return exit.code;
  if (!std::filesystem::exists(report)) return 0;  // a program without kernels writes none
  const std::string text = TRY(read_file(report));
  const auto result = parse_result(text, report.string());
  if (!result) return result.error();
  if (result->faults.empty()) return 0;
  std::fprintf(stderr, "torquetum: %zu faults found\n", result->faults.size());
  return exit_code(ErrorKind::check_failed);
}

Result<int> run(Given given) {
  given.sources.files.assign(given.files.begin(), given.files.end());
  given.sources.checked = given.check == "all";
  const TemporaryFolder scratch = TRY(TemporaryFolder::make());
  std::filesystem::path folder = scratch.path();
  if (!given.keep.empty()) {
    folder = absolute(given.keep);
    TRY(make_folders(folder));
  }
  const std::filesystem::path program = TRY(cuda::build_program(given.sources, folder));
  return run_built(given, program, scratch.path());
}

}  // namespace

Action add_run(CLI::App& app, std::vector<std::string> program_arguments) {
  auto given = std::make_shared<Given>();
  given->arguments = std::move(program_arguments);
  CLI::App* sub =
      app.add_subcommand("run", "Runs a CUDA program on this machine's CPU, and checks what its kernels do");
  sub->footer(
      "Found, with the line: accesses out of bounds, reads of what nobody wrote, races, barriers that not all threads\n"
      "reach, masks that name absent lanes. Exit code: the program's own; 2 where it is 0 and something was found.\n"
      "Examples:\n"
      "  torquetum port run softmax.cu -- 1024 128        build it and run it with its arguments\n"
      "  torquetum port run main.cu kernels.cu -I include --check none --seconds 60\n"
      "  torquetum port run softmax.cu --record cases     keep its launches, to verify a translation on");
  sub->add_option("FILE", given->files, ".cu files, and .cpp or .c files of the host")->required();
  sub->add_option("-I", given->sources.include_folders, "a folder of headers, as a compiler takes it")
      ->allow_extra_args(false);
  sub->add_option("-D", given->sources.definitions, "a macro: NAME or NAME=VALUE")->allow_extra_args(false);
  sub->add_option("--std", given->sources.standard, "the C++ standard (c++17)");
  sub->add_flag("--rdc", given->sources.one_image, "link the device code of all files together, as nvcc -rdc=true");
  sub->add_option("--check", given->check, "check every access of a kernel, or none (faster)")
      ->check(CLI::IsMember({"all", "none"}))
      ->capture_default_str();
  sub->add_option("--order", given->order, "the order in which blocks run")
      ->check(CLI::IsMember({"forward", "reverse", "random"}))
      ->capture_default_str();
  sub->add_option("--seed", given->seed, "of --order random")->capture_default_str();
  sub->add_option("--seconds", given->seconds, "end the program after so many seconds (0: never)")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--max-blocks", given->most_blocks, "run only so many blocks of each launch (0: all)");
  sub->add_option("--record", given->record, "a folder for the program's launches, with their buffers");
  sub->add_option("--record-launches", given->record_launches, "of each kernel at most so many")->capture_default_str();
  sub->add_option("--record-bytes", given->record_bytes, "only launches whose buffers together are at most so large")
      ->capture_default_str();
  sub->add_option("--report", given->report, "a JSON file for the faults and the counts of what was run");
  sub->add_option("--keep", given->keep, "a folder to leave the built program in");
  return [given] { return run(*given); };
}

}  // namespace tqm::port
