// How the emulator runs, read once from the environment (TORQUETUM_CUDA=word=value,…), which `torquetum port run` sets;
// a side sets them from its command line.
#pragma once

#include <cstdint>
#include <string>

namespace tqm::port::cuda {

enum class BlockOrder { forward, reverse, random };

enum class FunctionError { none, above, around };  // of the functions in function_errors.hpp
enum class Rounding { nearest, up, down };

struct Options {
  BlockOrder order = BlockOrder::forward;
  std::uint64_t seed = 1;
  bool threads_last_first = false;  // of a block, as they begin
  FunctionError functions = FunctionError::none;
  Rounding rounding = Rounding::nearest;     // of device code
  unsigned char poison = 0xff;               // what uninitialised shared memory holds: NaN and -1, or another pattern
  std::uint64_t most_blocks = 0;             // of one launch; 0: as many as it asks for
  double seconds = 0;                        // of the whole program; 0: no bound
  std::uint64_t memory_bytes = 16ULL << 30;  // of the device
  std::uint64_t least_zone = 256;            // addresses behind an allocation that belong to none, see memory.cpp
  std::string record_folder;                 // launches are written here as cases
  std::uint64_t record_launches = 8;         // of each kernel
  std::uint64_t record_bytes = 64ULL << 20;  // of one launch's buffers together
  std::string report_file;                   // faults and counters, as JSON; empty: faults on standard error only
};

Options& options();

}  // namespace tqm::port::cuda
