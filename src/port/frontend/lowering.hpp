// The state while one kernel is lowered; its parts stand in lower_types.cpp, lower_expr.cpp, lower_call.cpp,
// lower_bytes.cpp, lower_fragments.cpp, lower_lambda.cpp and lower_stmt.cpp. Seen by lower*.cpp only.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "port/ir/build.hpp"
#include "port/ir/node.hpp"

namespace tqm::port {

// The comments of a file by line, for statements to take along.
class CommentLines {
 public:
  explicit CommentLines(const clang::ASTContext& context);
  // Those between the lines, each given once.
  std::vector<std::string> take(clang::FileID file, int first, int last);

 private:
  std::map<std::pair<unsigned, int>, std::string> lines_;
  std::set<unsigned> scanned_;
  const clang::ASTContext& context_;
  void scan(clang::FileID file);
};

class Lowering {
 public:
  Lowering(clang::ASTContext& context, ir::Kernel& kernel, CommentLines& comments)
      : context_(context), kernel_(kernel), comments_(comments) {}

  ir::FunctionRef function(const clang::FunctionDecl* decl, bool is_kernel);
  // When all is lowered: a function made of an operator or a lambda may have the name of a variable where it is called.
  void keep_names_apart();

 private:
  // What belongs to the function being lowered.
  struct Frame {
    std::shared_ptr<ir::Function> function;
    std::map<const clang::ValueDecl*, ir::VariableRef> variables;
    std::map<const clang::ValueDecl*, ir::ExprRef> captured;               // in a lambda's body
    std::map<const clang::ValueDecl*, std::vector<ir::ExprRef>> closures;  // variables that hold one: what it captured
    std::set<std::string> names;
    ir::VariableRef self;        // of a method
    bool self_is_value = false;  // of a constructor: the record being made, not a pointer to it
    bool gives_place = false;    // it returns a reference: here the address
    int last_line = 0;           // comments up to here are taken
    clang::FileID file;
  };

  // lower_types.cpp
  ir::TypeRef type(clang::QualType type, clang::SourceLocation where);
  ir::TypeRef builtin(const clang::BuiltinType* type, clang::SourceLocation where);
  ir::TypeRef record(const clang::RecordDecl* decl, clang::SourceLocation where);
  std::string record_name(const clang::RecordDecl* decl);
  ir::TypeRef demoted(clang::SourceLocation where);

  // lower_stmt.cpp
  ir::Stmts body_of(const clang::Stmt* stmt);
  void statement(const clang::Stmt* stmt, ir::Stmts& into);
  void declaration(const clang::DeclStmt* stmt, ir::Stmts& into);
  void variable_declaration(const clang::VarDecl* decl, ir::Stmts& into);
  void for_statement(const clang::ForStmt* stmt, ir::Stmts& into, bool unrolled);
  void range_for(const clang::CXXForRangeStmt* stmt, ir::Stmts& into);
  void if_statement(const clang::IfStmt* stmt, ir::Stmts& into);
  void switch_statement(const clang::SwitchStmt* stmt, ir::Stmts& into);
  void expression_statement(const clang::Expr* expr, ir::Stmts& into);
  ir::StmtRef finish(ir::Stmt stmt, const clang::Stmt* source);
  ir::VariableRef new_variable(const clang::VarDecl* decl);
  ir::VariableRef temporary(const std::string& base, ir::TypeRef type);
  std::string unique_name(std::string base);

  // lower_expr.cpp
  ir::ExprRef expr(const clang::Expr* expr);
  ir::ExprRef place(const clang::Expr* expr) { return this->expr(expr); }
  ir::ExprRef declared(const clang::ValueDecl* decl, const clang::Expr* at);
  ir::ExprRef global(const clang::VarDecl* decl, const clang::Expr* at);
  ir::ExprRef cast_of(const clang::CastExpr* cast);
  ir::ExprRef unary(const clang::UnaryOperator* op);
  ir::ExprRef binary(const clang::BinaryOperator* op);
  ir::ExprRef member(const clang::MemberExpr* member);
  ir::ExprRef initializer(const clang::InitListExpr* list);
  ir::ExprRef construct(const clang::CXXConstructExpr* made);
  ir::ExprRef zero(const ir::TypeRef& type);
  ir::ExprRef address_of(const clang::Expr* expr);
  std::optional<llvm::APSInt> constant_integer(const clang::Expr* expr) const;
  ir::ExprRef constant_real(const clang::Expr* expr);
  ir::ExprRef typed(ir::Expr node, const clang::Expr* source);

