#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

#include "port/frontend/walker.hpp"

namespace tqm::port {
namespace {

std::string name_of_callee(const clang::CallExpr& call) {
  if (const auto* function = llvm::dyn_cast_or_null<clang::NamedDecl>(call.getCalleeDecl()))
    return function->getDeclName().getAsString();
  const clang::Expr* callee = call.getCallee()->IgnoreParenImpCasts();
  if (const auto* unresolved = llvm::dyn_cast<clang::OverloadExpr>(callee)) return unresolved->getName().getAsString();
  if (const auto* member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(callee))
    return member->getMember().getAsString();
  if (const auto* scoped = llvm::dyn_cast<clang::DependentScopeDeclRefExpr>(callee))
    return scoped->getDeclName().getAsString();
  return "";
}

bool is_float(clang::QualType type) {
  if (type->isPointerType()) type = type->getPointeeType();
  type = type.getCanonicalType();
  if (type->isRealFloatingType()) return true;
  const auto* record = type->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier()) return false;
  const auto feature = feature_of_word(record->getName());
  return feature == Feature::half_type || feature == Feature::bfloat16_type;
}

constexpr llvm::StringRef kMaxima[] = {"max", "min", "fmaxf", "fminf", "fmax", "fmin"};

}  // namespace

void Walker::note_barrier(clang::SourceLocation where, llvm::StringRef word) {
  note(Feature::barrier, where, word);
  if (loop_depth_ > 0) note(Feature::barrier_in_loop, where);
  if (diverged())
    note(Feature::barrier_divergent, where);
  else if (frames_.front()->exited)
    note(Feature::barrier_after_exit, where);
}

void Walker::note_atomic(const clang::CallExpr& call, llvm::StringRef name, const std::vector<Motion>& arguments) {
  const bool shared = !arguments.empty() && arguments[0].shared;
  note(shared ? Feature::atomic_shared : Feature::atomic_global, call.getBeginLoc(), name);
  if ((name.contains("Add") || name.contains("Sub")) && call.getNumArgs() > 0 &&
      is_float(call.getArg(0)->IgnoreParenCasts()->getType()))
    note(Feature::atomic_float, call.getBeginLoc(), name);
  if (!arguments.empty()) note_access(arguments[0], true, &call);
}

// Methods of cooperative groups.
bool Walker::note_group_method(const clang::CXXMemberCallExpr& call, llvm::StringRef name) {
  const auto* record = call.getObjectType().isNull() ? nullptr : call.getObjectType()->getAsCXXRecordDecl();
  const llvm::StringRef group = record && record->getIdentifier() ? record->getName() : "";
  const bool tile = group.contains("tile") || group.contains("coalesced");
  if (!tile && !group.contains("group") && !group.contains("thread_block")) return false;
  const clang::SourceLocation where = call.getBeginLoc();
  note(Feature::cooperative_groups, where, group);
  if (name.starts_with("shfl")) note(Feature::warp_shuffle, where, name);
  if (name == "any" || name == "all" || name == "ballot") note(Feature::warp_vote, where, name);
  if (name.starts_with("match_")) note(Feature::warp_match, where, name);
  if (name == "sync" || name == "barrier_wait") {
    if (group.contains("grid"))
      note(Feature::grid_barrier, where, group);
    else if (group.contains("cluster"))
      note(Feature::cluster, where, group);
    else if (tile)
      note(Feature::warp_sync, where, name);
    else
      note_barrier(where, name);
  }
  return true;
}

void Walker::note_idiom(llvm::StringRef name) {
  if (!noting_) return;
  if (name.starts_with("exp") || name.starts_with("__exp") || name == "hexp" || name == "h2exp")
    facts_.exponential = true;
  if (name.starts_with("sqrt") || name.starts_with("rsqrt") || name.starts_with("__frsqrt") || name == "hrsqrt")
    facts_.root = true;
  if (name.starts_with("__shfl") || name.starts_with("__reduce_")) facts_.loop_carried_sum = true;
  if (loop_depth_ > 0 && (name.starts_with("fma") || name == "__fmaf_rn" || name == "__hfma"))
    facts_.multiply_add_loop = true;
  if (loop_depth_ > 0 && llvm::is_contained(kMaxima, name)) facts_.loop_carried_sum = true;
}

// Operators of classes (half, float4, templates' T) move values as those of numbers do.
std::optional<Motion> Walker::value_of_operator(const clang::CXXOperatorCallExpr& call) {
  const clang::OverloadedOperatorKind kind = call.getOperator();
  if (call.isAssignmentOp()) {
    const Motion given = value(call.getArg(1));
    const bool reads = kind != clang::OO_Equal;
    if (noting_ && reads && loop_depth_ > 0) facts_.loop_carried_sum = true;
    assign(call.getArg(0), reads ? join(given, is_memory(call.getArg(0)) ? Motion{} : value(call.getArg(0))) : given,
           reads);
    return given;
  }
  if (call.getNumArgs() != 2 || (kind != clang::OO_Plus && kind != clang::OO_Minus && kind != clang::OO_Star))
    return std::nullopt;
  const Motion a = value(call.getArg(0)), b = value(call.getArg(1));
  return kind == clang::OO_Plus ? added(a, b) : kind == clang::OO_Minus ? subtracted(a, b) : multiplied(a, b);
}

