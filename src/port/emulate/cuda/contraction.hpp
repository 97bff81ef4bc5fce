// Contraction: whether a·b + c may be rounded once. A side is compiled with it, as nvcc does by default, and the same
// module is made into one without it, so that a source's headers are read once for both.
#pragma once

#include <string>
#include <string_view>

namespace tqm::port::cuda {

// A module for x86-64 in LLVM's text form that was compiled with -mfma -ffp-contract=fast, as it would be without: no
// operation may be fused with another, and no function uses what comes with fused multiply-add.
std::string without_contraction(std::string_view text);

// The text of a module whose fused multiplications and additions that the source asks for (fmaf, fma) are done one
// after the other, and stay so: how much a result rests on them is a part of its spread as well.
std::string with_fused_apart(std::string_view text);

}  // namespace tqm::port::cuda
