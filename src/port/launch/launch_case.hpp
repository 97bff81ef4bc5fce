// One launch of one kernel as data: what the CUDA side and the BANG side of a verification both read and both write.
//
// A side is a program made of compiled kernels and an emulator. It is started as `side FOLDER [options of the
// emulator]`, reads FOLDER/case.json and the buffers' files beside it, runs the launch, and writes FOLDER/NAME.out for
// every buffer and FOLDER/result.json (LaunchResult). It says nothing of what a call means: that is each emulator's
// own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "port/launch/branch.hpp"

namespace tqm::port {

// Memory of the device. `bytes` long; what it holds before the launch stands in the file NAME.in, or nothing does, and
// then it is uninitialised (an emulator poisons it).
struct Buffer {
  std::string name;  // [A-Za-z0-9_]+, unique in the case: also the name of its files
  std::size_t bytes = 0;
  bool initialised = true;
};

// Where a device pointer points: into a buffer, `offset` bytes from its start.
struct PointerTo {
  std::string buffer;
  std::size_t offset = 0;
};

// A parameter of the kernel by value: its bytes as the x86-64 compiler lays them out, with pointers put in at the byte
// positions given (a pointer parameter is eight bytes with one pointer at 0).
struct Argument {
  std::vector<std::byte> bytes;
  std::map<std::size_t, PointerTo> pointers;
};

// __constant__ and __device__ variables that the launch needs filled, by mangled name.
struct Symbol {
  std::string name;
  std::string buffer;
};

struct LaunchCase {
  std::string kernel;  // as registered in the side
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::size_t dynamic_shared_bytes = 0;
  std::array<std::uint32_t, 3> task_dim{1, 1, 1};  // BANG only
  std::string task_type = "block";                 // BANG only: block, union1, union2, union4, union8
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  std::vector<Symbol> symbols;
};

// What an emulator found wrong. `kind` is a word of a fixed list that each emulator documents (race, out-of-bounds,
// uninitialised-read, missing-sync, …).
struct Fault {
  std::string kind;
  std::string text;  // what happened: address, buffer, thread or core
  std::string file;
  int line = 0;
};

struct LaunchResult {
  bool ran = false;                               // to its end: outputs are there
  std::vector<Fault> faults;                      // the first of each kind and line
  std::map<std::string, std::uint64_t> counters;  // bytes and operations, by the emulator's names
  std::vector<Branch> branches;                   // that the launch came to, where the side counts them
};

// The text of case.json and back. Refused: what is not of this form, names that are no names, pointers into no buffer.
Result<LaunchCase> parse_case(const std::string& text, const std::string& where);
std::string case_text(const LaunchCase& launch);

// FOLDER/case.json. Reading refuses besides where an initialised buffer's file FOLDER/NAME.in is not as long as the
// case says; writing leaves those files to the caller, who has the bytes.
Result<LaunchCase> read_case(const std::filesystem::path& folder);
Result<void> write_case(const LaunchCase& launch, const std::filesystem::path& folder);
// For sides that run now; nobody needs it after a crash.
Result<void> write_scratch_case(const LaunchCase& launch, const std::filesystem::path& folder);

// FOLDER/result.json and its text.
Result<LaunchResult> parse_result(const std::string& text, const std::string& where);
std::string result_text(const LaunchResult& result);
Result<LaunchResult> read_result(const std::filesystem::path& folder);
Result<void> write_result(const LaunchResult& result, const std::filesystem::path& folder);

}  // namespace tqm::port
