// What an index is divided by: a number times factors that are the same in all threads, such as 4 * height * width.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "port/emit/bang/lane_value.hpp"
#include "port/ir/node.hpp"

namespace tqm::port::emit {

struct IndexDivisor {
  std::int64_t number = 1;
  std::vector<ir::ExprRef> factors;  // of parameters and the like: known before the threads begin
  bool is_one() const { return number == 1 && factors.empty(); }
};

IndexDivisor common_divisor(const IndexDivisor& a, const IndexDivisor& b);
bool divides(const IndexDivisor& part, const IndexDivisor& whole);
ir::ExprRef product_of(const IndexDivisor& divisor);

// Reads divisions of indices in a body.
class IndexDivisions {
 public:
  IndexDivisions(const ir::Stmts& body, const Constants& constants);
  // By what the operation divides: x / 4, x % n, x >> 2, x & 3; none where it is no such operation or not known before
  // the threads begin.
  std::optional<IndexDivisor> divisor_of(const ir::Expr& expr) const;
  static bool gives_quotient(ir::Op op) { return op == ir::Op::divide || op == ir::Op::shift_right; }
  // Of all divisions of what moves from lane to lane; none where there is no such division.
  std::optional<IndexDivisor> common() const;

 private:
  std::optional<IndexDivisor> resolved(const ir::ExprRef& expr) const;
  ir::ExprRef known_before(const ir::ExprRef& expr) const;
  bool moves(const ir::ExprRef& expr) const;
  const ir::Stmts& body_;
  const Constants& constants_;
  std::set<ir::VariableRef> written_, used_;
  std::map<ir::VariableRef, ir::ExprRef> values_;  // of variables that are declared with one and not written
};

}  // namespace tqm::port::emit
