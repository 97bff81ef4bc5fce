#include "port/ir/print.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tqm::port::ir {

const char* op_text(Op op) {
  switch (op) {
    case Op::none:
      return "";
    case Op::negate:
      return "-";
    case Op::logical_not:
      return "!";
    case Op::bit_not:
      return "~";
    case Op::dereference:
      return "*";
    case Op::address:
      return "&";
    case Op::pre_increment:
    case Op::post_increment:
      return "++";
    case Op::pre_decrement:
    case Op::post_decrement:
      return "--";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::remainder:
      return "%";
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::shift_left:
      return "<<";
    case Op::shift_right:
      return ">>";
    case Op::less:
      return "<";
    case Op::greater:
      return ">";
    case Op::less_equal:
      return "<=";
    case Op::greater_equal:
      return ">=";
    case Op::equal:
      return "==";
    case Op::not_equal:
      return "!=";
    case Op::bit_and:
      return "&";
    case Op::bit_xor:
      return "^";
    case Op::bit_or:
      return "|";
    case Op::logical_and:
      return "&&";
    case Op::logical_or:
      return "||";
    case Op::comma:
      return ",";
  }
  return "";
}

int precedence(Op op) {
  switch (op) {
    case Op::comma:
      return 1;
    case Op::logical_or:
      return 4;
    case Op::logical_and:
      return 5;
    case Op::bit_or:
      return 6;
    case Op::bit_xor:
      return 7;
    case Op::bit_and:
      return 8;
    case Op::equal:
    case Op::not_equal:
      return 9;
    case Op::less:
    case Op::greater:
    case Op::less_equal:
    case Op::greater_equal:
      return 10;
    case Op::shift_left:
    case Op::shift_right:
      return 11;
    case Op::add:
    case Op::subtract:
      return 12;
    case Op::multiply:
    case Op::divide:
    case Op::remainder:
      return 13;
    default:
      return 14;
  }
}

namespace {

constexpr int kAssign = 2;
constexpr int kConditional = 3;
constexpr int kUnary = 14;
constexpr int kPostfix = 15;

std::string wrapped(std::string text, int own, int outer) {
  return own < outer ? "(" + std::move(text) + ")" : text;
}

std::string integer_text(const Expr& expr) {
  const Scalar scalar = expr.type->scalar;
  if (scalar == Scalar::boolean) return expr.value != 0 ? "true" : "false";
  if (scalar == Scalar::u64) return std::to_string(static_cast<std::uint64_t>(expr.value)) + "ull";
  if (scalar == Scalar::u32) return std::to_string(static_cast<std::uint32_t>(expr.value)) + "u";
  if (scalar == Scalar::i64) {
    if (expr.value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807ll - 1)";
    return std::to_string(expr.value) + "ll";
  }
  if (expr.value == std::numeric_limits<std::int32_t>::min()) return "(-2147483647 - 1)";
  return std::to_string(expr.value);
}

// What a reader expects around && inside ||, & inside ==, shifts inside +.
bool clearer_in_parentheses(Op outer, Op inner) {
  if (outer == Op::logical_or && inner == Op::logical_and) return true;
  const bool bits = outer == Op::bit_and || outer == Op::bit_or || outer == Op::bit_xor || outer == Op::shift_left ||
                    outer == Op::shift_right;
  return bits && precedence(inner) < kUnary;
}

}  // namespace

std::string Printer::real_text(double value, const TypeRef& type) {
  const bool single = !type || type->scalar != Scalar::f64;
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::array<char, 64> buffer{};
  const auto end = single ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value))
                          : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end.ptr);
  if (single && std::isinf(static_cast<float>(value))) return value > 0 ? "INFINITY" : "-INFINITY";
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (single) text += 'f';
  if (type && (type->scalar == Scalar::f16 || type->scalar == Scalar::bf16))
    return "(" + scalar_text(type->scalar) + ")" + text;
  return text;
}

std::string Printer::args_text(const std::vector<ExprRef>& args) {
  std::string out;
  for (const auto& arg : args) out += (out.empty() ? "" : ", ") + text(arg, kAssign);
  return out;
}

std::string Printer::index_text(const Expr& expr) {
  static constexpr std::array kNames{"thread_x",   "thread_y",    "thread_z",    "block_x",     "block_y",
                                     "block_z",    "block_dim_x", "block_dim_y", "block_dim_z", "grid_dim_x",
                                     "grid_dim_y", "grid_dim_z",  "lane",        "thread",      "threads",
                                     "place_x",    "warp_size"};
  return kNames[static_cast<std::size_t>(expr.index)];
}

