// Vector arithmetic, comparison, logic, functions and fusion, lane by lane.
#include <algorithm>
#include <cmath>

#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

// Toward zero, from the exact result in double.
template <class T>
T toward_zero(double exact) {
  T value = narrow<T>(exact);
  if constexpr (is_floating<T>) {
    if (std::fabs(static_cast<double>(wide(value))) > std::fabs(exact)) {
      unsigned long bits = bits_of(value);
      value = from_bits<T>(bits - 1);  // the next smaller magnitude
    }
  }
  return value;
}

template <class W>
W larger(W a, W b) {
  if constexpr (std::is_floating_point_v<W>) {
    return std::fmax(a, b);
  } else {
    return a > b ? a : b;
  }
}

template <class W>
W smaller(W a, W b) {
  if constexpr (std::is_floating_point_v<W>) {
    return std::fmin(a, b);
  } else {
    return a < b ? a : b;
  }
}

template <class W>
W nan_aware(W a, W b, bool larger_one) {
  if constexpr (std::is_floating_point_v<W>) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::numeric_limits<W>::quiet_NaN();
    }
  }
  return larger_one ? larger(a, b) : smaller(a, b);
}

// Integers wrap; those narrower than int would promote, so the result is cut back.
template <class T>
T arithmetic(Binary op, T x, T y) {
  using W = Wide<T>;
  const W a = wide(x);
  const W b = wide(y);
  if constexpr (is_floating<T>) {
    switch (op) {
      case Binary::add:
        return narrow_same<T>(a + b);
      case Binary::sub:
        return narrow_same<T>(a - b);
      case Binary::mul:
        return narrow_same<T>(a * b);
      case Binary::div:
        return narrow_same<T>(a / b);
      case Binary::rem:
        return narrow_same<T>(std::fmod(a, b));
      case Binary::hypot:
        return narrow<T>(std::hypot(static_cast<double>(a), static_cast<double>(b)));
      case Binary::add_tz:
        return toward_zero<T>(static_cast<double>(a) + b);
      case Binary::sub_tz:
        return toward_zero<T>(static_cast<double>(a) - b);
      default:
        return toward_zero<T>(static_cast<double>(a) * b);
    }
  } else {
    using U = std::make_unsigned_t<T>;
    const auto ua = static_cast<std::uint64_t>(static_cast<U>(a));
    const auto ub = static_cast<std::uint64_t>(static_cast<U>(b));
    switch (op) {
      case Binary::add:
        return static_cast<T>(ua + ub);
      case Binary::sub:
        return static_cast<T>(ua - ub);
      case Binary::mul:
        return static_cast<T>(ua * ub);
      case Binary::div:
        return b == 0 ? T{} : static_cast<T>(static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b));
      case Binary::rem:
        return b == 0 ? T{} : static_cast<T>(static_cast<std::int64_t>(a) % static_cast<std::int64_t>(b));
      case Binary::shift_left:
        return ub >= sizeof(T) * 8 ? T{} : static_cast<T>(ua << ub);
      default:
        return ub >= sizeof(T) * 8 ? T{} : static_cast<T>(ua >> ub);
    }
  }
}

template <class W>
bool holds(Binary op, W a, W b) {
  switch (op) {
    case Binary::eq:
      return a == b;
    case Binary::ne:
      return a != b;
    case Binary::gt:
      return a > b;
    case Binary::ge:
      return a >= b;
    case Binary::lt:
      return a < b;
    case Binary::le:
      return a <= b;
    case Binary::logical_and:
      return a != 0 && b != 0;
    case Binary::logical_or:
      return a != 0 || b != 0;
    default:
      return (a != 0) != (b != 0);
  }
}

