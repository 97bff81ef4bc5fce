#include "port/emulate/build/compiler.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "task/children.hpp"

namespace tqm::port {
namespace {

constexpr std::size_t kErrorsShown = 5;

// The lines that name errors, the first few.
std::string first_errors(const std::string& text) {
  std::string shown;
  std::size_t count = 0;
  for (const std::string& line : split(text, '\n')) {
    const bool error = line.find("error: ") != std::string::npos ||
                       line.find("undefined symbol") != std::string::npos ||
                       line.find("undefined reference") != std::string::npos;
    if (!error) continue;
    if (count++ == kErrorsShown) break;
    shown += (shown.empty() ? "" : "\n") + line;
  }
  return shown.empty() ? std::string(trim(text)) : shown;
}

Result<std::filesystem::path> beside_program(const std::filesystem::path& part) {
  const std::filesystem::path path = own_binary().parent_path().parent_path() / part;
  std::error_code error;
  if (std::filesystem::exists(path, error)) return std::filesystem::weakly_canonical(path, error);
  return Error{ErrorKind::environment, "a part of torquetum port is missing", path.string(),
               "build or install it again"};
}

}  // namespace

Result<std::filesystem::path> find_compiler() {
  if (auto path = find_program("clang++-19")) return *path;
  return Error{ErrorKind::environment, "there is no clang++-19", "looked in PATH", "install the package clang-19"};
}

Status run_compiler(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    const CompilerBounds& bounds, std::string* log) {
  const std::filesystem::path program = TRY(find_compiler());
  const TemporaryFolder scratch = TRY(TemporaryFolder::make());
  task::ChildSpec spec;
  spec.command = {program.string()};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.work_folder = folder;
  spec.stdout_file = scratch.path() / "out";
  spec.stderr_file = scratch.path() / "err";
  spec.unset_environment = task::kTaskVariables;
  spec.address_space_bytes = bounds.memory_bytes;
  task::Child child = TRY(task::Child::start(spec));
  const auto exit = child.wait(bounds.seconds);
  if (!exit) {
    child.kill();
    return Error{ErrorKind::unsupported, fmt::format("the compiler took more than {} seconds", bounds.seconds),
                 arguments.back(), "make the source smaller"};
  }
  const auto said = read_file(spec.stderr_file);
  const std::string text = said ? *said : "";
  if (log) *log += text;
  if (exit->code == 0) return {};
  return Error{ErrorKind::bad_input, first_errors(text), "", ""};
}

Result<std::filesystem::path> look_alike_headers(const std::string& side) {
  return beside_program(std::filesystem::path("share/torquetum/port") / side / "include");
}

Result<std::filesystem::path> emulator_library(const std::string& name) {
  return beside_program(std::filesystem::path("lib") / name);
}

}  // namespace tqm::port
