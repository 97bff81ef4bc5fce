// The vector-vector unit's registers, as far as mlu-ops uses them for the 372: 256 bytes of one type. What 3.0 does not
// document is taken from that use: a register is filled by index, added to, and stored.
#pragma once

#include "bang_types.h"

namespace tqm_bang {

template <class T>
struct Register {
  T values[256 / sizeof(T)];
  static constexpr int count = 256 / sizeof(T);
};

}  // namespace tqm_bang

using vv_float = tqm_bang::Register<float>;
using vv_half = tqm_bang::Register<half>;
using vv_int16 = tqm_bang::Register<short>;
using vv_uint16 = tqm_bang::Register<unsigned short>;
using vv_int32 = tqm_bang::Register<int>;
using vv_uint32 = tqm_bang::Register<unsigned int>;

TQM_CALL unsigned int __vv_get_length() {
  return 256;
}

template <class T>
TQM_CALL void __vv_index(tqm_bang::Register<T>& dst, tqm_bang::Same<T> start, tqm_bang::Same<T> step) {
  for (int i = 0; i < dst.count; ++i) {
    dst.values[i] = static_cast<T>(start + static_cast<T>(i) * step);
  }
}
template <class T>
TQM_CALL void __vv_move(tqm_bang::Register<T>& dst, tqm_bang::Same<T> value) {
  for (int i = 0; i < dst.count; ++i) {
    dst.values[i] = value;
  }
}
template <class T>
TQM_CALL void __vv_move(tqm_bang::Register<T>& dst, const tqm_bang::Register<tqm_bang::Same<T>>& src) {
  dst = src;
}
#define TQM_VV(name, expression)                                                                           \
  template <class T>                                                                                       \
  TQM_CALL void __vv_##name(tqm_bang::Register<T>& dst, const tqm_bang::Register<tqm_bang::Same<T>>& src0, \
                            const tqm_bang::Register<tqm_bang::Same<T>>& src1) {                           \
    for (int i = 0; i < dst.count; ++i) {                                                                  \
      const T a = src0.values[i];                                                                          \
      const T b = src1.values[i];                                                                          \
      dst.values[i] = static_cast<T>(expression);                                                          \
    }                                                                                                      \
  }                                                                                                        \
  template <class T>                                                                                       \
  TQM_CALL void __vv_##name(tqm_bang::Register<T>& dst, const tqm_bang::Register<tqm_bang::Same<T>>& src0, \
                            tqm_bang::Same<T> src1) {                                                      \
    for (int i = 0; i < dst.count; ++i) {                                                                  \
      const T a = src0.values[i];                                                                          \
      const T b = src1;                                                                                    \
      dst.values[i] = static_cast<T>(expression);                                                          \
    }                                                                                                      \
  }
TQM_VV(add, a + b)
TQM_VV(mul, a* b)
TQM_VV(mulh, (static_cast<unsigned long>(a) * static_cast<unsigned long>(b)) >> (8 * sizeof(T)))
TQM_VV(xor, a ^ b)
#undef TQM_VV
template <class T>
TQM_CALL void __vv_store(T* dst, const tqm_bang::Register<tqm_bang::Same<T>>& src,
                         int elem_count = tqm_bang::Register<T>::count) {
  tqm_bang::store_register("__vv_store", tqm_bang::type_of<T>, dst, src.values, elem_count);
}