template <class T>
T apply(Binary op, T x, T y) {
  switch (op) {
    case Binary::maximum:
      return narrow_same<T>(larger(wide(x), wide(y)));
    case Binary::minimum:
      return narrow_same<T>(smaller(wide(x), wide(y)));
    case Binary::nan_maximum:
      return narrow_same<T>(nan_aware(wide(x), wide(y), true));
    case Binary::nan_minimum:
      return narrow_same<T>(nan_aware(wide(x), wide(y), false));
    case Binary::eq:
    case Binary::ne:
    case Binary::gt:
    case Binary::ge:
    case Binary::lt:
    case Binary::le:
    case Binary::logical_and:
    case Binary::logical_or:
    case Binary::logical_xor:
      return narrow<T>(holds(op, wide(x), wide(y)) ? 1 : 0);
    case Binary::bit_and:
      return from_bits<T>(bits_of(x) & bits_of(y));
    case Binary::bit_or:
      return from_bits<T>(bits_of(x) | bits_of(y));
    case Binary::bit_xor:
      return from_bits<T>(bits_of(x) ^ bits_of(y));
    default:
      return arithmetic(op, x, y);
  }
}

template <class T>
T worst(T value, double relative, long lane) {
  return narrow<T>(static_cast<double>(wide(value)) * (1 + (lane % 2 == 0 ? relative : -relative)));
}

double evaluate(Unary op, double x) {
  switch (op) {
    case Unary::abs:
      return std::fabs(x);
    case Unary::neg:
      return -x;
    case Unary::relu:
      return x > 0 ? x : 0;
    case Unary::square:
      return x * x;
    case Unary::sqrt:
      return std::sqrt(x);
    case Unary::rsqrt:
      return 1 / std::sqrt(x);
    case Unary::recip:
      return 1 / x;
    case Unary::log2:
      return std::log2(x);
    case Unary::ln:
      return std::log(x);
    case Unary::pow2:
      return std::exp2(x);
    case Unary::exp:
      return std::exp(x);
    case Unary::sin:
      return std::sin(x);
    case Unary::cos:
      return std::cos(x);
    case Unary::tanh:
      return std::tanh(x);
    case Unary::floor:
      return std::floor(x);
    case Unary::ceil:
      return std::ceil(x);
    case Unary::trunc:
      return std::trunc(x);
    default:
      return std::round(x);
  }
}

// Functions whose result the unit rounds itself; how far off it may be is not documented. In worst mode, two units of
// the last place of a float.
bool is_function(Unary op) {
  return op >= Unary::sqrt && op <= Unary::tanh;
}
constexpr double kFunctionError = 0x1p-22;

// 3.0 documents __bang_div of the 372 as the less exact way to divide, without a figure; __bang_active_reciphp's.
constexpr double kDivisionError = 0.0004;

template <class T>
T apply(Unary op, T x, long lane) {
  switch (op) {
    case Unary::logical_not:
      return narrow<T>(wide(x) == 0 ? 1 : 0);
    case Unary::bit_not:
      return from_bits<T>(~bits_of(x));
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    const auto value = static_cast<std::int64_t>(x);
    return static_cast<T>(op == Unary::abs ? (value < 0 ? -value : value) : op == Unary::neg ? -value : value);
  } else {
    const T value = narrow<T>(evaluate(op, static_cast<double>(wide(x))));
    return is_function(op) && machine().options().precision == Precision::worst ? worst(value, kFunctionError, lane)
                                                                                : value;
  }
}

// What a mask makes of lanes that nobody has written: `and` and `or` with known bits either decide a lane alone, zeros
// under and, ones under or, or leave the other operand's lane as it is.
class Masked {
 public:
  Masked(Binary op, long size) : and_(op == Binary::bit_and), size_(size) {}

