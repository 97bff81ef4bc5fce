#include "compress/command/own_child.hpp"

#include <optional>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "task/children.hpp"

namespace tqm::compress {
namespace {

constexpr double kLookSeconds = 0.2;  // for a stop, while the child works
constexpr double kGraceSeconds = 2;

}  // namespace

Result<Json> run_own_child(const std::vector<std::string>& arguments, const std::string& doing,
                           const std::string& where, const task::Session& session) {
  const TemporaryFolder folder = TRY(TemporaryFolder::make("torquetum-child"));
  task::ChildSpec spec;
  // Where our file has been replaced meanwhile, this is still the program that runs.
  spec.command = {"/proc/" + std::to_string(::getpid()) + "/exe"};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.unset_environment = task::kTaskVariables;
  spec.stdout_file = folder.path() / "out";
  spec.stderr_file = folder.path() / "err";
  auto child = TRY(task::Child::start(spec));
  std::optional<task::ChildExit> ended;
  while (!(ended = child.wait(kLookSeconds))) {
    const Status go_on = session.check_stop();
    if (go_on) continue;
    child.stop(kGraceSeconds);
    return go_on.error();
  }
  if (ended->code != 0) {
    Result<std::string> said = read_file(spec.stderr_file, 1 << 16);
    return Error{ErrorKind::breakdown, doing + " failed, " + task::exit_text(*ended), where,
                 said ? std::string(trim(*said)) : ""};
  }
  return read_json(spec.stdout_file);
}

}  // namespace tqm::compress
