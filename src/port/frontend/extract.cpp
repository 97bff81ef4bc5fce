#include "port/frontend/extract.hpp"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <map>
#include <set>

#include "port/frontend/places.hpp"
#include "port/frontend/thread_walk.hpp"

namespace tqm::port {
namespace {

constexpr llvm::StringRef kLaunchCalls[] = {"cudaLaunchKernel",      "cudaLaunchKernelExC",
                                            "cudaLaunchKernelEx",    "cudaLaunchCooperativeKernel",
                                            "cudaLaunchKernel_ptsz", "cudaLaunchCooperativeKernelMultiDevice",
                                            "cuLaunchKernel"};
constexpr size_t kMostGuesses = 5;
constexpr size_t kMostInstantiationsWalked = 8;

class Extractor : public clang::RecursiveASTVisitor<Extractor> {
 public:
  explicit Extractor(const Unit& unit)
      : unit_(unit),
        context_(unit.context()),
        sources_(context_.getSourceManager()),
        policy_(context_.getPrintingPolicy()) {
    policy_.SuppressTagKeyword = true;
  }
  bool shouldVisitTemplateInstantiations() const { return true; }

  void run(Program& program) {
    program_ = &program;
    TraverseDecl(context_.getTranslationUnitDecl());
    for (auto& [where, kernel] : kernels_) {
      std::sort(kernel.instantiations.begin(), kernel.instantiations.end());
      program.kernels.push_back(std::move(kernel));
    }
  }

  bool TraverseFunctionDecl(clang::FunctionDecl* function) {
    const clang::FunctionDecl* outer = std::exchange(function_, function);
    const bool go_on = RecursiveASTVisitor::TraverseFunctionDecl(function);
    function_ = outer;
    return go_on;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    const auto* attribute = function->getAttr<clang::CUDAGlobalAttr>();
    if (!attribute || !is_users(function->getLocation())) return true;
    const Place mark = attribute->isInherited() ? Place{} : mark_of(attribute->getLocation());
    if (!mark.file.empty() && marks_.emplace(mark.file, mark.line, mark.column).second)
      program_->marks.push_back(mark);  // instances of a template repeat it
    add_kernel(*function);
    return true;
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) {
    const clang::CallExpr* config = call->getConfig();
    Launch launch;
    launch.form = "<<<>>>";
    name_kernel(launch, call->getCallee());
    std::string* const texts[] = {&launch.grid, &launch.block, &launch.shared_bytes, &launch.stream};
    for (unsigned i = 0; i < std::min(4u, config->getNumArgs()); ++i)
      if (!llvm::isa<clang::CXXDefaultArgExpr>(config->getArg(i))) *texts[i] = text_of(config->getArg(i));
    add_launch(std::move(launch), call->getBeginLoc(), config->getBeginLoc());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
    std::string word;
    if (const auto* function = call->getDirectCallee(); function && function->getIdentifier())
      word = function->getName().str();
    else if (const auto* unresolved = llvm::dyn_cast<clang::OverloadExpr>(callee))
      word = unresolved->getName().getAsString();
    if (!llvm::is_contained(kLaunchCalls, word) || call->getNumArgs() < 2) return true;
    Launch launch;
    launch.form = word;
    const bool config_first = word.starts_with("cudaLaunchKernelEx");
    name_kernel(launch, call->getArg(config_first ? 1 : 0));
    if (!config_first && call->getNumArgs() >= 3) {
      launch.grid = text_of(call->getArg(1));
      launch.block = text_of(call->getArg(2));
    }
    add_launch(std::move(launch), call->getBeginLoc(), call->getBeginLoc());
    return true;
  }

 private:
  bool is_users(clang::SourceLocation where) const {
    return where.isValid() && !sources_.isInSystemHeader(sources_.getExpansionLoc(where));
  }

  // Where __global__ is written: it is a macro, and the attribute stands in its text.
  Place mark_of(clang::SourceLocation attribute) const {
    if (attribute.isMacroID()) attribute = sources_.getImmediateExpansionRange(attribute).getBegin();
    return spelled_place(sources_, attribute);
  }

