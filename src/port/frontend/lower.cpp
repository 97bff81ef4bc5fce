#include "port/frontend/lower.hpp"

#include <algorithm>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <utility>

#include "port/frontend/hand_over.hpp"
#include "port/frontend/lowering.hpp"
#include "port/frontend/places.hpp"
#include "port/frontend/refused_words.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port {

namespace {

std::string trimmed(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '*'; };
  while (!text.empty() && blank(text.back())) text.pop_back();
  std::size_t first = 0;
  while (first < text.size() && blank(text[first])) ++first;
  return text.substr(first);
}

std::string name_of_arguments(const clang::FunctionDecl* decl, const clang::PrintingPolicy& policy) {
  const auto* args = decl->getTemplateSpecializationArgs();
  if (args == nullptr) return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const auto& arg : args->asArray()) {
    if (arg.getKind() == clang::TemplateArgument::Type && closure_of(arg.getAsType()) != nullptr) continue;
    stream << '_';
    arg.print(policy, stream, true);
  }
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += c;
    else if (c == '-')
      name += "minus_";
    else if (!name.empty() && name.back() != '_')
      name += '_';
    else if (name.empty())
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

const char* word_of_operator(clang::OverloadedOperatorKind kind) {
  switch (kind) {
    case clang::OO_Plus:
      return "plus";
    case clang::OO_Minus:
      return "minus";
    case clang::OO_Star:
      return "times";
    case clang::OO_Slash:
      return "over";
    case clang::OO_PlusEqual:
      return "add_to";
    case clang::OO_MinusEqual:
      return "subtract_from";
    case clang::OO_StarEqual:
      return "multiply_by";
    case clang::OO_SlashEqual:
      return "divide_by";
    case clang::OO_Less:
      return "less";
    case clang::OO_Greater:
      return "greater";
    case clang::OO_EqualEqual:
      return "equal";
    case clang::OO_ExclaimEqual:
      return "not_equal";
    case clang::OO_Subscript:
      return "at";
    case clang::OO_Call:
      return "apply";
    case clang::OO_Equal:
      return "assign";
    default:
      return "operator";
  }
}

// What a launch says about the block: constants, or at least one dimension.
struct LaunchShape {
  bool known[3] = {false, false, false};
  int block[3] = {0, 0, 0};
  bool flat_block = false;
  bool flat_grid = false;
};