std::string Printer::intrinsic_text(const Expr& expr) {
  return "@" + expr.name + "(" + args_text(expr.args) + ")";
}

std::string Printer::variable_text(const Expr& expr) {
  return expr.variable->storage == Storage::thread_array ? expr.variable->name + "[thread]" : expr.variable->name;
}

std::string Printer::element_text(const Expr& expr) {
  return expr.variable->name + "[" + text(expr.args[0]) + "]";
}

std::string Printer::call_text(const Expr& expr) {
  return expr.function->name + "(" + args_text(expr.args) + ")";
}

std::string Printer::binary_text(const Expr& expr, int outer) {
  const int own = precedence(expr.op);
  const auto side = [&](const ExprRef& arg, int needed) {
    std::string inner = text(arg, needed);
    const bool plain = arg->kind == Expr::Kind::binary && precedence(arg->op) >= needed;
    return plain && clearer_in_parentheses(expr.op, arg->op) ? "(" + inner + ")" : inner;
  };
  const std::string left = side(expr.args[0], own), right = side(expr.args[1], own + 1);
  const std::string between = expr.op == Op::comma ? ", " : std::string(" ") + op_text(expr.op) + " ";
  return wrapped(left + between + right, own, outer);
}

std::string Printer::assign_text(const Expr& expr, int outer) {
  return wrapped(text(expr.args[0], kUnary) + " " + op_text(expr.op) + "= " + text(expr.args[1], kAssign), kAssign,
                 outer);
}

std::string Printer::cast_text(const Expr& expr, int outer) {
  return wrapped("(" + type_text(expr.type) + ")" + text(expr.args[0], kUnary), kUnary, outer);
}

std::string Printer::text(const ExprRef& given, int outer) {
  const Expr& expr = *given;
  switch (expr.kind) {
    case Expr::Kind::integer:
      return wrapped(integer_text(expr), expr.value < 0 && is_signed_integer(expr.type) ? kUnary - 1 : kPostfix, outer);
    case Expr::Kind::floating: {
      const std::string out = real_text(expr.real, expr.type);
      return wrapped(out, out[0] == '-' || out[0] == '(' ? kUnary - 1 : kPostfix, outer);
    }
    case Expr::Kind::text:
      return "\"" + expr.name + "\"";
    case Expr::Kind::variable:
      return variable_text(expr);
    case Expr::Kind::index:
      return index_text(expr);
    case Expr::Kind::unary: {
      if (expr.op == Op::post_increment || expr.op == Op::post_decrement)
        return wrapped(text(expr.args[0], kPostfix) + op_text(expr.op), kPostfix, outer);
      std::string inner = text(expr.args[0], kUnary);
      const bool doubled = !inner.empty() && inner[0] == op_text(expr.op)[0] && expr.op != Op::dereference;
      return wrapped(op_text(expr.op) + (doubled ? "(" + inner + ")" : inner), kUnary, outer);
    }
    case Expr::Kind::binary:
      return binary_text(expr, outer);
    case Expr::Kind::assign:
      return assign_text(expr, outer);
    case Expr::Kind::conditional:
      return wrapped(text(expr.args[0], kConditional + 1) + " ? " + text(expr.args[1], kConditional) + " : " +
                         text(expr.args[2], kConditional),
                     kConditional, outer);
    case Expr::Kind::cast:
      return cast_text(expr, outer);
    case Expr::Kind::subscript:
      return text(expr.args[0], kPostfix) + "[" + text(expr.args[1]) + "]";
    case Expr::Kind::member: {
      const Expr& object = *expr.args[0];
      if (object.kind == Expr::Kind::unary && object.op == Op::dereference)
        return text(object.args[0], kPostfix) + "->" + expr.name;
      return text(expr.args[0], kPostfix) + "." + expr.name;
    }
    case Expr::Kind::call:
      return call_text(expr);
    case Expr::Kind::intrinsic:
      return intrinsic_text(expr);
    case Expr::Kind::aggregate:
      return (is_record(expr.type) ? expr.type->record->name : "") + "{" + args_text(expr.args) + "}";
    case Expr::Kind::thread_element:
      return element_text(expr);
  }
  return "";
}

std::string Printer::declaration_text(const Stmt& stmt) {
  const Variable& variable = *stmt.variable;
  std::string out;
  if (variable.storage == Storage::shared) out = "shared ";
  if (variable.storage == Storage::dynamic_shared) out = "dynamic_shared ";
  if (variable.storage == Storage::thread_array) out = "per_thread ";
  out += declarator(variable.type, variable.name);
  if (!stmt.value) return out;
  if (stmt.value->kind == Expr::Kind::aggregate) return out + " = {" + args_text(stmt.value->args) + "}";
  return out + " = " + text(stmt.value, kAssign);
}

