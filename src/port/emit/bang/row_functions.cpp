// Functions of the vector unit, each as exact as float allows: exp and tanh are put together from exact steps, since
// the table functions (active_*) are wrong by up to one per cent.
#include <iterator>

#include "port/emit/bang/row_vectoriser.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::ExprRef;
using ir::Stmts;
using Kind = LaneValue::Kind;

LaneValue RowVectoriser::function(const Expr& expr, const Active& active, Stmts& out, const ExprRef& into) {
  std::vector<LaneValue> args;
  bool uniform = true, moves = false;
  for (const auto& arg : expr.args) {
    args.push_back(value(arg, active, out));
    if (!args.back().known() || args.back().kind == Kind::mask) return {};
    uniform = uniform && args.back().kind == Kind::uniform;
    moves = moves || args.back().kind == Kind::affine;
  }
  if (uniform) {
    std::vector<ExprRef> scalars;
    for (const auto& arg : args) scalars.push_back(arg.scalar);
    Expr copy = expr;
    copy.args = std::move(scalars);
    return uniform_value(std::make_shared<const Expr>(std::move(copy)));
  }
  if (moves || !ir::is_scalar(expr.type) || expr.type->scalar != ir::Scalar::f32) return {};
  if (expr.name == "pow" || expr.name == "fast_pow") return power(args, active, out);
  for (auto& arg : args) {
    arg = in_vector(arg, expr.type, active, out);
    if (arg.kind != Kind::vector) return {};
  }
  const std::string& name = expr.name;
  if (name == "sqrt") return unary_call("__bang_sqrt", args[0], active, out, into);
  if (name == "rsqrt") return unary_call("__bang_rsqrt", args[0], active, out, into);
  if (name == "abs") return unary_call("__bang_abs", args[0], active, out, into);
  if (name == "sin" || name == "fast_sin") return unary_call("__bang_sin", args[0], active, out, into);
  if (name == "cos" || name == "fast_cos") return unary_call("__bang_cos", args[0], active, out, into);
  if (name == "floor") return unary_call("__bang_floor", args[0], active, out);  // not in place
  if (name == "exp2") return unary_call("__bang_pow2", args[0], active, out, into);
  if (name == "log2" || name == "fast_log2") return unary_call("__bang_log", args[0], active, out, into);
  if (name == "log" || name == "fast_log")
    return scalar_call("__bang_mul_scalar", unary_call("__bang_log", args[0], active, out),
                       ir::real(0.69314718055994531), active, out, into);
  if (name == "fmax") return binary_call("__bang_maximum", args[0], args[1], active, out);
  if (name == "fmin") return binary_call("__bang_minimum", args[0], args[1], active, out);
  if (name == "fma")
    return binary_call("__bang_add", binary_call("__bang_mul", args[0], args[1], active, out), args[2], active, out,
                       into);
  if (name == "exp" || name == "fast_exp") return exponential(args[0], active, out);
  if (name == "tanh" || name == "fast_tanh") return hyperbolic_tangent(args[0], active, out);
  if (name == "erf") return error_function(args[0], active, out);
  return {};
}

// x^2, x^3 and x^4 as products, x^0.5 as a root: within 2 units of the last place.
LaneValue RowVectoriser::power(const std::vector<LaneValue>& args, const Active& active, Stmts& out) {
  const LaneValue& x = args[0];
  if (args[1].kind != Kind::uniform || x.kind != Kind::vector || x.type->scalar != ir::Scalar::f32) return {};
  const Expr* exponent = args[1].scalar.get();
  while (exponent->kind == Expr::Kind::cast) exponent = exponent->args[0].get();
  double number = 0;
  if (exponent->kind == Expr::Kind::integer) number = static_cast<double>(exponent->value);
  if (exponent->kind == Expr::Kind::floating) number = exponent->real;
  if (number == 0.5) return unary_call("__bang_sqrt", x, active, out);
  if (number != 2 && number != 3 && number != 4) return {};
  const LaneValue square = binary_call("__bang_mul", x, x, active, out);
  if (number == 2) return square;
  return binary_call("__bang_mul", square, number == 3 ? x : square, active, out, square.pointer);
}

// exp(x) = 2^n · 2^(r · log2 e), n = floor(x · log2 e), r = x - n · ln 2 in two parts. x is held between -104 and 89
// first, where the result is 0 or infinity anyway, so that r is no infinity less infinity; NaN stays NaN.
LaneValue RowVectoriser::exponential(const LaneValue& x, const Active& active, Stmts& out) {
  const auto fixed = [&](double number) {
    return in_vector(uniform_value(ir::real(number)), ir::float_type(), active, out);
  };
  LaneValue held = binary_call("__bang_nan_maximum", x, fixed(-104.0), active, out);
  held = binary_call("__bang_nan_minimum", held, fixed(89.0), active, out);
  const LaneValue scaled = scalar_call("__bang_mul_scalar", held, ir::real(1.44269504088896341), active, out);
  const LaneValue whole = unary_call("__bang_floor", scaled, active, out);
  LaneValue part = scalar_call("__bang_mul_scalar", whole, ir::real(0.693145751953125), active, out, scaled.pointer);
  LaneValue rest = binary_call("__bang_sub", held, part, active, out, held.pointer);
  part = scalar_call("__bang_mul_scalar", whole, ir::real(1.42860682030941723e-6), active, out, scaled.pointer);
  rest = binary_call("__bang_sub", rest, part, active, out, held.pointer);
  rest = scalar_call("__bang_mul_scalar", rest, ir::real(1.44269504088896341), active, out, held.pointer);
  rest = unary_call("__bang_pow2", rest, active, out, held.pointer);
  const LaneValue power = unary_call("__bang_pow2", whole, active, out, whole.pointer);
  return binary_call("__bang_mul", rest, power, active, out, rest.pointer);
}

