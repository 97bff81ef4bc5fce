#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/version.hpp"
#include "matter/command/clean_report.hpp"
#include "matter/command/commands.hpp"
#include "matter/command/read_options.hpp"
#include "report/host.hpp"
#include "task/session.hpp"

namespace tqm::matter {
namespace {

struct Given {
  std::vector<std::string> files, command;
  std::filesystem::path out;
  ReadGiven read;
  CleanOptions clean;
  bool no_duplicates = false, json = false;
};

report::Report whole_report(const Given& given, const Cleaned& cleaned, int64_t began_ns, int attempt) {
  report::Report r = clean_report(cleaned);
  r.tool = "torquetum-matter";
  r.version = std::string(version());
  r.command = given.command;
  r.started = utc_text(began_ns);
  r.finished = utc_text(system_clock().wall_ns());
  r.attempt = attempt;
  r.host = report::this_host(1);
  auto size = [](const std::filesystem::path& path) {
    std::error_code code;
    const auto bytes = std::filesystem::file_size(path, code);
    return code ? uint64_t{0} : static_cast<uint64_t>(bytes);
  };
  for (const CleanFile& file : cleaned.files)
    r.inputs.push_back({"structures", file.path.string(), "", size(file.path)});
  for (const char* part : {"kept.xyz", "set-aside.xyz"})
    r.outputs.push_back({part, (given.out / part).string(), "", size(given.out / part)});
  return r;
}

Result<int> run(Given given) {
  const int64_t began_ns = system_clock().wall_ns();
  given.clean.read = TRY(read_options(given.read));
  given.clean.from = given.read.from;
  given.clean.duplicates = !given.no_duplicates;
  task::Session session = TRY(task::Session::start({.json = given.json}));
  given.clean.progress = [&](int64_t frames) {
    session.progress("judge", frames, 0, "frames");
    return session.check_stop();
  };
  const std::vector<std::filesystem::path> files(given.files.begin(), given.files.end());
  const Cleaned cleaned = TRY(clean(files, given.clean));
  TRY(make_folders(given.out));
  TRY(write_parts(cleaned, given.clean, given.out / "kept.xyz", given.out / "set-aside.xyz"));
  const report::Report r = whole_report(given, cleaned, began_ns, static_cast<int>(session.attempt()));
  TRY(report::write(r, given.out));
  session.artifact(given.out / "report.json", "report");
  if (given.json) {
    std::cout << dump_json(r.data) << "\n";
    return 0;
  }
  std::cout << fmt::format("{} frames read, {} kept, {} set aside\n", cleaned.summaries.size(), cleaned.kept,
                           cleaned.set_aside);
  for (const auto& [fault, frames] : cleaned.frames_with)
    std::cout << fmt::format("  {:<12}{} frames\n", name(fault), frames);
  for (const CleanFile& file : cleaned.files)
    if (!file.torn.empty())
      std::cout << fmt::format("  torn        {} beyond frame {}: {}\n", file.path.string(), file.frames, file.torn);
  std::cout << fmt::format("{}\n", (given.out / "report.html").string());
  return 0;
}

}  // namespace

Action add_clean(CLI::App& app, std::vector<std::string> command_line) {
  auto given = std::make_shared<Given>();
  given->command = std::move(command_line);
  CLI::App* command = app.add_subcommand(
      "clean", "Finds what is wrong with structures: duplicates, slips, outliers, unconverged frames");
  command->footer(
      "Writes OUT/kept.xyz, OUT/set-aside.xyz (each frame with its faults), OUT/report.json and OUT/report.html; every "
      "frame read is in one\n"
      "of the two. Duplicates are known in any cell, origin, orientation and order of atoms.\n"
      "Examples:\n"
      "  torquetum matter clean MOVEMENT -o checked\n"
      "  torquetum matter clean run1.xyz run2.xyz -o checked --no-duplicates");
  command->add_option("FILE", given->files, "read: " + form_names(false))->required();
  command->add_option("-o,--out", given->out, "a folder for the parts and the report")->required();
  add_read_options(*command, given->read);
  JudgeOptions& judge = given->clean.judge;
  command->add_option("--closest", judge.closest, "of the sum of covalent radii: nearer atoms are impossible")
      ->check(CLI::Range(0.1, 1.0))
      ->capture_default_str();
  command->add_option("--max-force", judge.most_force, "eV/Å")->check(CLI::PositiveNumber)->capture_default_str();
  command
      ->add_option("--max-scf", judge.most_scf_steps,
                   "PWmat: so many electronic steps are the limit, and no convergence")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--outlier", judge.outlier, "robust standard deviations from the median of the composition")
      ->check(CLI::Range(2.0, 1000.0))
      ->capture_default_str();
  command->add_flag("--no-duplicates", given->no_duplicates, "don't look for duplicates");
  command->add_flag("--json", given->json, "JSON on standard output");
  return [given] { return run(*given); };
}

}  // namespace tqm::matter