std::string Printer::header_init(const StmtRef& init) {
  if (!init) return "";
  if (init->kind == Stmt::Kind::declare) return declaration_text(*init);
  return init->value ? text(init->value) : "";
}

void Printer::evaluate(const Stmt& stmt, int indent, std::string& out) {
  out += blanks(indent) + text(stmt.value) + ";\n";
}

void Printer::thread_loop(const Stmt& stmt, int indent, std::string& out) {
  out += blanks(indent) + "for each thread" + (stmt.value ? " where " + text(stmt.value) : "");
  body(stmt.body, indent, out);
}

void Printer::body(const Stmts& inner, int indent, std::string& out) {
  out += " {\n";
  stmts(inner, indent + 1, out);
  out += blanks(indent) + "}\n";
}

void Printer::stmts(const Stmts& list, int indent, std::string& out) {
  for (const auto& item : list) stmt(*item, indent, out);
}

void Printer::stmt(const Stmt& given, int indent, std::string& out) {
  for (const auto& comment : given.comments) out += blanks(indent) + "// " + comment + "\n";
  switch (given.kind) {
    case Stmt::Kind::block:
      if (given.body.empty()) return;
      out += blanks(indent) + "{\n";
      stmts(given.body, indent + 1, out);
      out += blanks(indent) + "}\n";
      return;
    case Stmt::Kind::declare:
      out += blanks(indent) + declaration_text(given) + ";\n";
      return;
    case Stmt::Kind::evaluate:
      evaluate(given, indent, out);
      return;
    case Stmt::Kind::branch: {
      out += blanks(indent) + "if (" + text(given.value) + ")";
      body(given.body, indent, out);
      if (given.other.empty()) return;
      out.pop_back();
      const bool chain =
          given.other.size() == 1 && given.other[0]->kind == Stmt::Kind::branch && given.other[0]->comments.empty();
      if (chain) {
        std::string rest;
        stmt(*given.other[0], indent, rest);
        out += " else " + rest.substr(blanks(indent).size());
        return;
      }
      out += " else";
      body(given.other, indent, out);
      return;
    }
    case Stmt::Kind::for_loop:
      out += blanks(indent) + "for (" + header_init(given.init) + ";" + (given.value ? " " + text(given.value) : "") +
             ";" + (given.step ? " " + text(given.step) : "") + ")";
      body(given.body, indent, out);
      return;
    case Stmt::Kind::while_loop:
      out += blanks(indent) + "while (" + text(given.value) + ")";
      body(given.body, indent, out);
      return;
    case Stmt::Kind::do_loop:
      out += blanks(indent) + "do";
      body(given.body, indent, out);
      out.pop_back();
      out += " while (" + text(given.value) + ");\n";
      return;
    case Stmt::Kind::choose:
      out += blanks(indent) + "switch (" + text(given.value) + ")";
      body(given.body, indent, out);
      return;
    case Stmt::Kind::label:
      out += blanks(indent - 1) + "  ";
      out.resize(out.size() - 2);
      out += given.value ? "case " + text(given.value) + ":\n" : "default:\n";
      return;
    case Stmt::Kind::leave:
      out += blanks(indent) + "break;\n";
      return;
    case Stmt::Kind::next:
      out += blanks(indent) + "continue;\n";
      return;
    case Stmt::Kind::give_back:
      out += blanks(indent) + "return" + (given.value ? " " + text(given.value) : "") + ";\n";
      return;
    case Stmt::Kind::barrier:
      out += blanks(indent) + "barrier;\n";
      return;
    case Stmt::Kind::thread_loop:
      thread_loop(given, indent, out);
      return;
  }
}

std::string print(const ExprRef& expr) {
  return Printer().text(expr);
}

std::string print(const Stmts& stmts) {
  std::string out;
  Printer().stmts(stmts, 0, out);
  return out;
}

std::string print(const Function& function) {
  std::string out = std::string(function.kernel ? "kernel " : "") + declarator(function.result, function.name) + "(";
  bool first = true;
  for (const auto& param : function.params) {
    out += (first ? "" : ", ") + declarator(param->type, param->name);
    first = false;
  }
  out += ") {\n";
  Printer().stmts(function.body, 1, out);
  return out + "}\n";
}

}  // namespace tqm::port::ir
