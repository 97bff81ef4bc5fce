#include "port/verify/run_side.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "task/children.hpp"

namespace tqm::port {
namespace {

constexpr std::size_t kMostErrorText = 2000;

// The last lines that the side printed, for the reason of a crash.
std::string last_words(const std::filesystem::path& file) {
  const auto read = read_file(file);
  if (!read.ok()) return "";
  const std::string_view text = trim(*read);
  return std::string(text.substr(text.size() > kMostErrorText ? text.size() - kMostErrorText : 0));
}

std::string with_words(std::string text, const std::filesystem::path& errors) {
  const std::string words = last_words(errors);
  return words.empty() ? text : text + ": " + words;
}

Status remove_earlier(const LaunchCase& launch, const std::filesystem::path& folder) {
  for (const Buffer& buffer : launch.buffers) TRY(tqm::remove_all(folder / (buffer.name + ".out")));
  TRY(tqm::remove_all(folder / "result.json"));
  TRY(tqm::remove_all(folder / "side.out"));
  return tqm::remove_all(folder / "side.err");
}

std::string read_outputs(const LaunchCase& launch, const std::filesystem::path& folder, SideRun& run) {
  for (const Buffer& buffer : launch.buffers) {
    const auto bytes = read_file(folder / (buffer.name + ".out"), buffer.bytes + 1);
    if (!bytes.ok()) return "it left no readable " + buffer.name + ".out";
    if (bytes->size() != buffer.bytes)
      return fmt::format("{}.out has {} bytes, and the case says {}", buffer.name, bytes->size(), buffer.bytes);
    const auto* data = reinterpret_cast<const std::byte*>(bytes->data());
    run.outputs[buffer.name].assign(data, data + bytes->size());
  }
  return "";
}

// What the process holds now; 0 where that can't be told.
std::uint64_t resident_bytes(int pid) {
  const auto text = read_file(fmt::format("/proc/{}/statm", pid));
  if (!text.ok()) return 0;
  const std::vector<std::string> fields = split(*text, ' ');
  if (fields.size() < 2) return 0;
  return std::strtoull(fields[1].c_str(), nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Until it ends, or is over a bound and killed.
std::optional<task::ChildExit> wait_within(task::Child& child, const SideBounds& bounds, SideRun& run) {
  constexpr double kLookSeconds = 0.05;
  for (double waited = 0; waited < bounds.seconds; waited += kLookSeconds) {
    if (auto ended = child.wait(std::min(kLookSeconds, bounds.seconds - waited))) return ended;
    const std::uint64_t bytes = resident_bytes(child.pid());
    if (bytes <= bounds.memory_bytes) continue;
    child.kill();
    run.end = SideRun::End::too_large;
    run.text = "it held " + bytes_text(bytes) + " of memory when it was killed, and the bound is " +
               bytes_text(bounds.memory_bytes);
    run.seconds = waited;
    return std::nullopt;
  }
  child.kill();
  run.end = SideRun::End::timed_out;
  run.seconds = bounds.seconds;
  run.text = fmt::format("it ran for more than {} s and was killed", bounds.seconds);
  return std::nullopt;
}

void read_what_it_left(const LaunchCase& launch, const std::filesystem::path& folder, SideRun& run) {
  auto result = read_result(folder);
  if (!result.ok()) {
    run.end = SideRun::End::unreadable;
    run.text = result.error().message();
    return;
  }
  run.result = std::move(result).take();
  if (!run.result.ran) {
    run.end = SideRun::End::faulty;
    run.text = run.result.faults.empty() ? "the launch was ended without a fault" : run.result.faults.front().text;
    return;
  }
  run.text = read_outputs(launch, folder, run);
  run.end = run.text.empty() ? SideRun::End::ran : SideRun::End::unreadable;
}

}  // namespace

Result<SideRun> run_side(const std::filesystem::path& program, const std::filesystem::path& folder,
                         const std::vector<std::string>& options, const SideBounds& bounds) {
  const LaunchCase launch = TRY(read_case(folder));
  TRY(remove_earlier(launch, folder));
  task::ChildSpec spec;
  spec.command = {program.string(), folder.string()};
  spec.command.insert(spec.command.end(), options.begin(), options.end());
  spec.command.insert(spec.command.end(), {"--max-blocks", std::to_string(bounds.blocks)});
  spec.unset_environment = task::kTaskVariables;
  spec.stdout_file = folder / "side.out";
  spec.stderr_file = folder / "side.err";
  spec.file_bytes = bounds.file_bytes;
  task::Child child = TRY(task::Child::start(spec));
  SideRun run;
  const auto ended = wait_within(child, bounds, run);
  if (!ended) return run;
  run.seconds = ended->wall_seconds;
  if (ended->peak_rss_bytes > bounds.memory_bytes) {
    run.end = SideRun::End::too_large;
    run.text = "it took " + bytes_text(ended->peak_rss_bytes) + " of memory, and the bound is " +
               bytes_text(bounds.memory_bytes);
    return run;
  }
  if (ended->code != 0) {
    run.text = with_words(task::exit_text(*ended), spec.stderr_file);
    return run;
  }
  read_what_it_left(launch, folder, run);
  return run;
}

}  // namespace tqm::port
