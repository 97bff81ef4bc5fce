// A case of the CUDA side as the case of its translation: other arguments behind the same ones, tasks in place of
// blocks, floats where the chip has no double.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "port/verify/prepared_case.hpp"

namespace tqm::port {

// What the translated kernel takes behind the original's parameters.
struct BangExtra {
  enum class Kind : std::uint8_t { grid_x, grid_y, grid_z, block_x, block_y, block_z, symbol };
  Kind kind = Kind::grid_x;
  std::string symbol;
};

// What must be known of a translation to launch it.
struct BangForm {
  std::string kernel;  // as registered in its side
  std::vector<BangExtra> extras;
  std::string task_type = "block";
  std::array<std::uint32_t, 3> fixed_block{0, 0, 0};  // the launch must have these; 0: any
  std::uint32_t most_threads = 1024;
  std::size_t most_dynamic_bytes = 0;
  bool demoted = false;  // float in place of double
};

// Refused (unsupported) where the launch is one that the translation was not made for.
Result<PreparedCase> bang_case(const PreparedCase& cuda, const BangForm& form, std::uint32_t tasks);

// The same launch on floats: buffers and arguments of f64 become f32. Refused where a double stands inside a struct.
Result<PreparedCase> in_float(const PreparedCase& prepared);

}  // namespace tqm::port
