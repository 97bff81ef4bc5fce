#include "port/emulate/bang/runtime/side.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "base/file.hpp"
#include "base/scratch_file.hpp"
#include "port/emulate/bang/runtime/hooks.hpp"
#include "port/emulate/bang/runtime/registry.hpp"

namespace tqm::port::bang {

namespace {

template <class T>
Result<T> word_in(std::string_view word, std::initializer_list<std::pair<std::string_view, T>> words,
                  const std::string& option) {
  for (const auto& [known, value] : words) {
    if (word == known) {
      return value;
    }
  }
  return Error{ErrorKind::usage, option + " does not know " + std::string(word), "", ""};
}

Result<std::uint64_t> number_in(std::string_view word, const std::string& option) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc{} || end != word.data() + word.size()) {
    return Error{ErrorKind::usage, option + " takes a number, and got " + std::string(word), "", ""};
  }
  return value;
}

Result<int> clusters_of(const std::string& type) {
  return word_in<int>(type, {{"block", 0}, {"union1", 1}, {"union2", 2}, {"union4", 4}, {"union8", 8}}, "task_type");
}

struct Memory {
  std::map<std::string, std::byte*> buffers;
};

Result<Memory> fill_memory(Machine& machine, const LaunchCase& launch, const std::filesystem::path& folder) {
  Memory memory;
  for (const Buffer& buffer : launch.buffers) {
    void* place = machine.arena().give(Space::gdram, 0, std::max<std::size_t>(buffer.bytes, 1), machine.poison(),
                                       "buffer " + buffer.name);
    if (place == nullptr) {
      return Error{ErrorKind::bad_input, "the buffers come to more than the emulator's GDRAM", buffer.name,
                   "make it smaller"};
    }
    if (buffer.initialised) {
      const std::string bytes = TRY(read_file(folder / (buffer.name + ".in")));
      std::memcpy(place, bytes.data(), std::min(bytes.size(), buffer.bytes));
      std::memset(machine.arena().flags(place), kGiven | kInitialised, buffer.bytes);
    }
    memory.buffers[buffer.name] = static_cast<std::byte*>(place);
  }
  return memory;
}

// The arguments' bytes with device addresses put in.
Result<std::vector<std::vector<std::byte>>> argument_bytes(const LaunchCase& launch, const Kernel& kernel,
                                                           const Memory& memory) {
  if (launch.arguments.size() != kernel.parameter_bytes.size()) {
    return Error{ErrorKind::bad_input,
                 launch.kernel + " has " + std::to_string(kernel.parameter_bytes.size()) +
                     " parameters, and the case " + std::to_string(launch.arguments.size()) + " arguments",
                 "case.json", ""};
  }
  std::vector<std::vector<std::byte>> values;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    std::vector<std::byte> bytes = argument.bytes;
    if (bytes.size() != kernel.parameter_bytes[i]) {
      return Error{ErrorKind::bad_input,
                   "argument " + std::to_string(i) + " has " + std::to_string(bytes.size()) +
                       " bytes, and the parameter " + std::to_string(kernel.parameter_bytes[i]),
                   "case.json", ""};
    }
    for (const auto& [at, pointer] : argument.pointers) {
      const auto found = memory.buffers.find(pointer.buffer);
      if (found == memory.buffers.end() || at + sizeof(void*) > bytes.size()) {
        return Error{
            ErrorKind::bad_input,
            "argument " + std::to_string(i) + " points to " + pointer.buffer + ", which is no buffer of the case",
            "case.json", ""};
      }
      const std::byte* address = found->second + pointer.offset;
      std::memcpy(bytes.data() + at, &address, sizeof address);
    }
    values.push_back(std::move(bytes));
  }
  return values;
}

}  // namespace