  // Before anything is written: flags of a lane of the result, from the lanes of both operands.
  void add(const void* a, const void* b) {
    std::uint8_t flag = 0;
    if (decides(a) || decides(b) || (known(a) && known(b))) {
      flag = kInitialised;
    } else if (passes(a)) {
      flag = kept(b);
    } else if (passes(b)) {
      flag = kept(a);
    }
    lanes_.push_back(flag);
  }
  void settle(Call& call, void* dst) const {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      auto* lane = static_cast<std::byte*>(dst) + static_cast<long>(i) * size_;
      call.settle(lane, size_, lanes_[i] == kInitialised);
      std::uint8_t* flags = machine().arena().flags(lane);
      for (long byte = 0; lanes_[i] == kOfTheCard && byte < size_; ++byte) {
        flags[byte] = static_cast<std::uint8_t>(flags[byte] | kOfTheCard);
      }
    }
  }

 private:
  bool all(const void* lane, std::uint8_t byte) const {
    const auto* bytes = static_cast<const std::uint8_t*>(lane);
    return std::all_of(bytes, bytes + size_, [&](std::uint8_t one) { return one == byte; });
  }
  bool flagged(const void* lane, std::uint8_t flag) const { return first_without(lane, size_, flag) == size_; }
  bool known(const void* lane) const { return flagged(lane, kInitialised); }
  bool decides(const void* lane) const { return all(lane, and_ ? 0 : 0xff) && known(lane); }
  bool passes(const void* lane) const { return all(lane, and_ ? 0xff : 0) && known(lane); }
  std::uint8_t kept(const void* lane) const {
    return flagged(lane, kOfTheCard) ? std::uint8_t{kOfTheCard} : std::uint8_t{0};
  }

  bool and_;
  long size_;
  std::vector<std::uint8_t> lanes_;
};

}  // namespace

void binary(const char* name, Binary op, Type type, void* dst, const void* a, const void* b, long n, long cycle) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements") ||
      !call.positive(cycle, "the number of elements of seg")) {
    return;
  }
  const long size = size_of(type);
  call.check(n % cycle == 0, kArgument,
             std::to_string(n) + " elements of src are no multiple of " + std::to_string(cycle) + " of seg");
  call.reads(a, n * size, cycle == n ? "src0" : "src");
  call.reads(b, cycle * size, cycle == n ? "src1" : "seg");
  call.writes(dst, n * size, "dst");
  call.apart(dst, n * size, a, n * size, kMayBeSame);
  call.apart(dst, n * size, b, cycle * size, cycle == n);
  const void* from_a = call.source(a, n * size, dst, n * size);
  const void* from_b = call.source(b, cycle * size, dst, n * size);
  const bool masks = (op == Binary::bit_and || op == Binary::bit_or) &&
                     !(call.initialised(a, n * size) && call.initialised(b, cycle * size));
  Masked lanes(op, size);
  for (long i = 0; masks && i < n; ++i) {
    lanes.add(static_cast<const std::byte*>(a) + i * size, static_cast<const std::byte*>(b) + i % cycle * size);
  }
  const bool rough =
      op == Binary::div && std::string_view(name) == "__bang_div" && machine().options().precision == Precision::worst;
  by_type(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0, j = 0; i < n; ++i, j = j + 1 == cycle ? 0 : j + 1) {
      const T value = apply(op, get<T>(from_a, i), get<T>(from_b, j));
      put(dst, i, rough && is_floating<T> ? worst(value, kDivisionError, i) : value);
    }
  });
  if (masks) {
    lanes.settle(call, dst);
  } else {
    call.settle(dst, n, size, {{a, size, n}, {b, size, cycle}});
  }
  call.count("vector_ops", static_cast<std::uint64_t>(n));
  call.count("vector_bytes", static_cast<std::uint64_t>((2 * n + cycle) * size));
}

void binary_scalar(const char* name, Binary op, Type type, void* dst, const void* a, unsigned long b, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long size = size_of(type);
  call.reads(a, n * size, "src");
  call.writes(dst, n * size, "dst");
  call.apart(dst, n * size, a, n * size, kMayBeSame);
  const void* from = call.source(a, n * size, dst, n * size);
  by_type(type, [&](auto sample) {
    using T = decltype(sample);
    const T value = from_bits<T>(b);
    for (long i = 0; i < n; ++i) {
      put(dst, i, apply(op, get<T>(from, i), value));
    }
  });
  call.settle(dst, n, size, {{a, size, n}});
  call.count("vector_ops", static_cast<std::uint64_t>(n));
  call.count("vector_bytes", static_cast<std::uint64_t>(2 * n * size));
}

