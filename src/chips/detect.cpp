#include "chips/detect.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <glob.h>
#include <map>
#include <sched.h>
#include <set>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace tqm::chips {
namespace fs = std::filesystem;
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// The text after "key :" in a file of lines such as /proc/cpuinfo; the first of them.
std::string field(std::string_view lines, std::string_view key) {
  for (const std::string& line : split(lines, '\n')) {
    const size_t colon = line.find(':');
    if (colon != std::string::npos && trim(std::string_view(line).substr(0, colon)) == key)
      return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

uint64_t leading_number(std::string_view text) {
  uint64_t value = 0;
  const std::string_view digits = trim(text);
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string quiet_read(const fs::path& path) {
  Result<std::string> content = read_file(path, uint64_t{16} << 20);
  return content ? std::move(content).take() : std::string();
}

struct Feature {
  std::string_view name;
  std::vector<std::string_view> flags;  // any of them
};

std::vector<std::string> features(const std::string& flags) {
  static const std::vector<Feature> known = {
      {"AVX2", {"avx2"}},
      {"AVX-512", {"avx512f"}},
      {"VNNI", {"avx512_vnni", "avx_vnni"}},
      {"BF16", {"avx512_bf16", "bf16"}},
      {"FP16", {"avx512_fp16", "fphp"}},
      {"AMX-INT8", {"amx_int8"}},
      {"AMX-BF16", {"amx_bf16"}},
      {"NEON", {"asimd"}},
      {"SVE", {"sve"}},
      {"DOTPROD", {"asimddp"}},
      {"I8MM", {"i8mm"}},
  };
  const std::vector<std::string> words = split(flags, ' ');
  const std::set<std::string_view> have(words.begin(), words.end());
  std::vector<std::string> result;
  for (const Feature& feature : known)
    if (std::any_of(feature.flags.begin(), feature.flags.end(), [&](std::string_view f) { return have.contains(f); }))
      result.emplace_back(feature.name);
  return result;
}

std::vector<std::string> matching_nodes(const fs::path& root, const std::string& pattern) {
  if (pattern.empty()) return {};
  const std::string prefix = root == "/" ? std::string() : root.string();
  glob_t found{};
  std::vector<std::string> result;
  if (::glob((prefix + pattern).c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) result.push_back(std::string(found.gl_pathv[i]).substr(prefix.size()));
  ::globfree(&found);
  return result;
}

std::optional<fs::path> find_tool(const Host& host, const Probe& probe) {
  std::vector<fs::path> folders = host.folders;
  for (const std::string& folder : probe.folders) folders.push_back(host.root / fs::path(folder).relative_path());
  for (const fs::path& folder : folders) {
    const fs::path candidate = folder / probe.command;
    std::error_code code;
    if (fs::is_regular_file(candidate, code) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

// The chip whose name the driver's text holds; the longest match wins, so that an H100 is not taken for an H10.
const Chip* match(std::span<const Chip* const> family, std::string_view text) {
  const std::string searched = lower(text);
  const Chip* best = nullptr;
  size_t best_length = 0;
  for (const Chip* chip : family)
    for (const std::string& part : chip->probe.matches)
      if (part.size() > best_length && searched.find(lower(part)) != std::string::npos) {
        best = chip;
        best_length = part.size();
      }
  return best;
}

uint64_t catalogue_memory(const Chip* chip) {
  return chip && chip->memory_bytes ? static_cast<uint64_t>(std::llround(chip->memory_bytes->value)) : 0;
}

std::vector<Device> parse_csv(std::span<const Chip* const> family, const std::string& output,
                              const std::string& found_by) {
  std::vector<Device> devices;
  for (const std::string& line : split(output, '\n')) {
    const size_t comma = line.rfind(',');
    if (comma == std::string::npos) continue;
    const std::string driver_name(trim(std::string_view(line).substr(0, comma)));
    const Chip* chip = match(family, driver_name);
    devices.push_back({chip ? chip->name : "", driver_name, found_by,
                       leading_number(std::string_view(line).substr(comma + 1)) * 1024 * 1024});
  }
  return devices;
}

std::vector<Device> parse_lines(std::span<const Chip* const> family, const std::string& output,
                                const std::string& found_by) {
  std::vector<Device> devices;
  for (const std::string& line : split(output, '\n'))
    if (const Chip* chip = match(family, line))
      devices.push_back({chip->name, std::string(trim(line)), found_by, catalogue_memory(chip)});
  return devices;
}

// A driver is there, and no tool said what it drives: its nodes are all that is known.
void add_nodes(std::span<const Chip* const> family, const std::vector<std::string>& nodes, Detection& detection) {
  const Chip* only = family.size() == 1 ? family.front() : nullptr;
  for (const std::string& node : nodes)
    detection.devices.push_back({only ? only->name : "", "", node, catalogue_memory(only)});
}

void ask_family(std::span<const Chip* const> family, const Host& host, Detection& detection) {
  const Probe& probe = family.front()->probe;
  const std::vector<std::string> nodes = matching_nodes(host.root, probe.device_node);
  const std::optional<fs::path> tool = find_tool(host, probe);
  Command command;
  std::string asked = probe.command;
  if (tool) {
    command.arguments.push_back(tool->string());
    command.arguments.insert(command.arguments.end(), probe.arguments.begin(), probe.arguments.end());
  } else if (!nodes.empty() && probe.library == "libcuda.so.1" && !host.library_probe.empty()) {
    asked = probe.library;
    command.arguments = {host.library_probe.string(), "ask-libcuda"};
  } else {
    add_nodes(family, nodes, detection);
    if (!nodes.empty())
      detection.problems.push_back(nodes.front() + " is there, and " + probe.command +
                                   ", which would say what it is, is not in PATH");
    return;
  }
  command.timeout_seconds = host.timeout_seconds;
  command.most_output_bytes = uint64_t{1} << 20;
  const Result<CommandResult> run = run_command(command);
  std::string problem;
  if (!run) {
    problem = asked + " could not be started: " + run.error().what;
  } else if (run->timed_out) {
    problem = asked + " did not answer within " + duration_text(host.timeout_seconds) + " and was stopped";
  } else if (run->code != 0) {
    const std::string said = run->errors.empty() ? run->output : run->errors;
    problem = asked + " ended with exit code " + std::to_string(run->code);
    const std::string first(trim(split(trim(said), '\n').front()));
    if (!first.empty()) problem += ": " + shorten(first, 120);
  } else {
    std::vector<Device> devices = !tool || probe.output == Probe::Output::csv_mib
                                      ? parse_csv(family, run->output, asked)
                                      : parse_lines(family, run->output, asked);
    if (devices.empty() && !nodes.empty()) problem = asked + " named no chip of the catalogue";
    detection.devices.insert(detection.devices.end(), devices.begin(), devices.end());
  }
  if (problem.empty()) return;
  // A tool without its driver is no accelerator, and no fault of this machine's.
  if (nodes.empty() && run && !run->timed_out) return;
  add_nodes(family, nodes, detection);
  detection.problems.push_back(std::move(problem));
}

}  // namespace

Host this_host() {
  Host host;
  if (auto path = environment_variable("PATH"))
    for (const std::string& folder : split(*path, ':'))
      if (!folder.empty()) host.folders.emplace_back(folder);
  if (auto program = find_program("torquetum-chips")) host.library_probe = *program;
  return host;
}

Processor read_processor(const fs::path& root) {
  Processor processor;
  const std::string info = quiet_read(root / "proc/cpuinfo");
  processor.model = field(info, "model name");
  for (const std::string& line : split(info, '\n')) processor.cores += line.starts_with("processor");
  std::string flags = field(info, "flags");
  processor.architecture = "x86-64";
  if (flags.empty()) {
    flags = field(info, "Features");
    processor.architecture = flags.empty() ? "unknown" : "AArch64";
  }
  processor.features = features(flags);
  if (root == "/") {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) processor.cores = CPU_COUNT(&allowed);
    utsname system{};
    if (processor.architecture == "unknown" && ::uname(&system) == 0) processor.architecture = system.machine;
  }
  processor.memory_bytes = leading_number(field(quiet_read(root / "proc/meminfo"), "MemTotal")) * 1024;
  // "max" reads as 0.
  const uint64_t allowed = leading_number(quiet_read(root / "sys/fs/cgroup/memory.max"));
  if (allowed > 0) processor.memory_bytes = std::min(processor.memory_bytes, allowed);
  return processor;
}

Detection detect(std::span<const Chip> catalogue, const Host& host) {
  Detection detection;
  detection.processor = read_processor(host.root);
  // Chips that the same tool lists are asked for once.
  std::map<std::string, std::vector<const Chip*>> families;
  for (const Chip& chip : catalogue)
    if (!chip.probe.command.empty()) families[chip.probe.command].push_back(&chip);
  for (const auto& [command, family] : families) ask_family(family, host, detection);
  return detection;
}

}  // namespace tqm::chips
