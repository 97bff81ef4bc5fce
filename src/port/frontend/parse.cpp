#include "port/frontend/parse.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Parse/ParseAST.h>
#include <clang/Sema/Sema.h>

#include "base/process.hpp"
#include "port/frontend/places.hpp"

namespace tqm::port {
namespace fs = std::filesystem;
namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";

class ProblemCollector : public clang::DiagnosticConsumer {
 public:
  explicit ProblemCollector(std::vector<Problem>& problems) : problems_(problems) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error || problems_.size() >= kMost) return;
    llvm::SmallString<256> text;
    diagnostic.FormatDiagnostic(text);
    Problem problem;
    problem.text = text.str().str();
    if (diagnostic.hasSourceManager())
      problem.place = place_of(diagnostic.getSourceManager(), diagnostic.getLocation());
    problems_.push_back(std::move(problem));
  }

 private:
  static constexpr size_t kMost = 10000;  // a mangled file complains for ever
  std::vector<Problem>& problems_;
};

// A missing include is fatal where it is not skipped, and silently ends the instantiation of templates.
class PreprocessorNotes : public clang::PPCallbacks {
 public:
  PreprocessorNotes(std::vector<MissingInclude>& missing, std::vector<LineRange>& left_out,
                    const clang::SourceManager& sources)
      : missing_(missing), left_out_(left_out), sources_(sources) {}
  bool FileNotFound(llvm::StringRef) override { return true; }
  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef, llvm::StringRef,
                          const clang::Module*, bool, clang::SrcMgr::CharacteristicKind) override {
    if (!file) missing_.push_back({name.str(), place_of(sources_, hash)});
  }

  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override {
    if (sources_.isInSystemHeader(range.getBegin())) return;
    const Place first = place_of(sources_, range.getBegin());
    left_out_.push_back({first.file, first.line, place_of(sources_, range.getEnd()).line});
  }

 private:
  std::vector<MissingInclude>& missing_;
  std::vector<LineRange>& left_out_;
  const clang::SourceManager& sources_;
};

llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics_into(std::vector<Problem>& problems) {
  return new clang::DiagnosticsEngine(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                      new ProblemCollector(problems));
}

Error refused_options(const ParseOptions& options, const std::vector<Problem>& problems) {
  return {ErrorKind::usage, problems.empty() ? "Clang does not take these options" : problems.front().text,
          options.file.string(), "look at -I, -D and --std"};
}

// The driver knows where this system keeps its C++ library and Clang its own headers; it is asked for a plain C++
// compilation, since for CUDA it would look for an install.
Result<std::vector<std::string>> compiler_arguments(const ParseOptions& options) {
  std::vector<std::string> given = {
      TQM_CLANG_PROGRAM, "-fsyntax-only",      "-x", "c++", "-std=" + options.standard, "-w",
      "-ferror-limit=0", "-fno-spell-checking"};
  for (const auto& folder : options.include_folders) given.push_back("-I" + folder.string());
  if (!options.collectives.empty()) given.push_back("-I" + options.collectives.string());
  for (const auto& define : options.defines) given.push_back("-D" + define);
  given.push_back("--");
  given.push_back(options.file.string());
  std::vector<const char*> words;
  for (const std::string& word : given) words.push_back(word.c_str());

  std::vector<Problem> problems;
  const auto diagnostics = diagnostics_into(problems);
  clang::driver::Driver driver(TQM_CLANG_PROGRAM, kTriple, *diagnostics);
  driver.setCheckInputsExist(false);
  driver.setProbePrecompiled(false);
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(words));
  if (!compilation || compilation->getJobs().size() != 1) return refused_options(options, problems);
  std::vector<std::string> arguments;
  const auto& job = compilation->getJobs().begin()->getArguments();
  for (size_t i = 0; i < job.size(); ++i) {
    const std::string word = job[i];
    if (word == "-cc1") continue;
    if (word == "-x" && i + 1 < job.size()) {
      arguments.insert(arguments.end(), {"-x", "cuda"});
      ++i;
    } else {
      arguments.push_back(word);
    }
  }
  return arguments;
}

// A folder of the user's comes before our look-alikes, as with nvcc. nvcc's own macros are set by the look-alikes.
std::vector<std::string> cuda_arguments(const ParseOptions& options) {
  return {"-fcuda-is-device",
          "-aux-triple",
          kTriple,
          "-fcuda-allow-variadic-functions",
          "-fgpu-rdc",                 // extern __device__ variables are allowed
          "-target-sdk-version=12.4",  // launches go by __cudaPushCallConfiguration
          "-internal-isystem",
          options.cuda_headers.string(),
          "-include",
          "cuda_runtime.h"};
}

Status check_headers(const fs::path& folder) {
  if (fs::exists(folder / "cuda_runtime.h")) return {};
  return Error{ErrorKind::environment, "the look-alike CUDA headers are missing", folder.string(),
               "build all programs (make build), or install them anew"};
}

}  // namespace

struct Unit::State {
  // compiler is destroyed first: it reports to the lists.
  std::string file;
  std::vector<Problem> problems;
  std::vector<MissingInclude> missing;
  std::vector<LineRange> left_out;
  std::unique_ptr<clang::CompilerInstance> compiler;
};

