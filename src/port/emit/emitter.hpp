// From kernels in our tree to source of a target. A target is a folder of its own beside bang/ that makes an Emitter;
// nothing else knows what its language looks like.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chips/chip.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::emit {

// What the emitted kernel takes behind its own parameters, in this order of `extras`.
struct Extra {
  enum class Kind { grid_x, grid_y, grid_z, block_x, block_y, block_z, symbol };
  Kind kind = Kind::grid_x;
  std::string symbol;  // of Kind::symbol: the __constant__ or __device__ variable, handed over as a pointer
};

struct EmittedKernel {
  std::string name;       // in the emitted source
  std::string qualified;  // as the user wrote it, with template arguments
  std::string file;
  int line = 0;
  bool refused = false;
  char tier = ' ';  // A to D; blank where refused
  std::string tier_reason;
  std::vector<Extra> extras;
  std::vector<ir::Remark> remarks;
  std::string task_type = "block";
  int fixed_block[3] = {0, 0, 0};         // the launch must have these; 0: any
  int most_threads = 1024;                // of a block
  std::int64_t dynamic_shared_bytes = 0;  // at most; 0: none is used
  std::vector<int> demoted_params;        // pointers to double in the original: the host hands over floats
  std::string text;                       // the kernel alone, for a view beside its source
};

struct EmittedFile {
  std::string text;
  std::vector<EmittedKernel> kernels;
};

class Emitter {
 public:
  virtual ~Emitter() = default;
  // `source` is named in the head of the text. Kernels that can't be translated come back refused, with the reason.
  virtual EmittedFile emit(const std::vector<ir::Kernel>& kernels, const std::string& source) const = 0;
  virtual std::string file_extension() const = 0;
};

// For a chip whose toolchain is BANG C (its on-chip memories and cores are in the catalogue).
Result<std::unique_ptr<Emitter>> bang_emitter(const chips::Chip& chip);

}  // namespace tqm::port::emit
