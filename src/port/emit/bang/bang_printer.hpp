// Our tree as BANG C: indices become loop variables and parameters, intrinsics calls of the language or of small
// functions that are printed before the kernels (helpers).
#pragma once

#include <set>
#include <string>

#include "port/emit/bang/spaces.hpp"
#include "port/ir/print.hpp"

namespace tqm::port::emit {

struct BlockShape {
  bool flat = false;  // y and z are 1
  int x = 0, y = 0, z = 0;
};

class BangPrinter : public ir::Printer {
 public:
  BangPrinter(BlockShape shape, const Spaces* spaces) : shape_(shape), spaces_(spaces) {}
  const std::set<std::string>& helpers() const { return helpers_; }
  const std::vector<ir::Remark>& refusals() const { return refusals_; }
  std::string declaration(const ir::Stmt& stmt) { return declaration_text(stmt); }

 protected:
  std::string index_text(const ir::Expr& expr) override;
  std::string intrinsic_text(const ir::Expr& expr) override;
  std::string variable_text(const ir::Expr& expr) override;
  std::string binary_text(const ir::Expr& expr, int outer) override;
  std::string assign_text(const ir::Expr& expr, int outer) override;
  std::string cast_text(const ir::Expr& expr, int outer) override;
  void thread_loop(const ir::Stmt& stmt, int indent, std::string& out) override;
  void evaluate(const ir::Stmt& stmt, int indent, std::string& out) override;

 private:
  std::string math(const ir::Expr& expr);
  std::string atomic(const ir::Expr& expr, bool wants_old);
  std::string fragment(const ir::Expr& expr);
  std::string helper(const std::string& name, const ir::Expr& expr);
  BlockShape shape_;
  const Spaces* spaces_;
  std::set<std::string> helpers_;
  std::vector<ir::Remark> refusals_;
};

// The text of the helpers named, each once, in an order that compiles.
std::string helper_text(const std::set<std::string>& names);

}  // namespace tqm::port::emit
