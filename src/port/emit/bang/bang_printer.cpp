#include "port/emit/bang/bang_printer.hpp"

#include <array>
#include <map>
#include <string_view>

#include "port/emit/bang/fragments.hpp"
#include "port/emit/bang/lane_totals.hpp"
#include "port/ir/build.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port::emit {

using ir::Expr;
using ir::Index;
using ir::Op;
using ir::Scalar;
using ir::Stmt;
using ir::Storage;

namespace {

bool is_bfloat(const ir::TypeRef& type) {
  return ir::is_scalar(type) && type->scalar == Scalar::bf16;
}

// The C library's name of a function of float.
const std::map<std::string_view, std::string_view>& library_names() {
  static const std::map<std::string_view, std::string_view> names = {
      {"sqrt", "sqrtf"},         {"cbrt", "cbrtf"},      {"exp", "expf"},
      {"exp2", "exp2f"},         {"expm1", "expm1f"},    {"log", "logf"},
      {"log2", "log2f"},         {"log10", "log10f"},    {"log1p", "log1pf"},
      {"sin", "sinf"},           {"cos", "cosf"},        {"tan", "tanf"},
      {"asin", "asinf"},         {"acos", "acosf"},      {"atan", "atanf"},
      {"atan2", "atan2f"},       {"sinh", "sinhf"},      {"cosh", "coshf"},
      {"tanh", "tanhf"},         {"asinh", "asinhf"},    {"acosh", "acoshf"},
      {"atanh", "atanhf"},       {"erf", "erff"},        {"erfc", "erfcf"},
      {"lgamma", "lgammaf"},     {"tgamma", "tgammaf"},  {"pow", "powf"},
      {"hypot", "hypotf"},       {"fmod", "fmodf"},      {"remainder", "remainderf"},
      {"copysign", "copysignf"}, {"fdim", "fdimf"},      {"floor", "floorf"},
      {"ceil", "ceilf"},         {"trunc", "truncf"},    {"round", "roundf"},
      {"rint", "rintf"},         {"fmin", "fminf"},      {"fmax", "fmaxf"},
      {"fma", "fmaf"},           {"abs", "fabsf"},       {"fast_exp", "expf"},
      {"fast_log", "logf"},      {"fast_log2", "log2f"}, {"fast_log10", "log10f"},
      {"fast_sin", "sinf"},      {"fast_cos", "cosf"},   {"fast_tan", "tanf"},
      {"fast_pow", "powf"},      {"fast_tanh", "tanhf"},
  };
  return names;
}

struct Helper {
  std::string_view name, text;
};

constexpr Helper kHelpers[] = {
    {"smaller", "template <class T>\n__mlu_func__ T smaller(T a, T b) {\n  return b < a ? b : a;\n}\n"},
    {"larger", "template <class T>\n__mlu_func__ T larger(T a, T b) {\n  return a < b ? b : a;\n}\n"},
    {"absolute", "template <class T>\n__mlu_func__ T absolute(T a) {\n  return a < 0 ? -a : a;\n}\n"},
    {"bits_of",
     "template <class To, class From>\n__mlu_func__ To bits_of(From value) {\n  union {\n    From from;\n    To to;\n  "
     "} "
     "both;\n  both.from = value;\n  return both.to;\n}\n"},
    {"to_bfloat16",
     "__mlu_func__ bfloat16_t to_bfloat16(float x) {\n  const uint32_t bits = bits_of<uint32_t>(x);\n  if (x != x) "
     "return "
     "bits_of<bfloat16_t>((uint16_t)0x7fff);\n  return bits_of<bfloat16_t>((uint16_t)((bits + 0x7fff + ((bits >> 16) & "
     "1)) >> "
     "16));\n}\n"},
    {"from_bfloat16",
     "__mlu_func__ float from_bfloat16(bfloat16_t x) {\n  return bits_of<float>((uint32_t)bits_of<uint16_t>(x) << "
     "16);\n}\n"},
    {"is_nan", "__mlu_func__ bool is_nan(float x) {\n  return x != x;\n}\n"},
    {"is_infinite", "__mlu_func__ bool is_infinite(float x) {\n  return x == x && fabsf(x) > 3.4028234e38f;\n}\n"},
    {"saturated", "__mlu_func__ float saturated(float x) {\n  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;\n}\n"},
    {"count_bits",
     "template <class T>\n__mlu_func__ int count_bits(T value) {\n  uint64_t rest = sizeof(T) == 8 ? (uint64_t)value : "
     "(uint64_t)(uint32_t)value;\n  int count = 0;\n  for (; rest != 0; rest &= rest - 1) ++count;\n  return "
     "count;\n}\n"},
    {"leading_zeros",
     "template <class T>\n__mlu_func__ int leading_zeros(T value) {\n  const int bits = (int)sizeof(T) * 8;\n  for "
     "(int i = 0; i "
     "< bits; ++i)\n    if (((uint64_t)value >> (bits - 1 - i)) & 1) return i;\n  return bits;\n}\n"},
    {"first_set",
     "template <class T>\n__mlu_func__ int first_set(T value) {\n  const int bits = (int)sizeof(T) * 8;\n  for (int i "
     "= 0; i < "
     "bits; ++i)\n    if (((uint64_t)value >> i) & 1) return i + 1;\n  return 0;\n}\n"},
    {"reversed_bits",
     "template <class T>\n__mlu_func__ T reversed_bits(T value) {\n  T out = 0;\n  for (int i = 0; i < (int)sizeof(T) "
     "* 8; "
     "++i) out = (T)((out << 1) | ((value >> i) & 1));\n  return out;\n}\n"},
    {"multiply_high",
     "template <class T>\n__mlu_func__ T multiply_high(T a, T b) {\n  const bool is_signed = (T)-1 < (T)0;\n  return "
     "is_signed ? (T)(((int64_t)a * (int64_t)b) >> 32) : (T)(((uint64_t)(uint32_t)a * (uint64_t)(uint32_t)b) >> "
     "32);\n}\n"},
    {"permuted_bytes",
     "__mlu_func__ uint32_t permuted_bytes(uint32_t x, uint32_t y, uint32_t selector) {\n  const uint64_t both = "
     "((uint64_t)y << 32) | x;\n  uint32_t out = 0;\n  for (int i = 0; i < 4; ++i) {\n    const uint32_t pick = "
     "(selector >> (4 * "
     "i)) & 0xf;\n    uint32_t byte = (uint32_t)(both >> (8 * (pick & 7))) & 0xff;\n    if (pick & 8) byte = byte & "
     "0x80 ? 0xff : "
     "0;\n    out |= byte << (8 * i);\n  }\n  return out;\n}\n"},
    {"funnel_left",
     "__mlu_func__ uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t by) {\n  const uint64_t both = "
     "((uint64_t)high "
     "<< 32) | low;\n  return (uint32_t)((both << (by & 31)) >> 32);\n}\n"},
    {"funnel_right",
     "__mlu_func__ uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t by) {\n  const uint64_t both = "
     "((uint64_t)high << 32) | low;\n  return (uint32_t)(both >> (by & 31));\n}\n"},
    {"difference_and_sum",
     "template <class T>\n__mlu_func__ uint32_t difference_and_sum(T a, T b, uint32_t c) {\n  return (a < b ? "
     "(uint32_t)b - "
     "(uint32_t)a : (uint32_t)a - (uint32_t)b) + c;\n}\n"},
    {"nearest_int",
     "__mlu_func__ int nearest_int(float x) {\n  if (x != x) return 0;\n  const float r = rintf(x);\n  if (r >= "
     "2147483648.0f) "
     "return 2147483647;\n  if (r < -2147483648.0f) return -2147483647 - 1;\n  return (int)r;\n}\n"},
    {"nearest_uint",
     "__mlu_func__ uint32_t nearest_uint(float x) {\n  const float r = rintf(x);\n  if (!(r > 0.0f)) return 0;\n  if "
     "(r >= "
     "4294967296.0f) return 4294967295u;\n  return (uint32_t)r;\n}\n"},
};

std::string plain_atomic(const std::string& name) {
  static const std::map<std::string_view, std::string_view> values = {
      {"add", "old + value"},
      {"sub", "old - value"},
      {"min", "value < old ? value : old"},
      {"max", "old < value ? value : old"},
      {"and", "old & value"},
      {"or", "old | value"},
      {"xor", "old ^ value"},
      {"exchange", "value"},
      {"increment", "old >= value ? (T)0 : (T)(old + 1)"},
      {"decrement", "old == 0 || old > value ? value : (T)(old - 1)"},
  };
  if (name == "compare_exchange")
    return "template <class T>\n__mlu_func__ T plain_compare_exchange(T* place, T expected, T value) {\n  const T old "
           "= "
           "*place;\n  if (old == expected) *place = value;\n  return old;\n}\n";
  const auto found = values.find(name);
  return "template <class T>\n__mlu_func__ T plain_" + name +
         "(T* place, T value) {\n  const T old = *place;\n  *place = (T)(" + std::string(found->second) +
         ");\n  return old;\n}\n";
}

std::string bang_atomic_name(const std::string& name) {
  static const std::map<std::string_view, std::string_view> names = {
      {"add", "add"},
      {"min", "min"},
      {"max", "max"},
      {"and", "and"},
      {"or", "or"},
      {"xor", "xor"},
      {"exchange", "exch"},
      {"increment", "inc"},
      {"decrement", "dec"},
      {"sub", "add"},
      {"compare_exchange", "cas"},
  };
  return std::string(names.at(name));
}

std::string global_atomic(const std::string& name) {
  const std::string bang = bang_atomic_name(name);
  if (name == "compare_exchange")
    return "template <class T>\n__mlu_func__ T atomic_compare_exchange(T* scratch, T* place, T expected, T value) {\n  "
           "__bang_atomic_cas(scratch, place, expected, value);\n  return *scratch;\n}\n";
  return "template <class T>\n__mlu_func__ T atomic_" + name + "(T* scratch, T* place, T value) {\n  __bang_atomic_" +
         bang + "(scratch, place, " + (name == "sub" ? "(T)-value" : "value") + ", 1);\n  return *scratch;\n}\n";
}

}  // namespace

