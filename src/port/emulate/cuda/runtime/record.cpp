#include "port/emulate/cuda/runtime/record.hpp"

#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/file.hpp"
#include "port/emulate/cuda/runtime/memory.hpp"
#include "port/emulate/cuda/runtime/options.hpp"
#include "port/emulate/cuda/runtime/session.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port::cuda {
namespace {

class Case {
 public:
  Case(const KernelRow& kernel, const LaunchShape& shape) {
    launch_.kernel = kernel.name;
    launch_.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
    launch_.block = {shape.block.x, shape.block.y, shape.block.z};
    launch_.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  }

  void add_argument(const unsigned char* bytes, std::size_t size) {
    Argument argument;
    argument.bytes.resize(size);
    std::memcpy(argument.bytes.data(), bytes, size);
    for (std::size_t at = 0; at + 8 <= size; at += 8) {
      std::uintptr_t value = 0;
      std::memcpy(&value, bytes + at, 8);
      const Allocation* allocation = DeviceMemory::get().find(value);
      if (!allocation) continue;
      argument.pointers[at] = {buffer_of(*allocation), value - allocation->begin};
      std::memset(argument.bytes.data() + at, 0, 8);
    }
    launch_.arguments.push_back(std::move(argument));
  }

  void add_symbol(const Variable& variable) {
    if (variable.bytes == 0 || !variable.device) return;
    const std::string name = fmt::format("s{}", launch_.symbols.size());
    launch_.symbols.push_back({variable.name, name});
    launch_.buffers.push_back({name, variable.bytes, true});
    contents_[name] = {reinterpret_cast<std::uintptr_t>(variable.device), variable.bytes, MemoryKind::device};
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Buffer& buffer : launch_.buffers) sum += buffer.bytes;
    return sum;
  }

  Status write(const std::filesystem::path& folder) const {
    TRY(make_folders(folder));
    for (const auto& [name, memory] : contents_)
      TRY(write_file_atomic(folder / (name + ".in"),
                            std::string_view(reinterpret_cast<const char*>(memory.begin), memory.bytes)));
    return write_case(launch_, folder);
  }

 private:
  std::string buffer_of(const Allocation& allocation) {
    const auto known = names_.find(allocation.begin);
    if (known != names_.end()) return known->second;
    const std::string name = fmt::format("b{}", names_.size());
    names_[allocation.begin] = name;
    launch_.buffers.push_back({name, allocation.bytes, true});
    contents_[name] = allocation;
    return name;
  }

  LaunchCase launch_;
  std::map<std::uintptr_t, std::string> names_;
  std::map<std::string, Allocation> contents_;
};

}  // namespace

void record_launch(const KernelRow& kernel, const LaunchShape& shape, void** arguments) {
  const Options& o = options();
  if (o.record_folder.empty()) return;
  static std::map<std::string, std::uint64_t> seen;
  static std::uint64_t number = 0;
  if (seen[kernel.name]++ >= o.record_launches) return;
  Case record(kernel, shape);
  for (std::uint64_t i = 0; i < kernel.parameter_count; ++i)
    record.add_argument(static_cast<const unsigned char*>(arguments[i]), kernel.parameter_bytes[i]);
  for (const auto& [shadow, variable] : session().variables) record.add_symbol(variable);
  if (record.bytes() > o.record_bytes) {
    std::fprintf(stderr, "torquetum: a launch of %s is not recorded: %zu bytes of buffers are more than %llu\n",
                 kernel_label(kernel).c_str(), record.bytes(), static_cast<unsigned long long>(o.record_bytes));
    return;
  }
  const auto folder = std::filesystem::path(o.record_folder) / fmt::format("{:04}", number++);
  const auto written = record.write(folder);
  if (!written) std::fprintf(stderr, "torquetum: %s\n", written.error().message().c_str());
}

}  // namespace tqm::port::cuda
