// A program whose double has become float: functions of the C library that promote integers to double, and mixed arguments
// with them, stay in float, too.
#pragma once

#define TQM_OF_INTEGER(name, type) \
  TQM_BOTH inline float name(type x) { return name##f((float)x); }
#define TQM_ONE_IN_FLOAT(name)           \
  TQM_OF_INTEGER(name, int)              \
  TQM_OF_INTEGER(name, unsigned)         \
  TQM_OF_INTEGER(name, long)             \
  TQM_OF_INTEGER(name, unsigned long)    \
  TQM_OF_INTEGER(name, long long)        \
  TQM_OF_INTEGER(name, unsigned long long) \
  namespace std {                        \
  using ::name;                          \
  }
#define TQM_OF_MIXED(name, first, second) \
  TQM_BOTH inline float name(first x, second y) { return name##f((float)x, (float)y); }
#define TQM_TWO_IN_FLOAT(name)          \
  TQM_OF_MIXED(name, float, int)        \
  TQM_OF_MIXED(name, int, float)        \
  TQM_OF_MIXED(name, int, int)          \
  TQM_OF_MIXED(name, float, unsigned)   \
  TQM_OF_MIXED(name, unsigned, float)   \
  TQM_OF_MIXED(name, float, long)       \
  TQM_OF_MIXED(name, long, float)       \
  namespace std {                       \
  using ::name;                         \
  }

TQM_ONE_IN_FLOAT(sqrt)
TQM_ONE_IN_FLOAT(cbrt)
TQM_ONE_IN_FLOAT(exp)
TQM_ONE_IN_FLOAT(exp2)
TQM_ONE_IN_FLOAT(expm1)
TQM_ONE_IN_FLOAT(log)
TQM_ONE_IN_FLOAT(log2)
TQM_ONE_IN_FLOAT(log10)
TQM_ONE_IN_FLOAT(log1p)
TQM_ONE_IN_FLOAT(sin)
TQM_ONE_IN_FLOAT(cos)
TQM_ONE_IN_FLOAT(tan)
TQM_ONE_IN_FLOAT(asin)
TQM_ONE_IN_FLOAT(acos)
TQM_ONE_IN_FLOAT(atan)
TQM_ONE_IN_FLOAT(sinh)
TQM_ONE_IN_FLOAT(cosh)
TQM_ONE_IN_FLOAT(tanh)
TQM_ONE_IN_FLOAT(erf)
TQM_ONE_IN_FLOAT(erfc)
TQM_ONE_IN_FLOAT(floor)
TQM_ONE_IN_FLOAT(ceil)
TQM_ONE_IN_FLOAT(round)
TQM_ONE_IN_FLOAT(trunc)
TQM_TWO_IN_FLOAT(pow)
TQM_TWO_IN_FLOAT(fmod)
TQM_TWO_IN_FLOAT(atan2)
TQM_TWO_IN_FLOAT(hypot)
TQM_TWO_IN_FLOAT(fmax)
TQM_TWO_IN_FLOAT(fmin)