  // lower_call.cpp
  ir::ExprRef call(const clang::CallExpr* call);
  ir::ExprRef known_call(const std::string& name, const clang::CallExpr* call, bool& known);
  ir::ExprRef operator_call(const clang::CXXOperatorCallExpr* call);
  ir::ExprRef method_call(const clang::CXXMemberCallExpr* call);
  ir::ExprRef user_call(const clang::FunctionDecl* callee, std::vector<ir::ExprRef> args, const clang::CallExpr* call);
  ir::ExprRef argument(const clang::Expr* arg, const clang::ParmVarDecl* param);
  void add_argument(const clang::Expr* arg, const clang::ParmVarDecl* param, std::vector<ir::ExprRef>& args);
  std::vector<ir::ExprRef> plain_arguments(const clang::CallExpr* call);
  ir::FunctionRef constructor(const clang::CXXConstructorDecl* decl);
  std::string function_name(const clang::FunctionDecl* decl);

  // lower_fragments.cpp
  struct Fragment {
    bool known = false;
    std::string use;  // matrix_a, matrix_b or accumulator
    ir::TypeRef element;
    bool by_columns = false;
  };
  Fragment fragment(const clang::Expr* given);
  ir::ExprRef fragment_start(const clang::Expr* given);
  ir::ExprRef fragment_call(const clang::CallExpr* call);

  // lower_bytes.cpp
  ir::ExprRef copy_bytes(const clang::CallExpr* call);
  ir::ExprRef made_of_wide(const clang::CXXConstructExpr* made);
  ir::ExprRef stored_as_wide(const clang::Expr* place, const clang::Expr* value);
  std::vector<ir::ExprRef> scalars_at(const clang::Expr* pointer, std::int64_t bytes);
  std::vector<ir::ExprRef> elements_of_wide(const clang::Expr* value);
  std::vector<ir::ExprRef> elements_behind(const clang::Expr* place);

  // lower_lambda.cpp
  std::vector<ir::ExprRef> captured_by(const clang::LambdaExpr* lambda, ir::Stmts* into);
  std::vector<ir::ExprRef> closure(const clang::Expr* expr);
  bool closure_declaration(const clang::VarDecl* decl, ir::Stmts& into);
  std::vector<ir::ExprRef> closure_parameters(const clang::CXXRecordDecl* record);
  void bind_captures(const clang::CXXRecordDecl* record, const std::vector<ir::ExprRef>& uses);
  static std::size_t captures_in(const clang::CXXRecordDecl* record);
  void lambda_parameters(const clang::CXXMethodDecl* body);
  void closure_of_the_host(const clang::ParmVarDecl* param);

  // Refusals and the like; nullptr-free placeholders keep the walk going so that all refusals are seen.
  ir::ExprRef refuse_expr(int number, clang::SourceLocation where, std::string text, ir::TypeRef type = nullptr);
  void refuse(int number, clang::SourceLocation where, std::string text);
  void remark(ir::Remark::Severity severity, int number, clang::SourceLocation where, std::string text);
  int line(clang::SourceLocation where) const;

  clang::ASTContext& context_;
  ir::Kernel& kernel_;
  CommentLines& comments_;
  std::map<const clang::FunctionDecl*, ir::FunctionRef> functions_;
  std::vector<std::shared_ptr<ir::Function>> made_;
  std::set<const clang::FunctionDecl*> open_;  // being lowered: meeting one again is recursion
  std::map<const clang::RecordDecl*, std::shared_ptr<const ir::Record>> records_;
  std::map<const clang::VarDecl*, ir::VariableRef> globals_;
  std::set<std::string> record_names_, function_names_;
  std::map<const clang::CXXRecordDecl*, std::string> closure_names_;  // of the variable that holds it
  Frame* frame_ = nullptr;
};

// A name of the user's that BANG C or our own output needs gets an underscore behind it.
std::string legal_name(const std::string& name);
// How a parameter of the type is handed over: a reference that can be written through becomes a pointer, one that
// can't becomes a value.
bool by_pointer(clang::QualType type);
// An object without a field, such as a group of threads or a functor: it is never made, kept or handed over.
bool is_stateless(clang::QualType type);
// The class of a lambda, through references; nullptr where the type is another.
const clang::CXXRecordDecl* closure_of(clang::QualType type);
// The function is from the look-alike CUDA headers or the C++ library: known by name, not by its body.
bool is_foreign(const clang::ASTContext& context, const clang::Decl* decl);
// wmma's fragments and what works on them.
bool is_fragment(const clang::RecordDecl* decl);
bool is_fragment_call(const clang::FunctionDecl* callee);

}  // namespace tqm::port
