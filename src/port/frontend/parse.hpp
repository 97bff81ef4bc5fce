// The door to Clang: parses a CUDA file the tolerant way and keeps the tree in memory for whoever reads it in process.
//
//   Unit unit = TRY(parse({.file = "softmax.cu", .include_folders = {"include"}}));
//   unit.context()        clang::ASTContext: the whole tree, bodies of kernels, device and host functions, and every
//                         instantiation of a template that the file asks for
//   unit.preprocessor()   clang::Preprocessor: macros, the source manager
//   unit.problems()       what Clang reported as errors; a file with errors still gives a tree
//   unit.missing()        headers that were not found: each was answered by an empty file
//
// It is the device's view (__CUDA_ARCH__ is set, bodies are there), laid out for x86-64, so sizes and offsets are those
// of the CPU. No CUDA install is used or looked for: cuda_runtime.h and the rest come from the folder `cuda_headers`.
// As with nvcc, cuda_runtime.h is included before the first line.
//
// What a reader must refuse, because the file only half parsed: a declaration with isInvalidDecl() (Clang takes an
// unknown type for int), a RecoveryExpr, and a function within whose lines Clang reported an error, since Clang leaves
// some wrong statements out of the body without a trace. first_guess() answers all three for a whole function.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace clang {
class ASTContext;
class FunctionDecl;
class Preprocessor;
}  // namespace clang

namespace tqm::port {

struct ParseOptions {
  std::filesystem::path file = {};
  std::optional<std::string> text = {};                     // parsed in place of what the file holds
  std::vector<std::filesystem::path> include_folders = {};  // as -I
  std::vector<std::string> defines = {};                    // as -D: NAME or NAME=VALUE
  std::string standard = "c++17";                           // as -std
  std::filesystem::path cuda_headers = default_cuda_headers();
  // Cooperative groups and CUB with bodies that can be lowered, before the headers above; empty: without.
  std::filesystem::path collectives = {};

  // Beside the program: ../share/torquetum/port/cuda/include, in the build tree as in an installation.
  static std::filesystem::path default_cuda_headers();
  static std::filesystem::path default_collectives();
};

struct Place {
  std::string file;
  int line = 0, column = 0;  // from 1
};

// An error of Clang's; warnings are not kept.
struct Problem {
  std::string text;
  Place place;
};

struct MissingInclude {
  std::string name;  // as written
  Place place;
};

// Lines that #if, #ifdef and their like leave out.
struct LineRange {
  std::string file;
  int first = 0, last = 0;
};

class Unit {
 public:
  Unit(Unit&&) noexcept;
  Unit& operator=(Unit&&) noexcept;
  ~Unit();
  clang::ASTContext& context() const;
  clang::Preprocessor& preprocessor() const;
  const std::vector<Problem>& problems() const;
  const std::vector<MissingInclude>& missing() const;
  const std::vector<LineRange>& left_out() const;
  std::string file() const;  // the path that was parsed

 private:
  struct State;
  explicit Unit(std::unique_ptr<State> state);
  friend Result<Unit> parse(const ParseOptions& options);
  std::unique_ptr<State> state_;
};

// An Error is only what leaves nothing to read: no such file, a standard that Clang does not know, no headers beside
// the program. Clang may end the process on mangled input: who reads files that nobody vouches for does so in a child.
Result<Unit> parse(const ParseOptions& options);

// The first place in the function, its parameters or its body that is Clang's guess or that Clang complained of; none
// where it was understood whole. Functions that it calls are asked for one by one.
std::optional<Problem> first_guess(const Unit& unit, const clang::FunctionDecl& function);
std::vector<Problem> guesses(const Unit& unit, const clang::FunctionDecl& function);  // all of them

}  // namespace tqm::port