Motion Walker::value_of_call(const clang::CallExpr& call) {
  if (const auto* operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call))
    if (const auto moved = value_of_operator(*operation)) return *moved;
  const std::string name = name_of_callee(call);
  if (llvm::isa<clang::CUDAKernelCallExpr>(call)) note(Feature::dynamic_parallelism, call.getBeginLoc(), name);
  std::vector<Motion> arguments;
  const bool prints = name == "printf" || name == "vprintf";  // its floats are promoted to double, and mean nothing
  for (const clang::Expr* argument : call.arguments())
    arguments.push_back(prints && argument->IgnoreImpCasts()->getType()->isRealFloatingType()
                            ? value(argument->IgnoreImpCasts())
                            : value(argument));
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    const clang::CXXMethodDecl* method = member->getMethodDecl();
    if (method && method->isVirtual() && !method->hasAttr<clang::FinalAttr>() &&
        !method->getParent()->hasAttr<clang::FinalAttr>())
      note(Feature::virtual_function, call.getBeginLoc(), name);
    note_type(member->getObjectType(), call.getBeginLoc());
    if (note_group_method(*member, name)) {
      Motion rank;
      if (name == "thread_rank" || name == "thread_index") rank.x = Motion::unit;
      if (name == "meta_group_rank" || name == "group_index") rank.rows = name == "meta_group_rank";
      if (name.starts_with("shfl")) rank = Motion{Motion::irregular, false, false, true};
      return rank;
    }
    const clang::Expr* object = member->getImplicitObjectArgument();
    arguments.insert(arguments.begin(), object->getType()->isPointerType() ? value(object) : address(object));
  } else if (!call.getDirectCallee() && !call.getCallee()->isTypeDependent()) {
    const clang::QualType type = call.getCallee()->getType();
    if (type->isFunctionPointerType() || type->isMemberFunctionPointerType())
      note(Feature::function_pointer, call.getBeginLoc(), name);
    value(call.getCallee());
  }
  return value_of_named_call(call, name, arguments);
}

Motion Walker::value_of_named_call(const clang::CallExpr& call, llvm::StringRef name,
                                   const std::vector<Motion>& arguments) {
  const clang::SourceLocation where = call.getBeginLoc();
  const clang::FunctionDecl* function = call.getDirectCallee();
  note_idiom(name);
  Motion joined;
  for (const Motion& argument : arguments) joined = scrambled(joined, argument);
  joined.shared = joined.private_ = false;
  const clang::FunctionDecl* definition = nullptr;
  const bool followed =
      function && in_users_file(function->getLocation()) && function->hasBody(definition) && definition->getBody();
  const auto feature = followed ? std::nullopt : feature_of_word(name);
  if (feature == Feature::barrier) {
    note_barrier(where, name);
    return joined;
  }
  if (feature == Feature::atomic_global) {
    note_atomic(call, name, arguments);
    return Motion{Motion::irregular, false, true, true};
  }
  if (feature) {
    note(*feature, where, name);
    if (*feature == Feature::warp_shuffle || *feature == Feature::clock)
      return Motion{Motion::irregular, false, false, true};
    if (*feature == Feature::read_only_load && !arguments.empty()) return read_at(arguments[0], &call);
    return joined;
  }
  if (function && function->getQualifiedNameAsString().find("thrust::") == 0)
    note(Feature::device_library, where, name);
  if (followed) return follow(*definition, arguments, where);
  return joined;
}

Motion Walker::follow(const clang::FunctionDecl& function, const std::vector<Motion>& arguments,
                      clang::SourceLocation where) {
  if (llvm::is_contained(stack_, function.getCanonicalDecl())) {
    note(Feature::recursion, where, function.getName());
    return Motion{Motion::irregular, false, false, true};
  }
  if (--calls_left_ < 0 || stack_.size() > 24) return Motion{Motion::irregular, false, false, true};
  std::string key =
      fmt::format("{} {} {} {} ", static_cast<const void*>(&function), noting_, diverged(), frames_.front()->exited);
  for (const Motion& m : arguments)
    key += fmt::format("{}{}{}{}{}{} ", static_cast<int>(m.x), m.rows, m.loaded, m.diverged, m.shared, m.private_);
  if (const auto known = followed_.find(key); known != followed_.end()) return known->second;
  bodies_.insert(&function);
  Frame called;
  called.function = &function;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const size_t skipped = method && method->isInstance() ? 1 : 0;
  if (skipped == 1 && !arguments.empty()) called.self = arguments[0];
  for (size_t i = 0; i < function.getNumParams(); ++i) {
    const clang::ParmVarDecl* parameter = function.getParamDecl(static_cast<unsigned>(i));
    note_type(parameter->getType(), parameter->getLocation());
    if (parameter->getType()->isPointerType() && parameter->getType()->getPointeeType().isVolatileQualified())
      note(Feature::warp_implicit, parameter->getLocation(), parameter->getName());
    if (i + skipped < arguments.size()) called.values[parameter] = arguments[i + skipped];
  }
  const bool diverged_before = diverged_call_;
  diverged_call_ = diverged();
  stack_.push_back(function.getCanonicalDecl());
  walk_function(called);
  stack_.pop_back();
  diverged_call_ = diverged_before;
  followed_[key] = called.returned;
  return called.returned;
}

}  // namespace tqm::port