std::string helper_text(const std::set<std::string>& names) {
  std::string out;
  for (const auto& helper : kHelpers)
    if (names.contains(std::string(helper.name)) && !helper.text.empty()) out += std::string(helper.text) + "\n";
  out += fragment_text(names) + lane_total_text(names);
  for (const auto& name : names) {
    if (name.starts_with("plain_")) out += plain_atomic(name.substr(6)) + "\n";
    if (name.starts_with("atomic_")) out += global_atomic(name.substr(7)) + "\n";
  }
  return out;
}

std::string BangPrinter::index_text(const Expr& expr) {
  const auto fixed = [](int value) { return std::to_string(value) + "u"; };
  switch (expr.index) {
    case Index::block_dim_x:
      return shape_.x > 0 ? "kBlockX" : "block_dim_x";
    case Index::block_dim_y:
      return shape_.flat ? fixed(1) : shape_.y > 0 ? "kBlockY" : "block_dim_y";
    case Index::block_dim_z:
      return shape_.flat ? fixed(1) : shape_.z > 0 ? "kBlockZ" : "block_dim_z";
    case Index::thread_y:
      return shape_.flat || shape_.y == 1 ? fixed(0) : "thread_y";
    case Index::thread_z:
      return shape_.flat || shape_.z == 1 ? fixed(0) : "thread_z";
    case Index::thread_linear:
      return shape_.flat || (shape_.y == 1 && shape_.z == 1) ? "thread_x" : "thread";
    case Index::threads: {
      std::string product = index_text(*ir::index(Index::block_dim_x));
      for (const Index axis : {Index::block_dim_y, Index::block_dim_z})
        if (const std::string size = index_text(*ir::index(axis)); size != "1u") product += " * " + size;
      return product.find('*') == std::string::npos ? product : "(" + product + ")";
    }
    case Index::warp_size:
      return "32";
    default:
      return Printer::index_text(expr);
  }
}