class LaunchFinder : public clang::RecursiveASTVisitor<LaunchFinder> {
 public:
  explicit LaunchFinder(clang::ASTContext& context) : context_(context) {}
  static bool shouldVisitTemplateInstantiations() { return true; }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) {
    const auto* callee = call->getDirectCallee();
    if (callee == nullptr || call->getConfig() == nullptr || call->getConfig()->getNumArgs() < 2) return true;
    LaunchShape shape;
    int grid[3] = {0, 0, 0};
    bool grid_known[3] = {false, false, false};
    shape.flat_grid = dim3_of(call->getConfig()->getArg(0), grid, grid_known);
    shape.flat_block = dim3_of(call->getConfig()->getArg(1), shape.block, shape.known);
    launches[callee->getCanonicalDecl()].push_back(shape);
    return true;
  }
  std::map<const clang::FunctionDecl*, std::vector<LaunchShape>> launches;

 private:
  // Fills what is constant; true where y and z are certainly 1.
  bool dim3_of(const clang::Expr* given, int (&value)[3], bool (&known)[3], int depth = 0) {
    const clang::Expr* expr = given->IgnoreImplicit()->IgnoreParens();
    while (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr)) {
      if (cast->getCastKind() != clang::CK_ConstructorConversion && cast->getCastKind() != clang::CK_NoOp) break;
      expr = cast->getSubExpr()->IgnoreImplicit()->IgnoreParens();
    }
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(expr)) {
      if (made->getNumArgs() == 1 && made->getConstructor()->isCopyOrMoveConstructor())
        return depth < 4 && dim3_of(made->getArg(0), value, known, depth + 1);
      for (unsigned i = 0; i < 3; ++i) {
        if (i >= made->getNumArgs() || llvm::isa<clang::CXXDefaultArgExpr>(made->getArg(i))) {
          value[i] = 1;
          known[i] = true;
        } else {
          constant(made->getArg(i), value[i], known[i]);
        }
      }
      return known[1] && known[2] && value[1] == 1 && value[2] == 1;
    }
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(expr)) {
      for (unsigned i = 0; i < 3; ++i) {
        value[i] = 1;
        known[i] = true;
        if (i < list->getNumInits()) constant(list->getInit(i), value[i], known[i]);
      }
      return known[1] && known[2] && value[1] == 1 && value[2] == 1;
    }
    if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(expr)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(ref->getDecl());
      if (variable == nullptr || depth >= 4 || variable->getInit() == nullptr || !never_changed(variable)) return false;
      return dim3_of(variable->getInit(), value, known, depth + 1);
    }
    return false;
  }

  void constant(const clang::Expr* expr, int& value, bool& known) {
    clang::Expr::EvalResult result;
    const clang::Expr* bare = expr->IgnoreParenImpCasts();
    if (!expr->isValueDependent() && expr->EvaluateAsInt(result, context_)) {
      value = static_cast<int>(result.Val.getInt().getExtValue());
      known = true;
    } else if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(bare)) {
      // int block_size = 256; not const, but never written.
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(ref->getDecl());
      if (variable != nullptr && !llvm::isa<clang::ParmVarDecl>(variable) && variable->getInit() != nullptr &&
          never_changed(variable) && !variable->getInit()->isValueDependent() &&
          variable->getInit()->EvaluateAsInt(result, context_)) {
        value = static_cast<int>(result.Val.getInt().getExtValue());
        known = true;
      }
    }
  }

  bool never_changed(const clang::VarDecl* variable);
  clang::ASTContext& context_;
  std::map<const clang::VarDecl*, bool> changed_;
};

class ChangeFinder : public clang::RecursiveASTVisitor<ChangeFinder> {
 public:
  explicit ChangeFinder(const clang::VarDecl* variable) : variable_(variable) {}
  bool VisitBinaryOperator(clang::BinaryOperator* op) {
    if (op->isAssignmentOp()) note(op->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* op) {
    if (op->isIncrementDecrementOp() || op->getOpcode() == clang::UO_AddrOf) note(op->getSubExpr());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->isAssignmentOp()) note(call->getArg(0));
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const auto* callee = call->getDirectCallee();
    for (unsigned i = 0; callee != nullptr && i < call->getNumArgs() && i < callee->getNumParams(); ++i)
      if (by_pointer(callee->getParamDecl(i)->getType())) note(call->getArg(i));
    return true;
  }
  bool found = false;

 private:
  void note(const clang::Expr* place) {
    const clang::Expr* bare = place->IgnoreParenImpCasts();
    while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(bare))
      bare = member->getBase()->IgnoreParenImpCasts();
    if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(bare); ref != nullptr && ref->getDecl() == variable_)
      found = true;
  }
  const clang::VarDecl* variable_;
};

bool LaunchFinder::never_changed(const clang::VarDecl* variable) {
  if (const auto known = changed_.find(variable); known != changed_.end()) return !known->second;
  bool changed = true;
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
      function != nullptr && function->hasBody()) {
    ChangeFinder finder(variable);
    finder.TraverseStmt(function->getBody());
    changed = finder.found;
  } else if (variable->getType().isConstQualified()) {
    changed = false;
  }
  changed_[variable] = changed;
  return !changed;
}

class KernelFinder : public clang::RecursiveASTVisitor<KernelFinder> {
 public:
  static bool shouldVisitTemplateInstantiations() { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* decl) {
    if (decl->hasAttr<clang::CUDAGlobalAttr>() && decl->isThisDeclarationADefinition() && !decl->isDependentContext() &&
        !decl->isTemplated())
      kernels.push_back(decl);
    return true;
  }
  std::vector<const clang::FunctionDecl*> kernels;
};

