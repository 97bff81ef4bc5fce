#include "port/passes/scalar_fields.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "port/ir/walk.hpp"

namespace tqm::port::passes {

using ir::Expr;
using ir::ExprRef;
using ir::Op;
using ir::Stmt;
using ir::StmtRef;
using ir::Stmts;
using ir::VariableRef;

namespace {

constexpr std::int64_t kMostElements = 32;  // of an array in a struct that is copied one by one
constexpr int kDeepest = 4;                 // structs in structs

bool is_whole_assignment(const Stmt& stmt) {
  return stmt.kind == Stmt::Kind::evaluate && stmt.value->kind == Expr::Kind::assign && stmt.value->op == Op::none &&
         ir::is_record(stmt.value->type);
}

bool small(const ir::Record& record) {
  return !record.is_union && std::all_of(record.fields.begin(), record.fields.end(), [](const ir::Field& field) {
    return !ir::is_array(field.type) || (field.type->count <= kMostElements && !ir::is_array(field.type->element));
  });
}

ExprRef member(const ExprRef& place, std::size_t f) {
  const ir::Field& field = place->type->record->fields[f];
  Expr node;
  node.kind = Expr::Kind::member;
  node.field = static_cast<int>(f);
  node.name = field.name;
  node.type = place->type->constant ? ir::with_constant(field.type, true) : field.type;
  node.line = place->line;
  node.args = {place};
  return std::make_shared<const Expr>(std::move(node));
}

ExprRef zero(const ir::TypeRef& type) {
  const auto plain = ir::with_constant(type, false);
  if (ir::is_floating(plain)) return ir::real(0, plain);
  if (ir::is_integer(plain)) return ir::integer(0, plain);
  return nullptr;
}

class Fields {
 public:
  Fields(const Stmts& body, ir::Names& names) : names_(names) { find(body); }

  bool any() const { return !parts_.empty(); }

  Stmts rewritten(const Stmts& stmts) {
    return ir::rewrite_stmts(stmts, [&](const StmtRef& stmt) -> Stmts {
      if (stmt->kind == Stmt::Kind::declare && parts_.contains(stmt->variable)) return declared(*stmt);
      if (is_whole_assignment(*stmt) && involves(stmt->value)) return assigned(*stmt);
      Stmt copy = *stmt;
      copy.value = fields(stmt->value);
      copy.step = fields(stmt->step);
      if (stmt->init) {
        Stmt init = *stmt->init;
        init.value = fields(init.value);
        copy.init = std::make_shared<const Stmt>(std::move(init));
      }
      return {std::make_shared<const Stmt>(std::move(copy))};
    });
  }

 private:
  // Candidates are the records declared; who is used otherwise than described is none.
  void find(const Stmts& body) {
    std::set<VariableRef> candidates;
    ir::for_each_stmt(body, [&](const Stmt& stmt) {
      if (stmt.kind == Stmt::Kind::declare && ir::is_record(stmt.variable->type) &&
          stmt.variable->storage == ir::Storage::local && small(*stmt.variable->type->record))
        candidates.insert(stmt.variable);
    });
    bool more = true;
    while (more && !candidates.empty()) {
      const std::size_t before = candidates.size();
      look(body, candidates);
      more = candidates.size() != before;
    }
    for (const auto& variable : candidates) {
      auto& parts = parts_[variable];
      for (const auto& field : variable->type->record->fields) {
        parts.push_back(
            ir::make_variable(names_.fresh(variable->name + "_" + field.name), ir::with_constant(field.type, false)));
        parts.back()->line = variable->line;
      }
    }
  }

  void look(const Stmts& stmts, std::set<VariableRef>& candidates) {
    const auto drop = [&](const ExprRef& expr) {
      ir::for_each_expr(expr, [&](const Expr& node) {
        if (node.kind == Expr::Kind::variable) candidates.erase(node.variable);
      });
    };
    for (const auto& stmt : stmts) {
      if (stmt->init) {
        if (stmt->init->kind == Stmt::Kind::declare) candidates.erase(stmt->init->variable);
        other_uses(stmt->init->value, candidates);
      }
      const bool declares = stmt->kind == Stmt::Kind::declare && candidates.contains(stmt->variable);
      if (declares && stmt->value) {
        if (!splits(stmt->value, candidates)) {
          candidates.erase(stmt->variable);
          drop(stmt->value);
        } else {
          whole(stmt->value, candidates);
        }
      } else if (is_whole_assignment(*stmt)) {
        const ExprRef& to = stmt->value->args[0];
        const bool own = to->kind == Expr::Kind::variable && candidates.contains(to->variable);
        if (!small(*to->type->record) || (!own && ir::has_effects(to)) || !splits(stmt->value->args[1], candidates)) {
          drop(stmt->value);
        } else {
          if (!own) other_uses(to, candidates);
          whole(stmt->value->args[1], candidates);
        }
      } else {
        other_uses(stmt->value, candidates);
      }
      other_uses(stmt->step, candidates);
      look(stmt->body, candidates);
      look(stmt->other, candidates);
    }
  }