std::string BangPrinter::variable_text(const Expr& expr) {
  const ir::Variable& variable = *expr.variable;
  if (variable.storage == Storage::thread_array)
    return variable.name + "[" + index_text(*ir::index(Index::thread_linear)) + "]";
  const bool symbol = variable.storage == Storage::device || variable.storage == Storage::constant;
  if (symbol && !ir::is_array(variable.type) && !variable.symbol.empty()) return "(*" + variable.name + ")";
  return variable.name;
}

std::string BangPrinter::binary_text(const Expr& expr, int outer) {
  // bfloat16 arithmetic: in float, rounded once; the result is the same, and every toolchain has it.
  if ((is_bfloat(expr.args[0]->type) || is_bfloat(expr.args[1]->type)) && expr.op >= Op::multiply &&
      expr.op <= Op::not_equal) {
    std::vector<ir::ExprRef> args;
    for (const auto& arg : expr.args) args.push_back(is_bfloat(arg->type) ? ir::cast(ir::float_type(), arg) : arg);
    const auto wide = ir::binary(expr.op, args[0], args[1]);
    return text(is_bfloat(expr.type) ? ir::cast(expr.type, wide) : wide, outer);
  }
  return Printer::binary_text(expr, outer);
}

std::string BangPrinter::assign_text(const Expr& expr, int outer) {
  if (expr.op != Op::none && is_bfloat(expr.args[0]->type)) {
    const auto wide = ir::binary(expr.op, expr.args[0], expr.args[1]);
    return Printer::assign_text(*ir::assign(expr.args[0], ir::cast(expr.args[0]->type, wide)), outer);
  }
  return Printer::assign_text(expr, outer);
}

