// The thunk of one kernel: void(void** arguments), which loads each argument and calls the kernel's body.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/emulate/cuda/debug_types.hpp"

namespace tqm::port::cuda {

// A kernel's `define` line.
struct KernelDefinition {
  std::string name;  // as written behind @: may be quoted
  std::vector<std::string> parameters;
  std::size_t subprogram = 0;
};
std::optional<KernelDefinition> parse_kernel_definition(std::string_view line);

// None where the registers do not fit the parameters.
std::optional<std::string> thunk_text(const KernelDefinition& kernel, const std::vector<ParameterType>& types,
                                      const std::string& thunk_name);

}  // namespace tqm::port::cuda