// tanh(x) = 1 - 2 / (exp(2x) + 1) away from zero; below 0.55 its series, where the difference would lose digits.
LaneValue RowVectoriser::hyperbolic_tangent(const LaneValue& x, const Active& active, Stmts& out) {
  const auto fixed = [&](double number) {
    return in_vector(uniform_value(ir::real(number)), ir::float_type(), active, out);
  };
  const LaneValue twice = scalar_call("__bang_mul_scalar", x, ir::real(2), active, out);
  LaneValue far = exponential(twice, active, out);
  far = scalar_call("__bang_add_scalar", far, ir::real(1), active, out, far.pointer);
  far = binary_call("__cn_vector_div_f32_rn", fixed(2), far, active, out);
  far = binary_call("__bang_sub", fixed(1), far, active, out);
  const LaneValue square = binary_call("__bang_mul", x, x, active, out);
  static constexpr double kTerms[] = {6404582.0 / 10854718875.0,
                                      -929569.0 / 638512875.0,
                                      21844.0 / 6081075.0,
                                      -1382.0 / 155925.0,
                                      62.0 / 2835.0,
                                      -17.0 / 315.0,
                                      2.0 / 15.0,
                                      -1.0 / 3.0};
  LaneValue near = scalar_call("__bang_mul_scalar", square, ir::real(kTerms[0]), active, out);
  for (std::size_t i = 1; i < std::size(kTerms); ++i) {
    near = scalar_call("__bang_add_scalar", near, ir::real(kTerms[i]), active, out, near.pointer);
    near = binary_call("__bang_mul", near, square, active, out, near.pointer);
  }
  near = binary_call("__bang_mul", near, x, active, out, near.pointer);
  near = binary_call("__bang_add", near, x, active, out, near.pointer);
  const LaneValue size = unary_call("__bang_abs", x, active, out);
  const LaneValue small = scalar_call("__bang_lt_scalar", size, ir::real(0.55), active, out);
  blend(far.pointer, near, small.pointer, active, out);
  return far;
}

// erf(x): below 1 as x + x p(x²); from there on, 1 - exp(q(|x|)) with x's sign, q(s) = log(erfc(s)) up to 4, where erf
// is
// 1. Both polynomials are Chebyshev fits of our own; together within 2 units of the last place.
LaneValue RowVectoriser::error_function(const LaneValue& x, const Active& active, Stmts& out) {
  static constexpr double kNear[] = {1.059526839e-06,  -1.391169863e-05, 0.0001195694652,
                                     -0.0008542670555, 0.005223785007,   -0.02686613363,
                                     0.1128379131,     -0.3761263889,    0.128379167};
  static constexpr double kFar[] = {-4.986732095e-08, 2.725839633e-06, -5.634694949e-05, 0.000651936679,
                                    -0.004943775827,  0.0268181145,    -0.1106310169,    -0.6313521459,
                                    -1.130462406,     0.0003674469848};
  const auto polynomial = [&](const auto& terms, const LaneValue& at) {
    LaneValue sum = scalar_call("__bang_mul_scalar", at, ir::real(terms[0]), active, out);
    for (std::size_t i = 1; i < std::size(terms); ++i) {
      sum = scalar_call("__bang_add_scalar", sum, ir::real(terms[i]), active, out, sum.pointer);
      if (i + 1 < std::size(terms)) sum = binary_call("__bang_mul", sum, at, active, out, sum.pointer);
    }
    return sum;
  };
  const LaneValue size = unary_call("__bang_abs", x, active, out);
  const LaneValue limit = in_vector(uniform_value(ir::real(4)), ir::float_type(), active, out);
  const LaneValue held = binary_call("__bang_nan_minimum", size, limit, active, out);
  LaneValue far = exponential(polynomial(kFar, held), active, out);
  far = scalar_call("__bang_mul_scalar", far, ir::real(-1), active, out, far.pointer);
  far = scalar_call("__bang_add_scalar", far, ir::real(1), active, out, far.pointer);
  LaneValue sign = scalar_call("__bang_lt_scalar", x, ir::real(0), active, out);
  sign = scalar_call("__bang_mul_scalar", sign, ir::real(-2), active, out, sign.pointer);
  sign = scalar_call("__bang_add_scalar", sign, ir::real(1), active, out, sign.pointer);
  far = binary_call("__bang_mul", far, sign, active, out, far.pointer);
  LaneValue near = polynomial(kNear, binary_call("__bang_mul", x, x, active, out));
  near = binary_call("__bang_mul", near, x, active, out, near.pointer);
  near = binary_call("__bang_add", near, x, active, out, near.pointer);
  const LaneValue small = scalar_call("__bang_lt_scalar", size, ir::real(1), active, out);
  blend(far.pointer, near, small.pointer, active, out);
  return far;
}

}  // namespace tqm::port::emit
