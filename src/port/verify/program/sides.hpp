// The sides of one source file, compiled: the original for the CUDA emulator, plain and with fused multiply-add (and in
// float where the translation has no double), the translation for the BANG emulator.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "chips/chip.hpp"
#include "port/emulate/cuda/program.hpp"
#include "port/frontend/parse.hpp"
#include "port/verify/check_case.hpp"

namespace tqm::port {

// `in_float`: the source with float written for double, its constants included.
Result<cuda::SidePair> build_cuda_sides(const std::filesystem::path& source, const ParseOptions& parsing, bool in_float,
                                        const std::filesystem::path& folder);

// `kernels` by their names in `text`, which is written to folder/translation.mlu.
Result<std::filesystem::path> build_bang_side(const std::string& text, const std::vector<std::string>& kernels,
                                              const chips::Chip& chip, const std::filesystem::path& folder);

}  // namespace tqm::port
