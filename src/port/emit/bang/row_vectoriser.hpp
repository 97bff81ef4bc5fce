// One loop over threads as vector calls: see vectorise.hpp. Statements in row_statements.cpp, conditions in
// row_conditions.cpp, loops in row_loops.cpp, loads and stores in row_memory.cpp, expressions in row_expressions.cpp,
// functions of the vector unit in row_functions.cpp, arrays of a thread in row_arrays.cpp, division of indices in
// row_segments.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "port/emit/bang/index_divisor.hpp"
#include "port/emit/bang/lane_value.hpp"
#include "port/emit/bang/spaces.hpp"
#include "port/ir/build.hpp"
#include "port/passes/uniform.hpp"

namespace tqm::port::emit {

// The lanes that take part: `count` from `first` on, and of these the ones that the mask has a one for.
struct Active {
  ir::ExprRef first;  // none: 0
  ir::ExprRef count;
  ir::ExprRef mask;  // pointer to lane 0 of ones and zeros; none: all
};

class RowVectoriser {
 public:
  RowVectoriser(const ir::Function& entry, ir::Names& names, std::vector<ir::VariableRef>& lanes, bool merged,
                bool flat);
  // Lanes are iterations of one thread's loop (iteration_loop.hpp); times: how many, where that is known.
  void set_iterations(std::optional<std::int64_t> times) {
    iterations_ = true;
    times_ = times;
  }
  // None where a statement has no vector form and can't stand in a loop over lanes either.
  std::optional<ir::Stmts> row(const ir::Stmts& body, const ir::ExprRef& place_first, const ir::ExprRef& count);

 private:
  struct Binding {
    enum class Kind { scalar, affine, lanes, flags, rows };
    Kind kind = Kind::scalar;
    LaneValue value;        // affine
    ir::VariableRef lanes;  // a vector in NRAM; flags: ones and zeros; rows: a vector for each element of an array
  };

  // statements
  void list(const ir::Stmts& stmts, const Active& active, ir::Stmts& out);
  void statement(const ir::StmtRef& stmt, const Active& active, ir::Stmts& out);
  bool try_statement(const ir::StmtRef& stmt, const Active& active, ir::Stmts& out);
  bool declare(const ir::Stmt& stmt, const Active& active, ir::Stmts& out);
  bool assign(const ir::ExprRef& place, const ir::ExprRef& value, const Active& active, ir::Stmts& out);
  bool set_lanes(const Binding& binding, const ir::ExprRef& value, const Active& active, ir::Stmts& out);
  bool set_vector(const ir::ExprRef& target, const ir::TypeRef& type, const ir::ExprRef& value, const Active& active,
                  ir::Stmts& out);
  bool store(const ir::ExprRef& place, const ir::ExprRef& value, const Active& active, ir::Stmts& out);
  bool branch(const ir::Stmt& stmt, const Active& active, ir::Stmts& out);
  bool masked_branch(const ir::Stmt& stmt, const Active& active, ir::Stmts& out);
  bool loop(const ir::Stmt& stmt, const Active& active, ir::Stmts& out);
  bool stride_loop(const ir::Stmt& stmt, const Active& active, ir::Stmts& out);
  void lane_by_lane(const ir::StmtRef& stmt, const Active& active, ir::Stmts& out);
  // Runs `body` for the lanes that hold the condition; false: it has no vector form, and nothing was written.
  bool where(const ir::ExprRef& condition, const Active& active, ir::Stmts& out,
             const std::function<bool(const Active&, ir::Stmts&)>& body);
  bool narrow(const ir::Expr& comparison, Active& active, ir::Stmts& out, ir::ExprRef& test);