// A bfloat16 is the upper half of a float; made of bits, since no source shows the toolchain's own conversions of one.
std::string BangPrinter::cast_text(const Expr& expr, int outer) {
  const ir::ExprRef& value = expr.args[0];
  if (is_bfloat(expr.type) && ir::is_scalar(value->type)) {
    helpers_.insert("bits_of");
    helpers_.insert("to_bfloat16");
    return "to_bfloat16(" + text(ir::cast(ir::float_type(), value)) + ")";
  }
  if (is_bfloat(value->type) && ir::is_scalar(expr.type)) {
    helpers_.insert("bits_of");
    helpers_.insert("from_bfloat16");
    const std::string wide = "from_bfloat16(" + text(value) + ")";
    return expr.type->scalar == Scalar::f32 ? wide : "(" + ir::scalar_text(expr.type->scalar) + ")" + wide;
  }
  return Printer::cast_text(expr, outer);
}

std::string BangPrinter::helper(const std::string& name, const Expr& expr) {
  helpers_.insert(name);
  return name + "(" + args_text(expr.args) + ")";
}

std::string BangPrinter::math(const Expr& expr) {
  const std::string& name = expr.name;
  const bool small = ir::is_floating(expr.args[0]->type) && expr.args[0]->type->scalar != Scalar::f32;
  if (small && ir::is_floating(expr.type)) {
    // Sixteen bits: in float, rounded at the end.
    std::vector<ir::ExprRef> wide;
    for (const auto& arg : expr.args)
      wide.push_back(ir::is_floating(arg->type) ? ir::cast(ir::float_type(), arg) : arg);
    return text(ir::cast(expr.type, ir::intrinsic(name, ir::float_type(), wide)), 14);
  }
  if (name == "rsqrt") return "(1.0f / sqrtf(" + text(expr.args[0]) + "))";
  if (name == "exp10" || name == "fast_exp10") return "powf(10.0f, " + text(expr.args[0], 2) + ")";
  if (name == "fast_divide") return "(" + text(expr.args[0], 13) + " / " + text(expr.args[1], 14) + ")";
  if (name == "sinpi") return "sinf(3.14159265f * " + text(expr.args[0], 14) + ")";
  if (name == "cospi") return "cosf(3.14159265f * " + text(expr.args[0], 14) + ")";
  if (name == "normcdf") return "(0.5f * erfcf(-0.70710678f * " + text(expr.args[0], 14) + "))";
  if (name == "ldexp") return "(" + text(expr.args[0], 13) + " * exp2f((float)" + text(expr.args[1], 14) + "))";
  if (name == "saturate") return helper("saturated", expr);
  if (name == "isnan") return helper("is_nan", expr);
  if (name == "isinf") return helper("is_infinite", expr);
  if (name == "isfinite") {
    helpers_.insert("is_infinite");
    helpers_.insert("is_nan");
    return "(!is_nan(" + text(expr.args[0]) + ") && !is_infinite(" + text(expr.args[0]) + "))";
  }
  if (name == "signbit") {
    helpers_.insert("bits_of");
    return "(bits_of<int>(" + text(expr.args[0]) + ") < 0)";
  }
  if (name == "float_to_int") return helper("nearest_int", expr);
  if (name == "float_to_uint") return helper("nearest_uint", expr);
  if (name == "float_floor_int") return "(int)floorf(" + text(expr.args[0]) + ")";
  if (name == "float_ceil_int") return "(int)ceilf(" + text(expr.args[0]) + ")";
  if (name == "min" || name == "max") {
    const std::string chosen = name == "min" ? "smaller" : "larger";
    helpers_.insert(chosen);
    return chosen + "<" + ir::scalar_text(expr.type->scalar) + ">(" + args_text(expr.args) + ")";
  }
  if (name == "abs" && !ir::is_floating(expr.type)) {
    helpers_.insert("absolute");
    return "absolute<" + ir::scalar_text(expr.type->scalar) + ">(" + args_text(expr.args) + ")";
  }
  const auto found = library_names().find(name);
  if (found == library_names().end()) {
    refusals_.push_back(
        {2011, ir::Remark::Severity::refusal, expr.line, "the function " + name + " has no counterpart"});
    return "0";
  }
  std::string call = std::string(found->second) + "(" + args_text(expr.args) + ")";
  if (ir::is_integer(expr.type)) return "(" + ir::scalar_text(expr.type->scalar) + ")" + call;
  return call;
}