void apply_launches(ir::Kernel& kernel, const std::vector<LaunchShape>& launches) {
  if (launches.empty()) return;
  kernel.one_dimensional_blocks = kernel.one_dimensional_grid = true;
  int* block[3] = {&kernel.block_x, &kernel.block_y, &kernel.block_z};
  for (const auto& launch : launches) {
    kernel.one_dimensional_blocks = kernel.one_dimensional_blocks && launch.flat_block;
    kernel.one_dimensional_grid = kernel.one_dimensional_grid && launch.flat_grid;
  }
  for (int axis = 0; axis < 3; ++axis) {
    bool same = true;
    for (const auto& launch : launches)
      same = same && launch.known[axis] && launch.block[axis] == launches.front().block[axis];
    if (same) *block[axis] = launches.front().block[axis];
  }
}

}  // namespace

CommentLines::CommentLines(const clang::ASTContext& context) : context_(context) {}

void CommentLines::scan(clang::FileID file) {
  if (!scanned_.insert(file.getHashValue()).second) return;
  const auto& sources = context_.getSourceManager();
  const auto buffer = sources.getBufferOrNone(file);
  if (!buffer) return;
  clang::Lexer lexer(sources.getLocForStartOfFile(file), context_.getLangOpts(), buffer->getBufferStart(),
                     buffer->getBufferStart(), buffer->getBufferEnd());
  lexer.SetCommentRetentionState(true);
  clang::Token token;
  bool end = false;
  while (!end) {
    end = lexer.LexFromRawLexer(token);
    if (!token.is(clang::tok::comment)) continue;
    const auto where = token.getLocation();
    int line = static_cast<int>(sources.getSpellingLineNumber(where));
    std::string text(sources.getCharacterData(where), token.getLength());
    const bool block = text.starts_with("/*");
    text = text.substr(2, text.size() - (block && text.size() >= 4 ? 4 : 2));
    std::string current;
    const auto keep = [&] {
      const std::string words = block ? trimmed(current) : current;
      std::string shown = words;
      while (!shown.empty() && (shown.back() == ' ' || shown.back() == '\r')) shown.pop_back();
      if (!shown.empty() && shown[0] == ' ') shown.erase(0, 1);
      if (!shown.empty()) lines_[{file.getHashValue(), line}] += shown;
    };
    for (const char c : text) {
      if (c == '\n') {
        keep();
        current.clear();
        ++line;
      } else {
        current += c;
      }
    }
    keep();
  }
}

std::vector<std::string> CommentLines::take(clang::FileID file, int first, int last) {
  scan(file);
  std::vector<std::string> result;
  auto at = lines_.lower_bound({file.getHashValue(), first});
  while (at != lines_.end() && at->first.first == file.getHashValue() && at->first.second <= last) {
    result.push_back(at->second);
    at = lines_.erase(at);
  }
  return result;
}

