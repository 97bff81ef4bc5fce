#include "base/cpu_features.hpp"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tqm {
namespace {

#if defined(__x86_64__)
// Tile registers are eight kilobytes of state that Linux grants on request (arch_prctl, ARCH_REQ_XCOMP_PERM,
// XTILEDATA).
bool amx_granted() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return false;
  const unsigned tile_bf16_int8 = (1U << 24) | (1U << 22) | (1U << 25);
  if ((edx & tile_bf16_int8) != tile_bf16_int8) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

CpuFeatures detect() {
  CpuFeatures found;
#if defined(__x86_64__)
  __builtin_cpu_init();
  found.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  found.avx2 = found.avx2 && __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & (1U << 29));  // F16C
  found.avx512 = found.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vnni");
  found.avx512_bf16 = found.avx512 && __builtin_cpu_supports("avx512bf16");
  found.amx = found.avx512_bf16 && amx_granted();
#endif
  return found;
}

}  // namespace

bool CpuFeatures::cover(const CpuFeatures& wanted) const {
  return (avx2 || !wanted.avx2) && (avx512 || !wanted.avx512) && (avx512_bf16 || !wanted.avx512_bf16) &&
         (amx || !wanted.amx);
}

CpuFeatures detected_features() {
  static const CpuFeatures found = detect();
  return found;
}

std::string_view level_name(const CpuFeatures& features) {
  if (features.amx) return "amx";
  if (features.avx512) return "avx512";
  return features.avx2 ? "avx2" : "generic";
}

Result<CpuFeatures> features_up_to(std::string_view level) {
  const CpuFeatures all = detected_features();
  CpuFeatures limited = all;
  if (level.empty()) return limited;
  limited.amx = false;
  if (level == "amx") {
    limited.amx = true;
  } else if (level == "avx2") {
    limited = {.avx2 = true};
  } else if (level == "avx512") {
    limited.avx512 = true;
  } else if (level == "generic") {
    limited = {};
  } else {
    return Error{ErrorKind::usage, "unknown instruction set \"" + std::string(level) + "\"", "TORQUETUM_ISA",
                 "use generic, avx2, avx512 or amx, or leave it unset"};
  }
  if (!all.cover(limited)) {
    return Error{ErrorKind::unsupported, "this CPU has no " + std::string(level), "TORQUETUM_ISA",
                 "leave it unset; the CPU has up to " + std::string(level_name(all))};
  }
  return limited;
}

Result<CpuFeatures> usable_features() {
  const char* level = std::getenv("TORQUETUM_ISA");
  return features_up_to(level ? level : "");
}

}  // namespace tqm