std::string BangPrinter::intrinsic_text(const Expr& expr) {
  if (expr.name.starts_with("bang.") && is_lane_total(expr.name.substr(5))) helpers_.insert(expr.name.substr(5));
  if (expr.name.starts_with("bang.")) return expr.name.substr(5) + "(" + args_text(expr.args) + ")";
  const ir::IntrinsicInfo* info = ir::find_intrinsic(expr.name);
  if (info != nullptr && info->group == ir::IntrinsicGroup::math) return math(expr);
  if (ir::is_atomic(expr.name)) return atomic(expr, true);
  if (is_fragment_helper(expr.name)) return fragment(expr);
  if (expr.name == "bits_of") {
    helpers_.insert("bits_of");
    return "bits_of<" + ir::type_text(ir::with_constant(expr.type, false)) + ">(" + args_text(expr.args) + ")";
  }
  static const std::map<std::string_view, std::string_view> bits = {
      {"popcount", "count_bits"},
      {"count_leading_zeros", "leading_zeros"},
      {"find_first_set", "first_set"},
      {"reverse_bits", "reversed_bits"},
      {"multiply_high", "multiply_high"},
      {"byte_permute", "permuted_bytes"},
      {"funnel_left", "funnel_left"},
      {"funnel_right", "funnel_right"},
      {"sum_abs_diff", "difference_and_sum"},
  };
  if (expr.name == "multiply_high" && ir::size_of(expr.type) == 8)
    refusals_.push_back({2011, ir::Remark::Severity::refusal, expr.line, "the high half of a product of 64 bits"});
  if (const auto found = bits.find(expr.name); found != bits.end()) return helper(std::string(found->second), expr);
  refusals_.push_back(
      {2011, ir::Remark::Severity::refusal, expr.line, "the call " + expr.name + " has no counterpart"});
  return "0";
}

std::string BangPrinter::fragment(const Expr& expr) {
  std::string name = expr.name;
  std::vector<ir::ExprRef> args = expr.args;
  if (name == "fragment_load" || name == "fragment_store") {
    const Space space = spaces_ == nullptr ? Space::unknown : spaces_->of(args[1]);
    if (space != Space::global && space != Space::on_chip)
      refusals_.push_back({2011, ir::Remark::Severity::refusal, expr.line,
                           "a wmma fragment at a place that may be shared or global memory"});
    if (space == Space::on_chip) name += "_near";
    const bool across = args[3]->value != 0;
    args.pop_back();
    if (across) name += "_across";
    helpers_.insert(name);
    return name + "(" + args_text(args) + (across ? ", fragment_space)" : ")");
  }
  helpers_.insert(name);
  return name + "(" + args_text(args) + (name == "fragment_multiply" ? ", fragment_space, fragment_weights)" : ")");
}