  // expressions
  LaneValue value(const ir::ExprRef& expr, const Active& active, ir::Stmts& out, const ir::ExprRef& into = nullptr);
  LaneValue arithmetic(const ir::Expr& expr, const Active& active, ir::Stmts& out, const ir::ExprRef& into);
  LaneValue sum_or_product(ir::Op op, const LaneValue& a, const LaneValue& b, const Active& active, ir::Stmts& out,
                           const ir::ExprRef& into = nullptr);
  LaneValue widened(const LaneValue& x, const Active& active, ir::Stmts& out);
  LaneValue narrowed(const LaneValue& x, const ir::TypeRef& type, const Active& active, ir::Stmts& out);
  LaneValue compared(const ir::Expr& expr, const Active& active, ir::Stmts& out);
  LaneValue chosen(const ir::Expr& expr, const Active& active, ir::Stmts& out);
  LaneValue converted(const ir::Expr& expr, const Active& active, ir::Stmts& out);
  LaneValue function(const ir::Expr& expr, const Active& active, ir::Stmts& out, const ir::ExprRef& into);
  LaneValue power(const std::vector<LaneValue>& args, const Active& active, ir::Stmts& out);
  LaneValue exponential(const LaneValue& x, const Active& active, ir::Stmts& out);
  LaneValue error_function(const LaneValue& x, const Active& active, ir::Stmts& out);
  LaneValue hyperbolic_tangent(const LaneValue& x, const Active& active, ir::Stmts& out);
  LaneValue load(const ir::ExprRef& place, const Active& active, ir::Stmts& out, const ir::ExprRef& into = nullptr);
  LaneValue index_value(const ir::Expr& expr) const;
  struct Address {
    bool known = false;
    ir::ExprRef first;  // the place of lane 0
    ir::ExprRef step;   // bytes from lane to lane
  };
  Address address(const ir::ExprRef& place, const Active& active, ir::Stmts& out);
  LaneValue in_vector(const LaneValue& value, const ir::TypeRef& type, const Active& active, ir::Stmts& out,
                      const ir::ExprRef& into = nullptr);
  void blend(const ir::ExprRef& into, const LaneValue& yes, const ir::ExprRef& mask, const Active& active,
             ir::Stmts& out);
  bool varies(const ir::ExprRef& expr) const { return uniform_->varies(expr); }
  std::optional<std::int64_t> fixed(const ir::ExprRef& expr) const { return constant_of(expr, constants_); }
  ir::ExprRef settled(const std::string& name, const ir::ExprRef& scalar, ir::Stmts& out);

  bool gather(const ir::Expr& what, const Active& active, ir::Stmts& out);

  // arrays
  bool declare_array(const ir::Stmt& stmt, const Active& active, ir::Stmts& out);
  ir::ExprRef array_row(const ir::ExprRef& place, const Active& active, ir::Stmts& out);
  std::optional<std::pair<ir::VariableRef, ir::ExprRef>> array_element(const ir::ExprRef& place) const;

  // segments
  void find_segments(const ir::Stmts& body);
  std::int64_t segment_lanes() const;
  ir::Stmts segmented(const ir::Stmts& body, const ir::ExprRef& place_first, const ir::ExprRef& count);
  LaneValue divided(const ir::Expr& expr, const LaneValue& a, const LaneValue& b) const;

  // vectors
  ir::ExprRef temporary(const ir::TypeRef& type);
  ir::ExprRef at(const ir::ExprRef& pointer, const Active& active) const;
  void call(const std::string& name, std::vector<ir::ExprRef> args, ir::Stmts& out) const;
  LaneValue unary_call(const std::string& name, const LaneValue& x, const Active& active, ir::Stmts& out,
                       const ir::ExprRef& into = nullptr);
  LaneValue binary_call(const std::string& name, const LaneValue& a, const LaneValue& b, const Active& active,
                        ir::Stmts& out, const ir::ExprRef& into = nullptr);
  LaneValue scalar_call(const std::string& name, const LaneValue& a, const ir::ExprRef& b, const Active& active,
                        ir::Stmts& out, const ir::ExprRef& into = nullptr);
  void move(const ir::ExprRef& to, const ir::ExprRef& from, const ir::TypeRef& type, const Active& active,
            ir::Stmts& out);

  const ir::Function& entry_;
  ir::Names& names_;
  std::vector<ir::VariableRef>& lanes_;
  bool merged_, flat_;
  bool iterations_ = false;
  std::optional<std::int64_t> times_;
  Spaces spaces_;
  std::optional<passes::Uniform> uniform_;
  ir::ExprRef place_first_;
  ir::ExprRef lane_base_;  // thread_x of lane 0; none: 0
  std::optional<IndexDivisions> divisions_;
  std::optional<IndexDivisor> segment_;  // lanes lie between two multiples of it; none: anywhere
  std::map<ir::VariableRef, Binding> bindings_;
  std::map<ir::VariableRef, int> writes_;
  std::set<ir::VariableRef> uses_;
  Constants constants_;
  struct Temporary {
    ir::VariableRef variable;
    bool used = false;
  };
  std::vector<Temporary> temporaries_;
  bool failed_ = false;
};

}  // namespace tqm::port::emit
