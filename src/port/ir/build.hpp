// Small functions that make nodes, for passes and tests: add(variable(i), integer(1)).
#pragma once

#include <string>
#include <vector>

#include "port/ir/node.hpp"

namespace tqm::port::ir {

TypeRef int_type();
TypeRef uint_type();
TypeRef float_type();
TypeRef bool_type();
TypeRef void_type();

ExprRef integer(std::int64_t value, TypeRef type = int_type());
ExprRef real(double value, TypeRef type = float_type());
ExprRef use(const VariableRef& variable);
ExprRef index(Index which);
ExprRef unary(Op op, ExprRef operand);
ExprRef binary(Op op, ExprRef left, ExprRef right);  // the type by C's rules
ExprRef assign(ExprRef place, ExprRef value, Op op = Op::none);
ExprRef cast(TypeRef type, ExprRef value);
ExprRef conditional(ExprRef condition, ExprRef yes, ExprRef no);
ExprRef subscript(ExprRef base, ExprRef position);
ExprRef intrinsic(std::string name, TypeRef type, std::vector<ExprRef> args, int line = 0);
ExprRef thread_element(const VariableRef& array, ExprRef thread);

StmtRef block(Stmts body);
StmtRef declare(const VariableRef& variable, ExprRef value = nullptr);
StmtRef evaluate(ExprRef value);
StmtRef branch(ExprRef condition, Stmts yes, Stmts no = {});
StmtRef thread_loop(Stmts body, ExprRef mask = nullptr);
StmtRef barrier(int line);

VariableRef make_variable(std::string name, TypeRef type, Storage storage = Storage::local);

// A name that no variable of the function has: base, base_2, base_3, …
class Names {
 public:
  explicit Names(const Function& function);
  void take(const std::string& name);
  std::string fresh(const std::string& base);

 private:
  std::vector<std::string> taken_;
};

// Of C: the usual arithmetic conversions.
TypeRef common_type(const TypeRef& a, const TypeRef& b);

}  // namespace tqm::port::ir
