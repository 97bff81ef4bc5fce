#include "port/frontend/parse.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <fstream>
#include <gtest/gtest.h>

#include "base/file.hpp"

namespace tqm::port {
namespace {

ParseOptions options_of(std::string text) {
  ParseOptions options;
  options.file = "/test/source.cu";
  options.text = std::move(text);
  options.cuda_headers = TQM_SOURCE_DIR "/tests/cases/port/frontend/cuda";
  return options;
}

// Every kernel with a body, instantiations too, as "name<arguments>".
class Kernels : public clang::RecursiveASTVisitor<Kernels> {
 public:
  explicit Kernels(const Unit& unit) { TraverseAST(unit.context()); }
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->hasAttr<clang::CUDAGlobalAttr>() || !function->doesThisDeclarationHaveABody()) return true;
    std::string name;
    llvm::raw_string_ostream out(name);
    function->getNameForDiagnostic(out, function->getASTContext().getPrintingPolicy(), false);
    found[name] = function;
    return true;
  }
  std::map<std::string, const clang::FunctionDecl*> found;
};

TEST(Parse, GivesBodiesAndInstantiations) {
  const auto unit = parse(options_of(R"cu(
#include <vector>
__device__ float twice(float x) { return 2 * x; }
__global__ void plain(float* y) { y[threadIdx.x] = twice(y[threadIdx.x]); }
template <class T, int N> __global__ void generic(T* y) { __shared__ T s[N]; s[threadIdx.x] = y[0]; }
void run(float* y, double* z) {
  std::vector<int> v(3);
  plain<<<1, 32>>>(y);
  generic<float, 64><<<dim3(2, 2), 64>>>(y);
  generic<double, 32><<<2, 32, 0, nullptr>>>(z);
})cu"));
  ASSERT_TRUE(unit.ok()) << unit.error().message();
  for (const Problem& problem : unit->problems()) ADD_FAILURE() << problem.text << " line " << problem.place.line;
  const Kernels kernels(*unit);
  ASSERT_EQ(kernels.found.size(), 4u);  // the template itself too
  for (const char* name : {"plain", "generic<float, 64>", "generic<double, 32>"}) {
    ASSERT_TRUE(kernels.found.count(name)) << name;
    EXPECT_FALSE(first_guess(*unit, *kernels.found.at(name))) << name;
  }
  const auto& sources = unit->context().getSourceManager();
  EXPECT_EQ(sources.getSpellingLineNumber(kernels.found.at("plain")->getLocation()), 4u);
}

TEST(Parse, AMissingHeaderIsAnEmptyOneAndIsSaid) {
  const auto unit =
      parse(options_of("#include \"nowhere.h\"\n#include <also/nowhere.cuh>\n"
                       "template <class T> __global__ void k(T* x) { *x = 1; }\n"
                       "void f(int* x) { k<<<1, 1>>>(x); }\n"));
  ASSERT_TRUE(unit.ok());
  ASSERT_EQ(unit->missing().size(), 2u);
  EXPECT_EQ(unit->missing()[0].name, "nowhere.h");
  EXPECT_EQ(unit->missing()[1].name, "also/nowhere.cuh");
  EXPECT_EQ(unit->missing()[1].place.line, 2);
  EXPECT_TRUE(unit->problems().empty());
  EXPECT_TRUE(Kernels(*unit).found.count("k<int>"));  // instantiated all the same
}

TEST(Parse, WhatClangGuessedIsNamed) {
  const auto unit =
      parse(options_of("__global__ void a(Unknown* x) { x[0] = 1; }\n"
                       "__global__ void b(int* x) {\n  x[0] = unknown(3);\n}\n"
                       "__global__ void c(int* x) { x[0] = 1; }\n"
                       "__global__ void d(int* x) {\n  Unknown t = 1;\n  x[0] = 1;\n}\n"
                       "__global__ void e(int* x) {\n  c<<<1, 1>>>(x);\n}\n"));
  ASSERT_TRUE(unit.ok());
  EXPECT_FALSE(unit->problems().empty());
  const Kernels kernels(*unit);
  ASSERT_EQ(kernels.found.size(), 5u);
  EXPECT_TRUE(first_guess(*unit, *kernels.found.at("a")));
  ASSERT_TRUE(first_guess(*unit, *kernels.found.at("b")));
  EXPECT_EQ(first_guess(*unit, *kernels.found.at("b"))->place.line, 3);
  EXPECT_FALSE(first_guess(*unit, *kernels.found.at("c")));
  ASSERT_TRUE(first_guess(*unit, *kernels.found.at("d")));
  ASSERT_TRUE(first_guess(*unit, *kernels.found.at("e")));  // Clang left the launch out of the body
  EXPECT_EQ(first_guess(*unit, *kernels.found.at("e"))->place.line, 11);
  EXPECT_EQ(first_guess(*unit, *kernels.found.at("d"))->text, "\"t\" is declared with an unknown type");
}

TEST(Parse, TakesIncludesAndDefines) {
  const TemporaryFolder folder = TemporaryFolder::make("tqm-parse").take();
  std::ofstream(folder.path() / "size.h") << "constexpr int kSize = SIZE;\n";
  ParseOptions options = options_of(
      "#include \"size.h\"\nstatic_assert(kSize == 7);\n#ifdef FLAG\nint flag;\n#endif\n"
      "int g = flag;\n");
  options.include_folders = {folder.path()};
  options.defines = {"SIZE=7", "FLAG"};
  const auto unit = parse(options);
  ASSERT_TRUE(unit.ok());
  EXPECT_TRUE(unit->problems().empty());
  EXPECT_TRUE(unit->missing().empty());
}

TEST(Parse, RefusesWhatLeavesNothingToRead) {
  ParseOptions options;
  options.file = "/nowhere/at/all.cu";
  options.cuda_headers = TQM_SOURCE_DIR "/tests/cases/port/frontend/cuda";
  EXPECT_EQ(parse(options).error().message(), "no such file (/nowhere/at/all.cu): name a CUDA source");
  options = options_of("int x;");
  options.standard = "c++99";
  const auto standard = parse(options);
  ASSERT_FALSE(standard.ok());
  EXPECT_NE(standard.error().what.find("c++99"), std::string::npos) << standard.error().message();
  options = options_of("int x;");
  options.cuda_headers = "/nowhere/headers";
  EXPECT_EQ(parse(options).error().what, "the look-alike CUDA headers are missing");
}

}  // namespace
}  // namespace tqm::port
