#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "chips/catalogue.hpp"
#include "port/command/commands.hpp"
#include "port/verify/program/verify_path.hpp"

namespace tqm::port {
namespace {

struct Given {
  VerifyRequest request;
  std::string chip = "mlu370-x8", harness, report;
  std::vector<std::string> includes;
  bool json = false;
};

std::string line_of(const KernelReport& kernel) {
  std::string text = fmt::format("{}:{}: {}: {}", kernel.file, kernel.line, kernel.kernel, name(kernel.status));
  if (kernel.tier != ' ') text += fmt::format(", tier {}", kernel.tier);
  if (!kernel.origin.empty()) text += " (" + kernel.origin + ")";
  if (!kernel.reason.empty()) text += "\n  " + kernel.reason;
  if (!kernel.verdict.smallest.empty()) text += "\n  smallest input: " + kernel.verdict.smallest;
  for (const std::string& note : kernel.verdict.notes) text += "\n  note: " + note;
  return text + "\n";
}

Status write_report(const Given& given, const std::vector<KernelReport>& kernels, const std::string& started) {
  report::Report report = report_of(kernels);
  report.title = {"Verification of " + given.request.path.string(), given.request.path.string() + " 的验证"};
  report.tool = "torquetum-port";
  report.version = std::string(version());
  report.command = {"torquetum", "port", "verify", given.request.path.string()};
  report.started = started;
  report.finished = utc_text(system_clock().wall_ns());
  return report::write(report, given.report);
}

Result<int> run_verify(Given& given) {
  given.request.chip = TRY(chips::find_chip(given.chip));
  for (const std::string& folder : given.includes) given.request.parsing.include_folders.emplace_back(folder);
  if (!given.harness.empty()) given.request.cases.harness = TRY(read_harness(given.harness));
  const std::string started = utc_text(system_clock().wall_ns());
  const auto kernels = TRY(verify_path(given.request, system_clock(), [&](const KernelReport& kernel) {
    if (!given.json) std::cout << line_of(kernel) << std::flush;
  }));
  if (given.json) std::cout << dump_json(to_json(kernels)) << "\n";
  if (!given.report.empty()) TRY(write_report(given, kernels, started));
  return exit_code_of(kernels);
}

}  // namespace

Action add_verify(CLI::App& app) {
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("verify", "Runs kernels and their translations on this machine's CPU, and compares them");
  command->footer(
      "A kernel agrees, differs, is at fault itself (original-fault), could not be run (not-run) or translated "
      "(refused).\n"
      "Exit code 2 where one differs. Sizes and launches come from a harness, else from recorded launches, else they "
      "are\n"
      "guessed; docs/port-harness.md explains all three.\n"
      "Examples:\n"
      "  torquetum port verify sums.cu --harness sums.toml\n"
      "  torquetum port run sums.cu --record cases && torquetum port verify sums.cu --recorded cases\n"
      "  torquetum port verify kernels/ --json");
  command->add_option("PATH", given->request.path, "a CUDA source, or a folder of them")->required();
  command->add_option("--harness", given->harness, "a TOML file with sizes, launches and buffers");
  command->add_option("--recorded", given->request.cases.recorded,
                      "a folder of launches that torquetum port run recorded");
  command->add_option("--kernel", given->request.only, "this kernel alone, by its name with template arguments");
  command->add_option("--translation", given->request.translated, "check this .mlu in place of our translation");
  command->add_option("--chip", given->chip, "for which chip of the catalogue")->capture_default_str();
  command->add_option("-I", given->includes, "a folder with headers")->allow_extra_args(false);
  command->add_option("-D", given->request.parsing.defines, "a macro: NAME or NAME=VALUE")->allow_extra_args(false);
  command->add_option("--std", given->request.parsing.standard, "the C++ standard")->capture_default_str();
  command->add_option("--seed", given->request.cases.seed, "of the inputs")->capture_default_str();
  command->add_option("--seconds", given->request.bounds.seconds, "each run of a side at most so long")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--report", given->report, "a folder for report.html and report.json");
  command->add_flag("--json", given->json, "JSON on standard output");
  return [given] { return run_verify(*given); };
}

}  // namespace tqm::port
