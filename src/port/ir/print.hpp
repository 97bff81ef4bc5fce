// A tree as C++ text. Tests read it as it is; an emitter derives from Printer and says how indices, intrinsics and
// thread loops look in its language.
#pragma once

#include <string>
#include <vector>

#include "port/ir/node.hpp"

namespace tqm::port::ir {

class Printer {
 public:
  virtual ~Printer() = default;
  std::string text(const ExprRef& expr, int outer = 0);
  // Lines with two blanks an indent.
  void stmts(const Stmts& stmts, int indent, std::string& out);
  std::string real_text(double value, const TypeRef& type);

 protected:
  virtual std::string index_text(const Expr& expr);
  virtual std::string intrinsic_text(const Expr& expr);
  virtual std::string variable_text(const Expr& expr);
  virtual std::string element_text(const Expr& expr);
  virtual std::string call_text(const Expr& expr);
  virtual std::string binary_text(const Expr& expr, int outer);
  virtual std::string assign_text(const Expr& expr, int outer);
  virtual std::string cast_text(const Expr& expr, int outer);
  virtual std::string declaration_text(const Stmt& stmt);
  virtual void thread_loop(const Stmt& stmt, int indent, std::string& out);
  virtual void evaluate(const Stmt& stmt, int indent, std::string& out);
  std::string args_text(const std::vector<ExprRef>& args);
  void stmt(const Stmt& stmt, int indent, std::string& out);
  void body(const Stmts& stmts, int indent, std::string& out);  // "{ … }" or one line
  static std::string blanks(int indent) { return std::string(static_cast<std::size_t>(indent) * 2, ' '); }
  std::string header_init(const StmtRef& init);
};

const char* op_text(Op op);
int precedence(Op op);  // C's, 1 comma … 13 multiply, 14 unary

std::string print(const ExprRef& expr);
std::string print(const Stmts& stmts);
std::string print(const Function& function);

}  // namespace tqm::port::ir