  // A value whose fields can be named one by one.
  static bool splits(const ExprRef& value, const std::set<VariableRef>& candidates) {
    switch (value->kind) {
      case Expr::Kind::aggregate:
        return !ir::has_effects(value);
      case Expr::Kind::variable:
        return true;
      case Expr::Kind::subscript:
      case Expr::Kind::member:
        return !ir::has_effects(value);
      case Expr::Kind::unary:
        return value->op == Op::dereference && !ir::has_effects(value);
      case Expr::Kind::cast:
        return ir::same_type(value->type, value->args[0]->type) && splits(value->args[0], candidates);
      case Expr::Kind::conditional:
        return !ir::has_effects(value->args[0]) && splits(value->args[1], candidates) &&
               splits(value->args[2], candidates);
      default:
        return false;
    }
  }
  // The candidates that are copied as a whole there are left alone; what is in it else is looked at.
  void whole(const ExprRef& value, std::set<VariableRef>& candidates) {
    if (value->kind == Expr::Kind::variable) return;
    if (value->kind == Expr::Kind::cast) return whole(value->args[0], candidates);
    if (value->kind == Expr::Kind::conditional) {
      other_uses(value->args[0], candidates);
      whole(value->args[1], candidates);
      return whole(value->args[2], candidates);
    }
    if (value->kind == Expr::Kind::aggregate) {
      for (const auto& arg : value->args)
        ir::is_record(arg->type) ? whole(arg, candidates) : other_uses(arg, candidates);
      return;
    }
    other_uses(value, candidates);
  }
  void other_uses(const ExprRef& expr, std::set<VariableRef>& candidates) {
    if (!expr) return;
    if (expr->kind == Expr::Kind::member && expr->args[0]->kind == Expr::Kind::variable) return;
    // Of an array in it, single elements only.
    if (expr->kind == Expr::Kind::unary && expr->op == Op::address) {
      if (const auto root = ir::root_variable(expr->args[0])) candidates.erase(root);
    }
    if (expr->kind == Expr::Kind::variable) candidates.erase(expr->variable);
    for (const auto& arg : expr->args) other_uses(arg, candidates);
  }

  bool involves(const ExprRef& expr) const {
    return ir::any_expr(expr, [&](const Expr& node) { return node.variable && parts_.contains(node.variable); });
  }

  // v.x becomes v_x.
  ExprRef fields(const ExprRef& expr) const {
    if (!expr) return expr;
    return ir::rewrite(expr, [&](const ExprRef& node) -> ExprRef {
      if (node->kind != Expr::Kind::member || node->args[0]->kind != Expr::Kind::variable) return node;
      const auto found = parts_.find(node->args[0]->variable);
      return found == parts_.end() ? node : ir::use(found->second[static_cast<std::size_t>(node->field)]);
    });
  }

  ExprRef field_of(const ExprRef& value, std::size_t f, const ir::TypeRef& type) const {
    switch (value->kind) {
      case Expr::Kind::aggregate:
        if (f < value->args.size()) return fields(value->args[f]);
        return zero(type);
      case Expr::Kind::variable: {
        const auto found = parts_.find(value->variable);
        return found == parts_.end() ? member(value, f) : ir::use(found->second[f]);
      }
      case Expr::Kind::cast:
        return field_of(value->args[0], f, type);
      case Expr::Kind::conditional:
        return ir::conditional(fields(value->args[0]), field_of(value->args[1], f, type),
                               field_of(value->args[2], f, type));
      default:
        return member(fields(value), f);
    }
  }

  void copy(const ExprRef& to, const ExprRef& from, Stmts& out) const {
    if (!ir::is_array(to->type)) {
      out.push_back(ir::evaluate(ir::assign(to, from ? from : zero(to->type))));
      return;
    }
    for (std::int64_t i = 0; i < to->type->count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ExprRef element = zero(to->type->element);
      if (from && from->kind == Expr::Kind::aggregate)
        element = at < from->args.size() ? from->args[at] : element;
      else if (from)
        element = ir::subscript(from, ir::integer(i));
      if (element) out.push_back(ir::evaluate(ir::assign(ir::subscript(to, ir::integer(i)), element)));
    }
  }