  // As written; in a launch that a macro makes, as the macro's text has it.
  std::string text_of(const clang::Expr* expression) const {
    clang::CharSourceRange range = sources_.getExpansionRange(expression->getSourceRange());
    if (expression->getBeginLoc().isMacroID()) {
      const clang::SourceLocation begin = sources_.getSpellingLoc(expression->getBeginLoc());
      const clang::SourceLocation end = sources_.getSpellingLoc(expression->getEndLoc());
      if (sources_.getFileID(begin) == sources_.getFileID(end) && begin <= end)
        range = clang::CharSourceRange::getTokenRange(begin, end);
    }
    std::string text = clang::Lexer::getSourceText(range, sources_, context_.getLangOpts()).str().substr(0, 200);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  std::string arguments_of(const clang::FunctionDecl& function) const {
    const auto* list = function.getTemplateSpecializationArgs();
    if (!list) return "";
    std::string text;
    llvm::raw_string_ostream out(text);
    clang::printTemplateArgumentList(out, list->asArray(), policy_);
    out.flush();
    return text.size() >= 2 ? text.substr(1, text.size() - 2) : text;
  }

  // The definition where there is one; the pattern of a template's instantiation.
  static const clang::FunctionDecl* origin_of(const clang::FunctionDecl& function) {
    const clang::FunctionDecl* origin = &function;
    if (const auto* pattern = function.getTemplateInstantiationPattern()) origin = pattern;
    const clang::FunctionDecl* definition = nullptr;
    return origin->isDefined(definition) ? definition : origin->getCanonicalDecl();
  }

  void add_kernel(const clang::FunctionDecl& function) {
    const clang::FunctionDecl* origin = origin_of(function);
    const Place place = place_of(sources_, origin->getLocation());
    const auto [at, fresh] = kernels_.try_emplace({place.file, place.line, place.column, origin->getNameAsString()});
    Kernel& kernel = at->second;
    if (fresh) {
      kernel.name = origin->getQualifiedNameAsString();
      kernel.file = place.file;
      kernel.line = place.line;
      kernel.end_line = place_of(sources_, origin->getEndLoc()).line;
      kernel.defined = origin->isThisDeclarationADefinition();
      for (const clang::ParmVarDecl* parameter : origin->parameters()) {
        std::string text;
        llvm::raw_string_ostream out(text);
        parameter->print(out, policy_);
        kernel.parameters.push_back(out.str());
      }
      if (const auto* described = origin->getDescribedFunctionTemplate())
        for (const clang::NamedDecl* parameter : *described->getTemplateParameters()) {
          std::string text;
          llvm::raw_string_ostream out(text);
          parameter->print(out, policy_);
          kernel.template_parameters.push_back(out.str());
        }
      if (kernel.defined) look_into(kernel, *origin);
    }
    if (!function.isTemplateInstantiation()) return;
    const std::string arguments = arguments_of(function);
    if (arguments.empty() || llvm::is_contained(kernel.instantiations, arguments)) return;
    kernel.instantiations.push_back(arguments);
    if (kernel.instantiations.size() > kMostInstantiationsWalked) return;
    const clang::FunctionDecl* body = nullptr;
    if (!function.isDefined(body) || !body->getBody()) return;
    if (kernel.instantiations.size() == 1) {
      // What is known of the types of an instance is better than what the template alone says.
      kernel.facts = {};
      kernel.guesses.clear();
    }
    look_into(kernel, *body);
  }

  void look_into(Kernel& kernel, const clang::FunctionDecl& body) {
    if (!body.getBody()) return;
    KernelWalk walk = walk_kernel(body);
    for (const clang::FunctionDecl* function : walk.followed)
      for (Problem& guess : guesses(unit_, *function))
        if (llvm::StringRef(guess.text).starts_with("reference to __global__ function"))
          // Clang refuses it where it compiles for the device; nvcc takes it.
          walk.facts.features.push_back({Feature::dynamic_parallelism, guess.place.line});
        else
          add_guess(kernel, std::move(guess));
    add_facts(kernel.facts, walk.facts);
  }

  static void add_guess(Kernel& kernel, Problem guess) {
    const bool known = std::any_of(kernel.guesses.begin(), kernel.guesses.end(), [&](const Problem& other) {
      return other.place.line == guess.place.line && other.place.file == guess.place.file;
    });
    if (!known && kernel.guesses.size() < kMostGuesses) kernel.guesses.push_back(std::move(guess));
  }

  void name_kernel(Launch& launch, const clang::Expr* expression) const {
    const clang::Expr* at = expression->IgnoreParenCasts();
    while (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(at)) at = unary->getSubExpr()->IgnoreParenCasts();
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(at)) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
      launch.kernel = function ? function->getQualifiedNameAsString() : name->getDecl()->getNameAsString();
      if (function) launch.instantiation = arguments_of(*function);
    } else if (const auto* unresolved = llvm::dyn_cast<clang::OverloadExpr>(at)) {
      launch.kernel = unresolved->getName().getAsString();
      for (const clang::NamedDecl* candidate : unresolved->decls())
        launch.kernel = candidate->getQualifiedNameAsString();
    } else {
      launch.kernel = text_of(expression);
    }
  }

  void add_launch(Launch launch, clang::SourceLocation where, clang::SourceLocation angles) {
    if (!is_users(where)) return;
    launch.place = place_of(sources_, where);
    launch.spelled = spelled_place(sources_, angles);
    if (where.isMacroID() && angles.isMacroID())
      launch.macro = clang::Lexer::getImmediateMacroName(angles, sources_, context_.getLangOpts()).str();
    if (function_) launch.function = function_->getQualifiedNameAsString();
    // Once a place, not once an instance of the function around it: the kernel's instances are gathered in one launch.
    const auto [at, fresh] = launches_.try_emplace(
        {launch.place.file, launch.place.line, launch.place.column, launch.kernel}, program_->launches.size());
    if (fresh) {
      program_->launches.push_back(std::move(launch));
    } else if (!launch.instantiation.empty()) {
      std::string& known = program_->launches[at->second].instantiation;
      if (("; " + known + "; ").find("; " + launch.instantiation + "; ") == std::string::npos)
        known += (known.empty() ? "" : "; ") + launch.instantiation;
    }
  }

  const Unit& unit_;
  const clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  clang::PrintingPolicy policy_;
  Program* program_ = nullptr;
  const clang::FunctionDecl* function_ = nullptr;
  std::map<std::tuple<std::string, int, int, std::string>, Kernel> kernels_;
  std::map<std::tuple<std::string, int, int, std::string>, size_t> launches_;  // into the program's
  std::set<std::tuple<std::string, int, int>> marks_;
};

}  // namespace

Program extract(const Unit& unit) {
  Program program;
  program.file = unit.file();
  program.missing = unit.missing();
  program.problems = unit.problems();
  program.left_out = unit.left_out();
  Extractor(unit).run(program);
  return program;
}

}  // namespace tqm::port