std::string Lowering::function_name(const clang::FunctionDecl* decl) {
  std::string name;
  if (const auto kind = decl->getOverloadedOperator(); kind != clang::OO_None)
    name = word_of_operator(kind);
  else if (llvm::isa<clang::CXXConstructorDecl>(decl))
    name = "make";
  else if (decl->getDeclName().isIdentifier())
    name = decl->getNameAsString();
  else
    name = "convert";
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(decl)) {
    const auto held = closure_names_.find(method->getParent());
    if (method->getParent()->isLambda())
      name = held != closure_names_.end() ? held->second : "lambda";
    else
      name = method->getParent()->getNameAsString() + "_" + name;
  }
  name = legal_name(name + name_of_arguments(decl, context_.getPrintingPolicy()));
  const std::string base = name;
  for (int n = 2; !function_names_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

ir::FunctionRef Lowering::constructor(const clang::CXXConstructorDecl* decl) {
  const clang::FunctionDecl* definition = nullptr;
  if (!decl->hasBody(definition)) return nullptr;
  return function(definition, false);
}

ir::FunctionRef Lowering::function(const clang::FunctionDecl* given, bool is_kernel) {
  const clang::FunctionDecl* decl = nullptr;
  if (!given->hasBody(decl)) return nullptr;
  if (const auto known = functions_.find(decl); known != functions_.end()) return known->second;
  if (!open_.insert(decl).second) return nullptr;
  const auto& sources = context_.getSourceManager();
  auto made = std::make_shared<ir::Function>();
  Frame frame;
  frame.function = made;
  Frame* outer = frame_;
  frame_ = &frame;
  const Place place = place_of(sources, decl->getLocation());
  made->name = function_name(decl);
  made->line = place.line;
  made->file = place.file;
  made->kernel = is_kernel;
  {
    llvm::raw_string_ostream stream(made->qualified);
    decl->getNameForDiagnostic(stream, context_.getPrintingPolicy(), true);
  }
  frame.file = sources.getFileID(sources.getExpansionLoc(decl->getBeginLoc()));
  const int first_line = static_cast<int>(sources.getExpansionLineNumber(decl->getBeginLoc()));
  int above = first_line;
  for (int n = first_line - 1; n > 0; --n) {  // the comment that ends on the line before, whole
    auto taken = comments_.take(frame.file, n, n);
    if (taken.empty()) break;
    made->comments.insert(made->comments.begin(), taken.begin(), taken.end());
    above = n;
  }
  (void)above;
  const int body_line = static_cast<int>(sources.getExpansionLineNumber(decl->getBody()->getBeginLoc()));
  (void)comments_.take(frame.file, first_line, body_line - 1);
  frame.last_line = body_line - 1;
  made->result = type(decl->getReturnType(), decl->getLocation());
  if (is_kernel) made->symbol = clang::ASTNameGenerator(context_).getName(decl);
  frame.gives_place = decl->getReturnType()->isReferenceType();
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(decl);
  if (closure_of(decl->getReturnType()) != nullptr) refuse(2019, decl->getLocation(), "a function that makes a lambda");
  if (method != nullptr && method->getParent()->isLambda()) {
    lambda_parameters(method);
  } else if (method != nullptr && !method->isStatic() && !is_stateless(context_.getRecordType(method->getParent()))) {
    const auto object = record(method->getParent(), decl->getLocation());
    frame.self_is_value = llvm::isa<clang::CXXConstructorDecl>(decl);
    const auto pointee = method->isConst() ? ir::with_constant(object, true) : object;
    frame.self = ir::make_variable(unique_name("self"), frame.self_is_value ? object : ir::pointer_to(pointee));
    if (!frame.self_is_value) {
      frame.self->storage = ir::Storage::parameter;
      made->params.push_back(frame.self);
    } else {
      made->result = object;
    }
  }
  if (decl->isVariadic()) refuse(2001, decl->getLocation(), "a function with ...");
  for (const auto* param : decl->parameters()) {
    if (!is_kernel && is_stateless(param->getType())) continue;
    if (const auto* closure = closure_of(param->getType())) {
      if (is_kernel)
        closure_of_the_host(param);
      else
        frame_->closures[param] = closure_parameters(closure);
      continue;
    }
    const auto variable = new_variable(param);
    variable->storage = ir::Storage::parameter;
    made->params.push_back(variable);
  }
  if (frame.self_is_value) {
    made->body.push_back(ir::declare(frame.self));
    const auto* constructed = llvm::cast<clang::CXXConstructorDecl>(decl);
    for (const auto* init : constructed->inits()) {
      if (!init->isMemberInitializer()) {
        if (!init->isBaseInitializer()) refuse(2001, decl->getLocation(), "this kind of constructor");
        continue;
      }
      const auto* field = init->getMember();
      std::size_t number = field->getFieldIndex();
      number += constructed->getParent()->getNumBases();
      if (llvm::isa<clang::CXXConstructExpr>(init->getInit()->IgnoreImplicit()) && !init->isWritten()) continue;
      ir::Expr node;
      node.kind = ir::Expr::Kind::member;
      node.field = static_cast<int>(number);
      node.name = frame.self->type->record->fields[number].name;
      node.type = frame.self->type->record->fields[number].type;
      node.args = {ir::use(frame.self)};
      made->body.push_back(ir::evaluate(ir::assign(std::make_shared<const ir::Expr>(node), expr(init->getInit()))));
    }
  }
  for (auto& stmt : body_of(decl->getBody())) made->body.push_back(std::move(stmt));
  if (frame.self_is_value) {
    ir::Stmt back;
    back.kind = ir::Stmt::Kind::give_back;
    back.value = ir::use(frame.self);
    made->body.push_back(std::make_shared<const ir::Stmt>(back));
  }
  if (const auto* bounds = decl->getAttr<clang::CUDALaunchBoundsAttr>())
    if (const auto value = constant_integer(bounds->getMaxThreads()))
      made->launch_bound = static_cast<int>(value->getExtValue());
  frame_ = outer;
  open_.erase(decl);
  functions_[decl] = made;
  made_.push_back(made);
  if (!is_kernel) kernel_.functions.push_back(made);
  return made;
}

void Lowering::keep_names_apart() {
  std::set<std::string> variables;
  for (const auto& function : made_) {
    for (const auto& param : function->params) variables.insert(param->name);
    ir::for_each_stmt(function->body, [&](const ir::Stmt& stmt) {
      if (stmt.kind == ir::Stmt::Kind::declare) variables.insert(stmt.variable->name);
    });
  }
  for (const auto& function : made_) {
    if (function->kernel || !variables.contains(function->name)) continue;
    const std::string base = function->name;
    for (int n = 2; variables.contains(function->name) || !function_names_.insert(function->name).second; ++n)
      function->name = base + "_" + std::to_string(n);
  }
}

namespace {

// Empty where the file is none of this unit's.
std::string line_text(clang::SourceManager& sources, const Place& place) {
  const auto file = sources.getFileManager().getOptionalFileRef(place.file);
  if (!file || place.line < 1) return "";
  const clang::FileID id = sources.translateFile(*file);
  if (id.isInvalid()) return "";
  const llvm::StringRef text = sources.getBufferData(id);
  const clang::SourceLocation at = sources.translateLineCol(id, static_cast<unsigned>(place.line), 1);
  return at.isInvalid() ? "" : text.substr(sources.getFileOffset(at)).split('\n').first.str();
}

// Kernels may be overloaded; in BANG C each has a name of its own.
ir::FunctionRef with_other_name(const ir::Function& kernel, std::set<std::string>& names) {
  auto renamed = std::make_shared<ir::Function>(kernel);
  for (int n = 2; !names.insert(renamed->name).second; ++n) renamed->name = kernel.name + "_" + std::to_string(n);
  return renamed;
}

}  // namespace

std::vector<ir::Kernel> lower(const Unit& unit) {
  clang::ASTContext& context = unit.context();
  KernelFinder finder;
  finder.TraverseDecl(context.getTranslationUnitDecl());
  LaunchFinder launches(context);
  launches.TraverseDecl(context.getTranslationUnitDecl());
  std::vector<ir::Kernel> kernels;
  std::set<std::string> names;
  for (const auto* decl : finder.kernels) {
    ir::Kernel kernel;
    CommentLines comments(context);
    Lowering lowering(context, kernel, comments);
    if (const auto guess = first_guess(unit, *decl)) {
      const auto word = refused_word(line_text(context.getSourceManager(), guess->place));
      kernel.remarks.push_back({word ? word->number : 2002, ir::Remark::Severity::refusal, guess->place.line,
                                word ? word->reason : guess->text});
    }
    kernel.entry = lowering.function(decl, true);
    if (!kernel.entry) continue;
    if (!names.insert(kernel.entry->name).second) kernel.entry = with_other_name(*kernel.entry, names);
    lowering.keep_names_apart();
    judge_hand_over(kernel);
    if (const auto found = launches.launches.find(decl->getCanonicalDecl()); found != launches.launches.end())
      apply_launches(kernel, found->second);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace tqm::port
