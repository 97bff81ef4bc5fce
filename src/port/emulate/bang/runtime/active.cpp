// The approximate functions, as the 3.0 documentation has them: each with a domain, values beyond which it sticks, and
// an average relative error. In exact mode they are exact inside their domain; in worst mode every lane is off by that
// error, up and down in turn.
#include <array>
#include <cmath>

#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

constexpr double kAny = 3.5e38;
constexpr double kTwoPi = 6.2831855;

struct Limits {
  double low, high, error;
};

struct Description {
  Active function;
  Limits single, half;
};

// bfloat16_t has half's accuracy over float's range.
constexpr std::array kDescriptions{
    Description{Active::exp, {-kAny, 10.25, 0.01}, {-65504, 10.25, 0.01}},
    Description{Active::exphp, {-kAny, 16, 0.003}, {-65504, 10.25, 0.007}},
    Description{Active::exp_less_0, {-kAny, 0, 0.003}, {-65504, 0, 0.01}},
    Description{Active::pow2, {-31, 31, 0}, {-24, 15, 0}},
    Description{Active::relu, {-kAny, kAny, 0}, {-65504, 65504, 0}},
    Description{Active::abs, {-kAny, kAny, 0}, {-65504, 65504, 0}},
    Description{Active::sign, {-kAny, kAny, 0}, {-65504, 65504, 0}},
    Description{Active::sigmoid, {-kAny, kAny, 0.01}, {-65504, 65504, 0.01}},
    Description{Active::tanh, {-kAny, kAny, 0.01}, {-65504, 65504, 0.01}},
    Description{Active::gelu, {-kAny, kAny, 0.003}, {-65504, 65504, 0.003}},
    Description{Active::gelup, {-kAny, kAny, 0.003}, {-65504, 65504, 0.00411}},
    Description{Active::sqrt, {0, 63487, 0.01}, {0, 63487, 0.01}},
    Description{Active::sqrthp, {0, 677268, 0.003}, {0, 65504, 0.003}},
    Description{Active::rsqrt, {0.005, 63487, 0.01}, {0.005, 63487, 0.01}},
    Description{Active::rsqrthp, {0.000367, 1e6, 0.0005}, {0.000367, 65504, 0.0005}},
    Description{Active::recip, {0.00391, 63487, 0.003}, {0.00391, 63487, 0.01}},
    Description{Active::reciphp, {0.00391, 2e6, 0.0004}, {0.00391, 65504, 0.0004}},
    Description{Active::recip_greater_1, {1, 63487, 0.003}, {1, 63487, 0.01}},
    Description{Active::sin, {-kTwoPi, kTwoPi, 0.01}, {-kTwoPi, kTwoPi, 0.01}},
    Description{Active::cos, {-kTwoPi, kTwoPi, 0.01}, {-kTwoPi, kTwoPi, 0.01}},
    Description{Active::log, {6.1e-5, 63484, 0.01}, {6.1e-5, 63484, 0.01}},
    Description{Active::loghp, {7.2e-9, 507903, 0.001}, {6.1e-5, 65504, 0.002}},
};

double gelu(double x) {
  return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
}

double evaluate(Active function, double x, bool single) {
  switch (function) {
    case Active::exp:
      return x < -7.75 ? 5.96e-8 : std::exp(x);
    case Active::exphp:
      return single ? (x < -15 ? 3e-7 : std::exp(x)) : (x < -7.75 ? 5.96e-8 : std::exp(x));
    case Active::exp_less_0:
      return x < -15.5 ? 5.96e-8 : std::exp(x);
    case Active::pow2:
      return std::exp2(x);
    case Active::relu:
      return x > 0 ? x : 0;
    case Active::abs:
      return std::fabs(x);
    case Active::sign:
      return x >= 0 ? 1 : -1;
    case Active::sigmoid:
      return x < -7.75 ? 0 : x > 7.75 ? 1 : 1 / (1 + std::exp(-x));
    case Active::tanh:
      return std::tanh(x);
    case Active::gelu:
    case Active::gelup:
      return x < -3.875 ? -5.96e-8 : gelu(x);
    case Active::sqrt:
    case Active::sqrthp:
      return std::sqrt(x);
    case Active::rsqrt:
    case Active::rsqrthp:
      return 1 / std::sqrt(x);
    case Active::recip:
    case Active::reciphp:
    case Active::recip_greater_1:
      return 1 / x;
    case Active::sin:
      return std::sin(x);
    case Active::cos:
      return std::cos(x);
    default:
      return std::log(x);
  }
}

}  // namespace

void active(const char* name, Active function, Type type, void* dst, const void* a, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long size = size_of(type);
  const Description& description = kDescriptions[static_cast<std::size_t>(function)];
  const bool single = type != Type::f16;
  Limits limits = single ? description.single : description.half;
  if (type == Type::bf16) {
    limits.error = description.half.error;
  }
  call.reads(a, n * size, "src");
  call.writes(dst, n * size, "dst");
  call.apart(dst, n * size, a, n * size, kMayBeSame);
  const void* from = call.source(a, n * size, dst, n * size);
  const bool exact = machine().options().precision == Precision::exact;
  long outside = -1;
  double outside_value = 0;
  by_float(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < n; ++i) {
      const double x = static_cast<double>(wide(get<T>(from, i)));
      const bool fits = x >= limits.low && x <= limits.high && (function != Active::pow2 || x == std::trunc(x));
      if (!fits && outside < 0 && call.initialised(static_cast<const std::byte*>(a) + i * size, size)) {
        outside = i;
        outside_value = x;
      }
      const double y = evaluate(function, x, single);
      put(dst, i, narrow<T>(exact ? y : y * (1 + (i % 2 == 0 ? limits.error : -limits.error))));
    }
  });
  if (outside >= 0) {
    char text[160];
    std::snprintf(text, sizeof text, "element %ld is %g, and the function is given for %g to %g%s", outside,
                  outside_value, limits.low, limits.high, function == Active::pow2 ? ", whole numbers" : "");
    call.check(false, kDomain, text);
  }
  call.settle(dst, n, size, {{a, size, n}});
  call.count("vector_ops", static_cast<std::uint64_t>(n));
  call.count("vector_bytes", static_cast<std::uint64_t>(2 * n * size));
}

}  // namespace tqm_bang