Result<SideArguments> read_side_arguments(int count, char** words) {
  SideArguments arguments;
  const std::span<char*> given(words, static_cast<std::size_t>(count));
  for (std::size_t i = 1; i < given.size(); ++i) {
    const std::string word = given[i];
    if (word.rfind("--", 0) != 0) {
      arguments.folder = word;
      continue;
    }
    if (i + 1 == given.size()) {
      return Error{ErrorKind::usage, word + " takes a value", "", ""};
    }
    const std::string_view value = given[++i];
    Options& options = arguments.options;
    if (word == "--order") {
      options.order = TRY(word_in<Order>(
          value, {{"forward", Order::forward}, {"reverse", Order::reverse}, {"random", Order::random}}, word));
    } else if (word == "--schedule") {
      options.schedule = TRY(word_in<Schedule>(
          value, {{"eager", Schedule::eager}, {"latest", Schedule::latest}, {"random", Schedule::random}}, word));
    } else if (word == "--precision") {
      options.precision =
          TRY(word_in<Precision>(value, {{"exact", Precision::exact}, {"worst", Precision::worst}}, word));
    } else if (word == "--seed") {
      options.seed = TRY(number_in(value, word));
    } else if (word == "--poison") {
      options.poison = static_cast<unsigned>(TRY(number_in(value, word)));
    } else if (word == "--max-blocks") {
      options.max_tasks = TRY(number_in(value, word));
    } else {
      return Error{ErrorKind::usage, "there is no option " + word, "", ""};
    }
  }
  if (arguments.folder.empty()) {
    return Error{ErrorKind::usage, "no folder with a case.json was given", "", "side FOLDER"};
  }
  return arguments;
}

Result<LaunchResult> run_side(const SideArguments& arguments) {
  const LaunchCase launch = TRY(read_case(arguments.folder));
  const auto found = registry().kernels.find(launch.kernel);
  if (found == registry().kernels.end()) {
    return Error{ErrorKind::bad_input, "this side has no kernel " + launch.kernel, "case.json", ""};
  }
  Launch run;
  run.x = launch.task_dim[0];
  run.y = launch.task_dim[1];
  run.z = launch.task_dim[2];
  run.clusters = static_cast<unsigned>(TRY(clusters_of(launch.task_type)));
  const std::uint64_t tasks = std::uint64_t{run.x} * run.y * run.z;
  if (arguments.options.max_tasks != 0 && tasks > arguments.options.max_tasks) {
    return Error{ErrorKind::bad_input, std::to_string(tasks) + " tasks are more than --max-blocks allows", "case.json",
                 ""};
  }
  Machine machine(registry().chip, arguments.options);
  set_machine(&machine);
  machine.catch_traps();
  const Memory memory = TRY(fill_memory(machine, launch, arguments.folder));
  auto values = TRY(argument_bytes(launch, found->second, memory));
  struct Closure {
    tqm_bang::Thunk thunk;
    std::vector<void*> arguments;
  } closure{found->second.thunk, {}};
  for (auto& value : values) {
    closure.arguments.push_back(value.data());
  }
  run.closure = &closure;
  run.body = [](void* data) {
    auto& self = *static_cast<Closure*>(data);
    self.thunk(self.arguments.data());
  };
  LaunchResult result;
  result.ran = machine.run(run);
  result.faults = machine.faults().resolved(registry().header_folder);
  result.counters = machine.counters();
  for (const auto& [call, times] : machine.calls()) {
    result.counters[std::string("call ") + call] += times;
  }
  result.counters["scalar_accesses"] = scalar_traffic().accesses;
  result.counters["scalar_nram_bytes"] = scalar_traffic().nram;
  result.counters["scalar_sram_bytes"] = scalar_traffic().sram;
  result.counters["scalar_gdram_bytes"] = scalar_traffic().gdram;
  for (const Buffer& buffer : launch.buffers) {
    const auto* bytes = reinterpret_cast<const char*>(memory.buffers.at(buffer.name));
    TRY(write_scratch_file(arguments.folder / (buffer.name + ".out"), std::string_view(bytes, buffer.bytes)));
  }
  set_machine(nullptr);
  return result;
}

}  // namespace tqm::port::bang

// A side has no main of its own.
__attribute__((weak)) int main(int count, char** words) {
  using namespace tqm::port::bang;
  const auto fail = [](const tqm::Error& error) {
    std::fprintf(stderr, "%s\n", error.what.c_str());
    return 1;
  };
  auto arguments = read_side_arguments(count, words);
  if (!arguments) {
    return fail(arguments.error());
  }
  auto result = run_side(*arguments);
  if (!result) {
    return fail(result.error());
  }
  const auto written = tqm::port::write_result(*result, arguments->folder);
  return written ? 0 : fail(written.error());
}
