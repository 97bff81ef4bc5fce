// The walk itself, for thread_walk.cpp. It goes over each function's statements until the motions of its variables no
// longer change, then once more to note what it sees. Statements are in walk_statements.cpp, expressions in
// walk_expressions.cpp, calls in walk_calls.cpp.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "port/frontend/motion.hpp"
#include "port/frontend/thread_walk.hpp"

namespace tqm::port {

class Walker {
 public:
  explicit Walker(const clang::FunctionDecl& kernel);
  KernelWalk walk();

 private:
  // A function on the way down from the kernel.
  struct Frame {
    const clang::FunctionDecl* function = nullptr;
    std::map<const clang::VarDecl*, Motion> values;  // of a reference: where it points to
    std::map<const clang::VarDecl*, size_t> depth;   // of the scopes when it was declared
    Motion returned;
    Motion self;               // where *this lies
    bool exited = false;       // kernel: some threads have returned; function: they skip what follows
    std::vector<bool> scopes;  // conditions and loops around; true where the condition moves
    std::vector<const clang::Stmt*> loops;
    std::set<const clang::Stmt*> ragged, exiting;  // loops that some threads leave earlier, or return from
    bool changed = false;
  };

  // walk_statements.cpp
  void walk_function(Frame& frame);
  void walk(const clang::Stmt* statement);
  void walk_children(const clang::Stmt* statement);
  void walk_if(const clang::IfStmt& statement);
  void walk_loop(const clang::Stmt& loop, const clang::Stmt* init, const clang::Expr* condition,
                 const clang::Stmt* step, const clang::Stmt* body);
  void walk_return(const clang::ReturnStmt& statement);
  void walk_asm(const clang::GCCAsmStmt& statement);
  void leave_early(bool whole_function);
  void declare(const clang::VarDecl& variable);
  void note_wait(const clang::Expr* condition, const clang::Stmt* body);

  // walk_expressions.cpp
  Motion value(const clang::Expr* expression);
  Motion address(const clang::Expr* expression);
  Motion read(const clang::Expr* expression);
  Motion read_at(const Motion& where, const clang::Expr* expression);
  Motion value_of_name(const clang::DeclRefExpr& name);
  Motion value_of_member(const clang::MemberExpr& member);
  Motion value_of_unary(const clang::UnaryOperator& operation);
  Motion value_of_binary(const clang::BinaryOperator& operation);
  Motion combined(clang::BinaryOperatorKind kind, const Motion& a, const Motion& b, const clang::Expr* right);
  void assign(const clang::Expr* target, const Motion& value, bool reads_too);
  void set(const clang::VarDecl& variable, Motion value);
  void note_access(const Motion& where, bool write, const clang::Expr* expression);
  const clang::VarDecl* root_of(const clang::Expr* expression) const;
  static bool is_private_object(const clang::VarDecl& variable);
  static bool is_memory(const clang::Expr* expression);

  // walk_calls.cpp
  std::optional<Motion> value_of_operator(const clang::CXXOperatorCallExpr& call);
  Motion value_of_call(const clang::CallExpr& call);
  Motion value_of_named_call(const clang::CallExpr& call, llvm::StringRef name, const std::vector<Motion>& arguments);
  Motion follow(const clang::FunctionDecl& function, const std::vector<Motion>& arguments, clang::SourceLocation where);
  void note_barrier(clang::SourceLocation where, llvm::StringRef word);
  void note_atomic(const clang::CallExpr& call, llvm::StringRef name, const std::vector<Motion>& arguments);
  bool note_group_method(const clang::CXXMemberCallExpr& call, llvm::StringRef name);
  void note_idiom(llvm::StringRef name);

  bool diverged() const;                    // where we are, some threads may not come
  bool diverged_since(size_t depth) const;  // of the scopes
  void note(Feature feature, clang::SourceLocation where, llvm::StringRef detail = "");
  void note_word(llvm::StringRef word, clang::SourceLocation where);
  void note_type(clang::QualType type, clang::SourceLocation where);
  bool in_users_file(clang::SourceLocation where) const;
  Frame& frame() { return *frames_.back(); }
  const Frame& frame() const { return *frames_.back(); }

  const clang::FunctionDecl& kernel_;
  const clang::SourceManager& sources_;
  const std::string file_;  // the kernel's
  KernelFacts facts_;
  std::set<std::tuple<Feature, std::string, int>> noted_;
  std::vector<Frame*> frames_;
  std::vector<const clang::FunctionDecl*> stack_;
  std::set<const clang::FunctionDecl*> bodies_;  // walked
  std::map<std::string, Motion> followed_;       // by function, arguments and whether it was noted
  std::map<const void*, std::vector<std::pair<Feature, std::string>>> types_;
  bool noting_ = false;         // the last of the walks over a function
  bool diverged_call_ = false;  // the call that led here stands where some threads may not come
  int calls_left_ = 3000;
  int loop_depth_ = 0;
};

}  // namespace tqm::port
