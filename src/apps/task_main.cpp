// torquetum-task run SPEC: the shim. Runs one attempt of a job under its limits, from the claim to the exit record.
#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/json.hpp"
#include "task/attempt/run.hpp"
#include "task/cli/cli.hpp"
#include "task/main.hpp"

namespace tqm {
namespace {

using namespace task;

volatile std::sig_atomic_t asked_to_stop = 0;

void note_signal(int) {
  asked_to_stop = 1;
}

// What is over is said in the exit record; the exit code says the same to a person's shell.
int code_of(const ExitRecord& exit) {
  if (exit.reason == "done") return 0;
  if (exit.reason == "rolled-back") return exit_code(ErrorKind::check_failed);
  return exit.reason != "failed" && exit.resumable ? exit_code(ErrorKind::stopped) : 1;
}

Result<int> run(int argc, char** argv) {
  CLI::App app("Runs one attempt of a job under its limits: the shim of the service.", "torquetum-task");
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  torquetum-task run /data/job-7/1/spec.json     the spec's fields: docs/task-contract.md");
  bool json = false;
  std::string spec_path;
  CLI::App* command = app.add_subcommand("run", "Run the attempt that the file describes, until it has ended");
  command->add_option("SPEC", spec_path, "what to run, a JSON file")->required();
  command->add_flag("--json", json, "the exit record on standard output");
  if (const auto done = TRY(cli::parse(app, argc, argv))) return *done;

  const Json json_of_spec = TRY(read_json(spec_path));
  const AttemptSpec spec = TRY(parse_attempt_spec(json_of_spec, spec_path));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction action{};
  action.sa_handler = note_signal;
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  ::signal(SIGHUP, SIG_IGN);
  ShimSurroundings surroundings;
  surroundings.holder = std::to_string(::getpid()) + "-" + std::to_string(boot_clock().monotonic_ns());
  surroundings.asked_to_stop = [] { return asked_to_stop != 0; };
  const auto lease = held_file_lease(AttemptFiles{spec.folder});
  const ExitRecord exit = TRY(run_attempt(spec, *lease, surroundings));
  if (json)
    std::cout << dump_json(exit_json(exit)) << "\n";
  else
    std::cout << exit.reason << " after " << exit.seconds << " s: " << exit.text << "\n";
  return code_of(exit);
}

}  // namespace
}  // namespace tqm

int main(int argc, char** argv) {
  return tqm::task::run_program("torquetum-task", argc, argv, tqm::run);
}