std::string BangPrinter::atomic(const Expr& expr, bool wants_old) {
  const std::string name = expr.name.substr(7);
  const Space space = spaces_ == nullptr ? Space::unknown : spaces_->of(expr.args[0]);
  const std::string type = ir::scalar_text(expr.type->scalar);
  std::string values;
  for (std::size_t i = 1; i < expr.args.size(); ++i) values += ", " + text(ir::cast(expr.type, expr.args[i]), 2);
  const std::string place = text(expr.args[0], 2);
  if (space == Space::on_chip) {  // of one core: nobody comes between
    helpers_.insert("plain_" + name);
    return "plain_" + name + "<" + type + ">(" + place + values + ")";
  }
  if (ir::size_of(expr.type) == 8 || ir::size_of(expr.type) == 1) {
    refusals_.push_back({2016, ir::Remark::Severity::refusal, expr.line,
                         "an atomic of " + type + ": the chip has those of 16 and 32 bits"});
    return "0";
  }
  if (space != Space::global)
    refusals_.push_back(
        {2016, ir::Remark::Severity::refusal, expr.line, "an atomic at a place that may be shared or global memory"});
  if (!wants_old && name != "compare_exchange") {
    const std::string value = name == "sub" ? "(" + type + ")-" + text(ir::cast(expr.type, expr.args[1]), 14)
                                            : text(ir::cast(expr.type, expr.args[1]), 2);
    return "__bang_atomic_reduce_" + bang_atomic_name(name) + "(" + place + ", " + value + ", 1)";
  }
  helpers_.insert("atomic_" + name);
  return "atomic_" + name + "<" + type + ">((" + type + "*)atomic_old, " + place + values + ")";
}

void BangPrinter::evaluate(const Stmt& stmt, int indent, std::string& out) {
  const Expr& value = *stmt.value;
  if (value.kind == Expr::Kind::intrinsic && ir::is_atomic(value.name)) {
    out += blanks(indent) + atomic(value, false) + ";\n";
    return;
  }
  if (value.kind == Expr::Kind::intrinsic && value.name == "trap") return;
  Printer::evaluate(stmt, indent, out);
}

void BangPrinter::thread_loop(const Stmt& stmt, int indent, std::string& out) {
  const bool flat_y = shape_.flat || shape_.y == 1, flat_z = shape_.flat || shape_.z == 1;
  int depth = indent;
  std::string close;
  const auto open = [&](const std::string& axis, const std::string& bound) {
    out += blanks(depth) + "for (uint32_t thread_" + axis + " = 0; thread_" + axis + " < " + bound + "; ++thread_" +
           axis + ") {\n";
    close = blanks(depth) + "}\n" + close;
    ++depth;
  };
  if (!flat_z) open("z", shape_.z > 0 ? "kBlockZ" : "block_dim_z");
  if (!flat_y) open("y", shape_.y > 0 ? "kBlockY" : "block_dim_y");
  if (!stmt.unrolled) open("x", shape_.x > 0 ? "kBlockX" : "block_dim_x");
  const auto linear = [](const Expr& expr) {
    return (expr.kind == Expr::Kind::index && expr.index == Index::thread_linear) ||
           (expr.variable && expr.variable->storage == Storage::thread_array && expr.kind == Expr::Kind::variable);
  };
  if (!stmt.unrolled && (!flat_y || !flat_z) && (ir::any_expr(stmt.body, linear) || ir::any_expr(stmt.value, linear))) {
    const std::string y = flat_y ? "" : "thread_y", dim_y = flat_y ? "1" : shape_.y > 0 ? "kBlockY" : "block_dim_y";
    std::string row = flat_z ? y : flat_y ? "thread_z" : "(thread_z * " + dim_y + " + thread_y)";
    out += blanks(depth) + "const uint32_t thread = " + row + " * " + (shape_.x > 0 ? "kBlockX" : "block_dim_x") +
           " + thread_x;\n";
  }
  if (stmt.unrolled && depth == indent) {  // a scope of its own
    out += blanks(depth) + "{\n";
    close = blanks(depth) + "}\n" + close;
    ++depth;
  }
  if (stmt.value) {
    out += blanks(depth) + "if (" + text(stmt.value) + ")";
    body(stmt.body, depth, out);
  } else {
    stmts(stmt.body, depth, out);
  }
  out += close;
}

}  // namespace tqm::port::emit