void unary(const char* name, Unary op, Type type, void* dst, const void* a, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long size = size_of(type);
  call.reads(a, n * size, "src");
  call.writes(dst, n * size, "dst");
  // Rounding to whole numbers forbids dst to be src; the others allow it.
  call.apart(dst, n * size, a, n * size, op != Unary::floor && op != Unary::round);
  const void* from = call.source(a, n * size, dst, n * size);
  by_type(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < n; ++i) {
      put(dst, i, apply(op, get<T>(from, i), i));
    }
  });
  call.settle(dst, n, size, {{a, size, n}});
  call.count("vector_ops", static_cast<std::uint64_t>(n));
  call.count("vector_bytes", static_cast<std::uint64_t>(2 * n * size));
}

void compare_bits(const char* name, Binary op, Type type, void* dst, const void* a, const void* b, long n) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long size = size_of(type);
  call.check(n % 8 == 0, kAlignment, std::to_string(n) + " elements: their number must be a multiple of 8");
  const long bytes = (n + 7) / 8;
  call.reads(a, n * size, "src0");
  call.reads(b, n * size, "src1");
  call.writes(dst, bytes, "dst");
  std::vector<std::uint8_t> result(static_cast<std::size_t>(bytes), 0);
  by_float(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < n; ++i) {
      const bool set = holds(op, wide(get<T>(a, i)), wide(get<T>(b, i)));
      result[static_cast<std::size_t>(i / 8)] =
          static_cast<std::uint8_t>(result[static_cast<std::size_t>(i / 8)] | (set ? 1u << (i % 8) : 0u));
    }
  });
  call.settle(dst, bytes, 1, {{a, size, n, 8}, {b, size, n, 8}});
  std::memcpy(dst, result.data(), result.size());
  call.count("vector_ops", static_cast<std::uint64_t>(n));
  call.count("vector_bytes", static_cast<std::uint64_t>(2 * n * size + bytes));
}

void fusion(const char* name, int code, Type type, void* dst, const void* a, const void* b, unsigned long b_scalar,
            const void* c, unsigned long c_scalar, long n, long nb, long nc) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(n, "the number of elements")) {
    return;
  }
  const long size = size_of(type);
  call.reads(a, n * size, "src0");
  call.writes(dst, n * size, "dst");
  call.apart(dst, n * size, a, n * size, kMayBeSame);
  for (const auto& [vector, elements, which] : {std::tuple{b, nb, "src1"}, std::tuple{c, nc, "src2"}}) {
    if (vector != nullptr) {
      call.check(elements > 0 && n % elements == 0, kArgument,
                 std::to_string(n) + " elements are no multiple of " + std::to_string(elements) + " of " + which);
      call.reads(vector, elements * size, which);
      call.apart(dst, n * size, vector, elements * size, elements == n);
    }
  }
  const void* from_a = call.source(a, n * size, dst, n * size);
  const void* from_b = b == nullptr ? nullptr : call.source(b, nb * size, dst, n * size);
  const void* from_c = c == nullptr ? nullptr : call.source(c, nc * size, dst, n * size);
  const bool one_rounding = machine().options().precision == Precision::worst;
  by_float(type, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < n; ++i) {
      const float x = wide(get<T>(from_a, i));
      const float y = wide(from_b == nullptr ? from_bits<T>(b_scalar) : get<T>(from_b, i % nb));
      const float z = wide(from_c == nullptr ? from_bits<T>(c_scalar) : get<T>(from_c, i % nc));
      // FMA, FMS, FAM, FSM, FAA, FAS, FSS, FSA
      const bool first_adds = code == 2 || code == 4 || code == 5;
      const double exact = code <= 1 ? static_cast<double>(x) * y : static_cast<double>(x) + (first_adds ? y : -y);
      const double first = one_rounding ? exact : static_cast<double>(wide(narrow<T>(exact)));
      const bool multiplies = code == 2 || code == 3;
      const bool adds = code == 0 || code == 4 || code == 7;
      put(dst, i, narrow<T>(multiplies ? first * z : adds ? first + z : first - z));
    }
  });
  call.settle(dst, n, size, {{a, size, n}, {b, size, nb}, {c, size, nc}});
  call.count("vector_ops", static_cast<std::uint64_t>(2 * n));
  call.count("vector_bytes", static_cast<std::uint64_t>(4 * n * size));
}

}  // namespace tqm_bang