Unit::Unit(std::unique_ptr<State> state) : state_(std::move(state)) {}
Unit::Unit(Unit&&) noexcept = default;
Unit& Unit::operator=(Unit&&) noexcept = default;
Unit::~Unit() = default;
clang::ASTContext& Unit::context() const {
  return state_->compiler->getASTContext();
}
clang::Preprocessor& Unit::preprocessor() const {
  return state_->compiler->getPreprocessor();
}
const std::vector<Problem>& Unit::problems() const {
  return state_->problems;
}
const std::vector<MissingInclude>& Unit::missing() const {
  return state_->missing;
}
const std::vector<LineRange>& Unit::left_out() const {
  return state_->left_out;
}
std::string Unit::file() const {
  return state_->file;
}

fs::path ParseOptions::default_cuda_headers() {
  return own_binary().parent_path().parent_path() / "share/torquetum/port/cuda/include";
}

fs::path ParseOptions::default_collectives() {
  return own_binary().parent_path().parent_path() / "share/torquetum/port/collectives";
}

Result<Unit> parse(const ParseOptions& options) {
  std::error_code error;
  if (!options.text && !fs::is_regular_file(options.file, error))
    return Error{ErrorKind::not_found, "no such file", options.file.string(), "name a CUDA source"};
  TRY(check_headers(options.cuda_headers));
  std::vector<std::string> arguments = TRY(compiler_arguments(options));
  const std::vector<std::string> ours = cuda_arguments(options);
  arguments.insert(arguments.begin(), ours.begin(), ours.end());
  std::vector<const char*> words;
  for (const std::string& word : arguments) words.push_back(word.c_str());

  auto state = std::make_unique<Unit::State>();
  state->file = options.file.string();
  state->compiler = std::make_unique<clang::CompilerInstance>();
  clang::CompilerInstance& compiler = *state->compiler;
  const auto early = diagnostics_into(state->problems);
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), words, *early, TQM_CLANG_PROGRAM))
    return refused_options(options, state->problems);
  compiler.createDiagnostics(new ProblemCollector(state->problems), true);
  compiler.getDiagnostics().setFatalsAsError(true);
  compiler.getFrontendOpts().DisableFree = false;
  if (options.text)
    compiler.getPreprocessorOpts().addRemappedFile(
        options.file.string(), llvm::MemoryBuffer::getMemBufferCopy(*options.text, options.file.string()).release());
  compiler.createFileManager();
  compiler.createSourceManager(compiler.getFileManager());
  if (!compiler.createTarget()) return Error{ErrorKind::internal, "Clang has no x86-64 target", TQM_CLANG_PROGRAM, ""};
  compiler.createPreprocessor(clang::TU_Complete);
  clang::Preprocessor& preprocessor = compiler.getPreprocessor();
  preprocessor.getBuiltinInfo().initializeBuiltins(preprocessor.getIdentifierTable(), preprocessor.getLangOpts());
  preprocessor.addPPCallbacks(
      std::make_unique<PreprocessorNotes>(state->missing, state->left_out, compiler.getSourceManager()));
  compiler.createASTContext();
  compiler.setASTConsumer(std::make_unique<clang::ASTConsumer>());
  if (compiler.getFrontendOpts().Inputs.size() != 1 ||
      !compiler.InitializeSourceManager(compiler.getFrontendOpts().Inputs[0]))
    return Error{ErrorKind::bad_input, "the file can't be read", options.file.string(), ""};
  compiler.createSema(clang::TU_Complete, nullptr);
  compiler.getDiagnosticClient().BeginSourceFile(compiler.getLangOpts(), &preprocessor);
  clang::ParseAST(compiler.getSema());
  compiler.getDiagnosticClient().EndSourceFile();
  return Unit(std::move(state));
}

namespace {

class GuessFinder : public clang::RecursiveASTVisitor<GuessFinder> {
 public:
  explicit GuessFinder(const clang::SourceManager& sources) : sources_(sources) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }
  bool VisitRecoveryExpr(clang::RecoveryExpr* expression) {
    return note("an expression that Clang could not resolve", expression->getBeginLoc());
  }
  bool VisitDecl(clang::Decl* declaration) {
    if (!declaration->isInvalidDecl()) return true;
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
    const std::string name = named ? named->getNameAsString() : "";
    return note(name.empty() ? "a declaration of unknown type" : "\"" + name + "\" is declared with an unknown type",
                declaration->getLocation());
  }
  std::optional<Problem> found;

 private:
  bool note(std::string text, clang::SourceLocation where) {
    found = Problem{std::move(text), place_of(sources_, where)};
    return false;
  }
  const clang::SourceManager& sources_;
};

}  // namespace

std::vector<Problem> guesses(const Unit& unit, const clang::FunctionDecl& function) {
  const auto& sources = function.getASTContext().getSourceManager();
  GuessFinder finder(sources);
  finder.TraverseDecl(const_cast<clang::FunctionDecl*>(&function));
  std::vector<Problem> found;
  if (finder.found) found.push_back(std::move(*finder.found));
  const Place first = place_of(sources, function.getBeginLoc());
  const int last = place_of(sources, function.getEndLoc()).line;
  for (const Problem& problem : unit.problems())
    if (problem.place.file == first.file && problem.place.line >= first.line && problem.place.line <= last)
      found.push_back(problem);
  return found;
}

std::optional<Problem> first_guess(const Unit& unit, const clang::FunctionDecl& function) {
  std::vector<Problem> found = guesses(unit, function);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

}  // namespace tqm::port
