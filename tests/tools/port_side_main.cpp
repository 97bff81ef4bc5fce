// A side of a verification for tests, without a compiler and an emulator: y[i] = 2 x[i] by the case's files, and faults
// of its own by the kernel's name ("scale_wrong_tail"). usage: port_side FOLDER [options of a side]
#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/file.hpp"
#include "port/launch/launch_case.hpp"

namespace {

using tqm::port::LaunchCase;
using tqm::port::LaunchResult;

struct Run {
  std::filesystem::path folder;
  std::map<std::string, std::string> options;
  bool is(const char* option, const char* value) const {
    const auto found = options.find(option);
    return found != options.end() && found->second == value;
  }
};

std::vector<float> floats_of(const Run& run, const std::string& name, std::size_t bytes) {
  std::vector<float> values(bytes / sizeof(float), run.is("--poison", "2") ? -7.0F : 7.0F);
  const auto content = tqm::read_file(run.folder / (name + ".in"));
  if (content.ok()) std::memcpy(values.data(), content->data(), bytes);
  return values;
}

void write_floats(const Run& run, const std::string& name, const std::vector<float>& values, std::size_t bytes) {
  const std::string_view text(reinterpret_cast<const char*>(values.data()), bytes);
  if (!tqm::write_file_atomic(run.folder / (name + ".out"), text).ok()) _exit(1);
}

// What the name asks for beyond y = 2 x.
void misbehave(const std::string& kernel, const Run& run, std::vector<float>& y, LaunchResult& result) {
  const auto asked = [&](const char* word) { return kernel == std::string("scale_") + word; };
  if (asked("crash")) {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitiser's own handler would end it in another way
    std::raise(SIGSEGV);
  }
  if (asked("exit")) _exit(3);
  if (asked("hang"))
    while (true) pause();
  if (asked("large")) {
    std::vector<std::vector<char>> held;
    while (held.size() < 64) held.emplace_back(std::size_t{16} << 20, 'x');  // 1 GiB, then it waits to be ended
    while (true) pause();
  }
  if (asked("wrong_tail") && y.size() % 64 != 0) y.back() += 1;
  if (asked("off") && !y.empty()) y[0] *= 1.0001F;
  if (asked("race")) result.faults = {{"race", "threads 1 and 2 write y[0]", "scale.cu", 12}};
  if (asked("stopped")) result = {false, {{"copy-direction", "NRAM2GDRAM from GDRAM", "scale.mlu", 9}}, {}, {}};
  if (asked("poisoned") && run.is("--poison", "2")) y[0] = -7;
  if (asked("unsynced") && run.is("--schedule", "latest")) y[0] = 0;
  if (asked("worst") && run.is("--precision", "worst")) y[0] *= 1.005F;
  if (asked("by_order") && run.is("--order", "reverse")) std::reverse(y.begin(), y.end());
  if (asked("contracted") && run.is("--schedule", "eager")) y[0] *= 1.00001F;
  if (asked("three") && run.is("--tasks", "3")) y[0] = 0;
}

}  // namespace

int main(int count, char** words) {
  Run run;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.rfind("--", 0) == 0 && i + 1 < count)
      run.options[word] = words[++i];
    else
      run.folder = word;
  }
  const auto launch = tqm::port::read_case(run.folder);
  if (!launch.ok()) return 1;
  run.options["--tasks"] = std::to_string(launch->task_dim[0]);
  LaunchResult result;
  result.ran = true;
  result.counters["blocks"] = launch->grid[0];
  for (const auto& buffer : launch->buffers) {
    std::vector<float> values = floats_of(run, buffer.name, buffer.bytes);
    if (buffer.name == "y" && launch->kernel != "scale_nothing") {
      values = floats_of(run, "x", buffer.bytes);
      for (float& value : values) value *= 2;
      misbehave(launch->kernel, run, values, result);
    }
    const bool short_file = buffer.name == "y" && launch->kernel == "scale_short";
    write_floats(run, buffer.name, values, short_file ? buffer.bytes / 2 : buffer.bytes);
  }
  return tqm::port::write_result(result, run.folder).ok() ? 0 : 1;
}
