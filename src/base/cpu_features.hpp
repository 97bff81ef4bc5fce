// What the CPU has, asked once by cpuid (and, for AMX, the kernel's permission), and how much of it may be used.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm {

struct CpuFeatures {
  bool avx2 = false;    // AVX2, FMA and F16C
  bool avx512 = false;  // F, BW, VL, DQ and VNNI
  bool avx512_bf16 = false;
  bool amx = false;  // tiles with INT8 and BF16, permitted by the operating system
  bool operator==(const CpuFeatures&) const = default;
  // Every one of wanted is here.
  bool cover(const CpuFeatures& wanted) const;
};

CpuFeatures detected_features();

// The features up to a level: "generic", "avx2", "avx512", "amx"; empty is everything the CPU has. An unknown level is
// refused with the list of levels, one that the CPU lacks with what it has.
Result<CpuFeatures> features_up_to(std::string_view level);

// features_up_to of the environment variable TORQUETUM_ISA.
Result<CpuFeatures> usable_features();

std::string_view level_name(const CpuFeatures& features);

}  // namespace tqm
