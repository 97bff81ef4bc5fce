// Types, qualifiers and built-in variables of BANG C as the emulator gives them. The sizes of the on-chip memories come
// from the chip catalogue by -D when a .mlu is compiled (see compile_mlu.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tqm_bang.h"

#ifndef __BANG_ARCH__
#error "compile this through the emulator: the chip's figures are missing"
#endif

// __nram__, __wram__, __mlu_shared__ and __ldram__ are not defined here: where the text is made ready for the compiler
// they become thread-local variables, whose address the emulator gives per core (see prepare.hpp).
#define __mlu_entry__
#define __mlu_global__
#define __mlu_func__ inline __attribute__((always_inline))
#define __mlu_device__
#define __mlu_host__
#define __mlu_const__ const
#define __mlu_vector__ inline
#define __mlu_builtin__

using half = _Float16;
using bfloat16_t = __bf16;
using int8 = signed char;
using int16 = short;
using int32 = int;
using fix8 = signed char;

typedef enum {
  GDRAM2NRAM = 0,
  NRAM2GDRAM,
  LDRAM2NRAM,
  NRAM2LDRAM,
  GDRAM2WRAM,
  WRAM2GDRAM,
  LDRAM2WRAM,
  WRAM2LDRAM,
  NRAM2NRAM,
  NRAM2WRAM,
  WRAM2NRAM,
  GDRAM2SRAM,
  SRAM2GDRAM,
  LDRAM2SRAM,
  SRAM2LDRAM,
  SRAM2NRAM,
  NRAM2SRAM,
  SRAM2WRAM,
  WRAM2SRAM,
  GDRAM2GDRAM,
  GDRAM2LDRAM,
  LDRAM2GDRAM,
  LDRAM2LDRAM,
  SRAM2SRAM,
} mluMemcpyDirection_t;

typedef enum {
  FUSION_FMA,
  FUSION_FMS,
  FUSION_FAM,
  FUSION_FSM,
  FUSION_FAA,
  FUSION_FAS,
  FUSION_FSS,
  FUSION_FSA,
} mluFusionOpCode;

typedef enum { OVERLAP_ACC, OVERLAP_COVER } mluPoolBPOverlap;

struct uint3 {
  unsigned int x, y, z;
};

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
};

#define taskId (::tqm_bang::task_id)
#define taskIdX (::tqm_bang::task_id_x)
#define taskIdY (::tqm_bang::task_id_y)
#define taskIdZ (::tqm_bang::task_id_z)
#define taskDim (::tqm_bang::task_dim)
#define taskDimX (::tqm_bang::task_dim_x)
#define taskDimY (::tqm_bang::task_dim_y)
#define taskDimZ (::tqm_bang::task_dim_z)
#define clusterId (::tqm_bang::cluster_id)
#define clusterDim (::tqm_bang::cluster_dim)
#define coreId (::tqm_bang::core_id)
#define coreDim (::tqm_bang::core_dim)

namespace tqm_bang {

template <class T>
struct TypeOf;
#define TQM_TYPE(cpp, name)                   \
  template <>                                 \
  struct TypeOf<cpp> {                        \
    static constexpr Type value = Type::name; \
  };
TQM_TYPE(float, f32)
TQM_TYPE(half, f16)
TQM_TYPE(bfloat16_t, bf16)
TQM_TYPE(char, i8)
TQM_TYPE(signed char, i8)
TQM_TYPE(unsigned char, u8)
TQM_TYPE(short, i16)
TQM_TYPE(unsigned short, u16)
TQM_TYPE(int, i32)
TQM_TYPE(unsigned int, u32)
TQM_TYPE(long, i64)
TQM_TYPE(unsigned long, u64)
#undef TQM_TYPE

template <class T>
constexpr Type type_of = TypeOf<T>::value;

template <class T>
constexpr bool is_float = std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;
template <class T>
constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept Float = is_float<T>;
template <class T>
concept Integer = is_integer<T>;
template <class T>
concept Number = is_float<T> || is_integer<T>;
template <class T>
concept Wide = is_float<T> || (is_integer<T> && sizeof(T) >= 2 && sizeof(T) <= 4);  // of the vector arithmetic

template <class T>
using Same = std::type_identity_t<T>;

template <class T>
inline __attribute__((always_inline)) unsigned long bits(T value) {
  if constexpr (sizeof(T) == 1) {
    return __builtin_bit_cast(unsigned char, value);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(unsigned short, value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(unsigned int, value);
  } else {
    return __builtin_bit_cast(unsigned long, value);
  }
}

template <class T>
inline __attribute__((always_inline)) T from_bits(unsigned long value) {
  if constexpr (sizeof(T) == 1) {
    return __builtin_bit_cast(T, static_cast<unsigned char>(value));
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(T, static_cast<unsigned short>(value));
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, static_cast<unsigned int>(value));
  } else {
    return __builtin_bit_cast(T, value);
  }
}

}  // namespace tqm_bang

#define TQM_CALL inline __attribute__((always_inline))
