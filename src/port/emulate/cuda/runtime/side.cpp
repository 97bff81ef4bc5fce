// The main of a side: side FOLDER [--order forward|reverse|random] [--seed N] [--poison 1|2] [--max-blocks N]
// [--seconds S] [--threads reverse] [--functions above|around] [--rounding up|down]. Reads FOLDER/case.json, runs that
// launch, writes FOLDER/NAME.out for each buffer and FOLDER/result.json.
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>

#include "base/file.hpp"
#include "base/scratch_file.hpp"
#include "port/emulate/cuda/runtime/branches.hpp"
#include "port/emulate/cuda/runtime/check.hpp"
#include "port/emulate/cuda/runtime/export.hpp"
#include "port/emulate/cuda/runtime/fault.hpp"
#include "port/emulate/cuda/runtime/limits.hpp"
#include "port/emulate/cuda/runtime/memory.hpp"
#include "port/emulate/cuda/runtime/options.hpp"
#include "port/emulate/cuda/runtime/report.hpp"
#include "port/emulate/cuda/runtime/session.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port::cuda {
namespace {

constexpr std::uint64_t kZoneOfASide = std::uint64_t{64} << 20;

Error usage(const std::string& what) {
  return Error{ErrorKind::usage, what, "",
               "side FOLDER [--order …] [--seed N] [--poison 1|2] [--max-blocks N] [--seconds S]"};
}

Result<std::filesystem::path> parse(int argc, char** argv) {
  std::filesystem::path folder;
  Options& o = options();
  o.least_zone = kZoneOfASide;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      folder = word;
      continue;
    }
    if (i + 1 == argc) return usage(word + " has no value");
    const std::string value = argv[++i];
    if (word == "--order" && (value == "forward" || value == "reverse" || value == "random"))
      o.order = value == "reverse" ? BlockOrder::reverse : value == "random" ? BlockOrder::random : BlockOrder::forward;
    else if (word == "--seed")
      o.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (word == "--poison" && (value == "1" || value == "2"))
      o.poison = value == "2" ? 0x5b : 0xff;
    else if (word == "--threads" && value == "reverse")
      o.threads_last_first = true;
    else if (word == "--functions" && (value == "above" || value == "around"))
      o.functions = value == "above" ? FunctionError::above : FunctionError::around;
    else if (word == "--rounding" && (value == "up" || value == "down"))
      o.rounding = value == "up" ? Rounding::up : Rounding::down;
    else if (word == "--max-blocks")
      o.most_blocks = std::strtoull(value.c_str(), nullptr, 10);
    else if (word == "--seconds")
      o.seconds = std::strtod(value.c_str(), nullptr);
    else if (word != "--schedule" && word != "--precision")  // of the other emulator
      return usage("there is no option " + word + " " + value);
  }
  if (folder.empty()) return usage("no folder is named");
  return folder;
}

struct Loaded {
  std::map<std::string, std::pair<unsigned char*, std::size_t>> buffers;
};

// Buffers on the device, filled from their files or with the poison; a symbol's is then copied to where it belongs.
Result<Loaded> load(const LaunchCase& launch, const std::filesystem::path& folder) {
  Loaded loaded;
  for (const Buffer& buffer : launch.buffers) {
    auto* p = static_cast<unsigned char*>(
        DeviceMemory::get().allocate(std::max<std::size_t>(buffer.bytes, 1), MemoryKind::device));
    if (!p)
      return Error{ErrorKind::environment, "the buffers are larger than the device's memory", buffer.name,
                   "make them smaller"};
    loaded.buffers[buffer.name] = {p, buffer.bytes};
    std::memset(p, options().poison, buffer.bytes);
    if (!buffer.initialised) continue;
    const std::string content = TRY(read_file(folder / (buffer.name + ".in"), std::uint64_t{1} << 40));
    std::memcpy(p, content.data(), buffer.bytes);
    DeviceMemory::get().mark_written(reinterpret_cast<std::uintptr_t>(p), buffer.bytes);
  }
  return loaded;
}

Status fill_symbols(const LaunchCase& launch, const Image& image, const Loaded& loaded, bool back) {
  for (const Symbol& symbol : launch.symbols) {
    void* variable = find_symbol(image, symbol.name);
    if (!variable)
      return Error{ErrorKind::bad_input, "the side has no variable of this name", symbol.name, "build it again"};
    const auto& [p, bytes] = loaded.buffers.at(symbol.buffer);
    if (back)
      std::memcpy(p, variable, bytes);
    else
      std::memcpy(variable, p, bytes);
  }
  return {};
}