  Stmts declared(const Stmt& stmt) const {
    Stmts out;
    const auto& parts = parts_.at(stmt.variable);
    for (std::size_t f = 0; f < parts.size(); ++f) {
      const ExprRef value = stmt.value ? field_of(stmt.value, f, parts[f]->type) : nullptr;
      const bool array = ir::is_array(parts[f]->type);
      auto made = std::make_shared<Stmt>(*ir::declare(parts[f], array ? nullptr : value));
      made->line = stmt.line;
      if (f == 0) made->comments = stmt.comments;
      out.push_back(made);
      if (array && stmt.value) copy(ir::use(parts[f]), value, out);
    }
    return out;
  }

  Stmts assigned(const Stmt& stmt) {
    const ExprRef &to = stmt.value->args[0], &from = stmt.value->args[1];
    const auto own = to->kind == Expr::Kind::variable ? parts_.find(to->variable) : parts_.end();
    const std::size_t count = to->type->record->fields.size();
    Stmts first, then;
    // (a, b) = (b, a): all is read before anything is written.
    const bool crosses = from->kind == Expr::Kind::aggregate && own != parts_.end() && ir::uses(from, to->variable);
    for (std::size_t f = 0; f < count; ++f) {
      const ir::TypeRef& type = to->type->record->fields[f].type;
      const ExprRef place = own == parts_.end() ? member(fields(to), f) : ir::use(own->second[f]);
      ExprRef value = field_of(from, f, type);
      if (crosses && value && !ir::is_array(type)) {
        const auto kept = ir::make_variable(names_.fresh(to->variable->name + "_next"), ir::with_constant(type, false));
        first.push_back(ir::declare(kept, value));
        value = ir::use(kept);
      }
      copy(place, value, then);
    }
    if (!stmt.comments.empty() && !then.empty()) {
      Stmt comment;
      comment.line = stmt.line;
      comment.comments = stmt.comments;
      first.insert(first.begin(), std::make_shared<const Stmt>(std::move(comment)));
    }
    first.insert(first.end(), then.begin(), then.end());
    return first;
  }

  ir::Names& names_;
  std::map<VariableRef, std::vector<VariableRef>> parts_;
};

// *&x is x, through casts that change no type.
Stmts without_addresses(const Stmts& stmts) {
  return ir::rewrite_exprs(stmts, [](const ExprRef& node) -> ExprRef {
    if (node->kind != Expr::Kind::unary || node->op != Op::dereference) return node;
    ExprRef pointer = node->args[0];
    while (pointer->kind == Expr::Kind::cast && ir::is_pointer(pointer->args[0]->type) &&
           ir::same_type(pointer->type->element, pointer->args[0]->type->element))
      pointer = pointer->args[0];
    const bool same = pointer->kind == Expr::Kind::unary && pointer->op == Op::address &&
                      ir::same_type(pointer->args[0]->type, node->type);
    return same ? pointer->args[0] : node;
  });
}

// T* self = &v, never changed: *self is v.
Stmts without_own_pointers(const Stmts& stmts) {
  std::map<VariableRef, ExprRef> places;
  std::map<VariableRef, int> writes;
  for (const auto& variable : ir::written(stmts)) ++writes[variable];
  ir::for_each_stmt(stmts, [&](const Stmt& stmt) {
    if (stmt.kind != Stmt::Kind::declare || !stmt.value || !ir::is_pointer(stmt.variable->type)) return;
    const Expr* value = stmt.value.get();
    while (value->kind == Expr::Kind::cast) value = value->args[0].get();
    if (value->kind != Expr::Kind::unary || value->op != Op::address) return;
    const ExprRef& place = value->args[0];
    if (place->kind == Expr::Kind::variable && ir::is_record(place->type) && !writes.contains(stmt.variable) &&
        ir::same_type(stmt.variable->type->element, place->type))
      places[stmt.variable] = place;
  });
  if (places.empty()) return stmts;
  const Stmts seen = ir::rewrite_exprs(stmts, [&](const ExprRef& node) -> ExprRef {
    if (node->kind != Expr::Kind::unary || node->op != Op::dereference) return node;
    const ExprRef& pointer = node->args[0];
    if (pointer->kind != Expr::Kind::variable) return node;
    const auto found = places.find(pointer->variable);
    return found == places.end() ? node : found->second;
  });
  return ir::rewrite_stmts(seen, [&](const StmtRef& stmt) -> Stmts {
    const bool gone = stmt->kind == Stmt::Kind::declare && places.contains(stmt->variable) &&
                      !ir::any_expr(seen, [&](const Expr& node) { return node.variable == stmt->variable; });
    if (gone) return {};
    return {stmt};
  });
}

}  // namespace

Stmts with_scalar_fields(Stmts stmts, ir::Names& names) {
  for (int depth = 0; depth < kDeepest; ++depth) {
    stmts = without_own_pointers(without_addresses(stmts));
    Fields fields(stmts, names);
    if (!fields.any()) break;
    stmts = fields.rewritten(stmts);
  }
  return stmts;
}

}  // namespace tqm::port::passes