// By mangled name; or by what stands before the parameters in the demangled one, where only one kernel has it.
Result<const KernelRow*> choose_kernel(const Image& image, const std::string& name) {
  if (const KernelRow* row = find_kernel(image, name)) return row;
  const KernelRow* found = nullptr;
  for (const KernelRow* row = image.borders->kernels_begin; row != image.borders->kernels_end; ++row) {
    const std::string label = kernel_label(*row);
    if (label != name && label.substr(0, label.find('(')) != name) continue;
    if (found) return Error{ErrorKind::bad_input, "several kernels have this name", name, "give the mangled one"};
    found = row;
  }
  if (!found)
    return Error{ErrorKind::not_found, "the side has no kernel of this name", name, "build it with its instantiation"};
  return found;
}

Result<void> run(int argc, char** argv) {
  const std::filesystem::path folder = TRY(parse(argc, argv));
  const LaunchCase launch = TRY(read_case(folder));
  const std::string of_the_program_itself;
  const Image& image = load_image(of_the_program_itself);
  const KernelRow* kernel = TRY(choose_kernel(image, launch.kernel));
  if (launch.arguments.size() != kernel->parameter_count)
    return Error{
        ErrorKind::bad_input,
        fmt::format("the kernel has {} parameters, and the case {}", kernel->parameter_count, launch.arguments.size()),
        launch.kernel, "write the case again"};
  const Loaded loaded = TRY(load(launch, folder));
  TRY(fill_symbols(launch, image, loaded, false));
  std::vector<std::vector<unsigned char>> bytes;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    if (argument.bytes.size() != kernel->parameter_bytes[i])
      return Error{ErrorKind::bad_input,
                   fmt::format("argument {} has {} bytes, and the parameter {}", i, argument.bytes.size(),
                               kernel->parameter_bytes[i]),
                   launch.kernel, "write the case again"};
    auto& own = bytes.emplace_back(argument.bytes.size() + 16);
    std::memcpy(own.data(), argument.bytes.data(), argument.bytes.size());
    for (const auto& [at, to] : argument.pointers) {
      unsigned char* p = loaded.buffers.at(to.buffer).first + to.offset;
      std::memcpy(own.data() + at, &p, sizeof p);
    }
  }
  std::vector<void*> pointers;
  for (auto& own : bytes) pointers.push_back(own.data());
  start_limits();
  const LaunchShape shape{{launch.grid[0], launch.grid[1], launch.grid[2]},
                          {launch.block[0], launch.block[1], launch.block[2]},
                          launch.dynamic_shared_bytes,
                          false};
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > 1024 || launch.dynamic_shared_bytes > kMostDynamicBytes)
    return Error{ErrorKind::bad_input, "the launch is larger than a GPU takes", launch.kernel,
                 "at most 1024 threads and 163 KiB of shared memory a block"};
  std::fesetround(options().rounding == Rounding::up     ? FE_UPWARD
                  : options().rounding == Rounding::down ? FE_DOWNWARD
                                                         : FE_TONEAREST);
  const LaunchEnd end = run_grid(image, *kernel, shape, pointers.data(), options().most_blocks);
  std::fesetround(FE_TONEAREST);
  end_of_launch_checks();
  if (end == LaunchEnd::timed_out)
    note_fault("limit", 0, fmt::format("ran past its limit of {} seconds", options().seconds));
  TRY(fill_symbols(launch, image, loaded, true));
  for (const auto& [name, memory] : loaded.buffers)
    TRY(write_scratch_file(folder / (name + ".out"),
                           std::string_view(reinterpret_cast<const char*>(memory.first), memory.second)));
  LaunchResult result = result_so_far();
  result.ran = end == LaunchEnd::done;
  result.branches = branches_met(image);
  return write_result(result, folder);
}

}  // namespace
}  // namespace tqm::port::cuda

__attribute__((visibility("default"))) int main(int argc, char** argv) {
  const auto done = tqm::port::cuda::run(argc, argv);
  if (done) return 0;
  std::fprintf(stderr, "side: %s\n", done.error().message().c_str());
  return tqm::exit_code(done.error().kind);
}
