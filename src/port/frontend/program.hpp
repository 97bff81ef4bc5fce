// What a source holds, as plain data: kernels, launches, calls. It goes from the process that parses to the one that
// asks, as JSON, because Clang may end the process that parses.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "port/frontend/features.hpp"
#include "port/frontend/parse.hpp"

namespace tqm::port {

// How the index of an access moves from one thread to the next (threadIdx.x), all else equal.
enum class AccessPattern {
  uniform,     // it stays
  contiguous,  // by one element
  strided,     // by a fixed number of elements
  row,         // it stays within a row of threads, and moves with threadIdx.y or z
  irregular,   // by division, remainder, a table, …
  indirect,    // it was itself read from memory
};
std::string_view name(AccessPattern pattern);

// Accesses to memory outside the block, by pattern; how many stand in the source, not how many run.
using AccessCounts = std::map<AccessPattern, int>;

struct KernelFacts {
  std::vector<FeatureUse> features;  // by line, each feature at most once a line
  AccessCounts reads, writes;
  int loops = 0, deepest_loop = 0;
  bool thread_dependent_loop = false;  // threads of a block may go round a different number of times
  bool multiply_add_loop = false;      // a sum of products within a loop
  bool loop_carried_sum = false;       // a sum, maximum, … within a loop or across threads
  bool exponential = false, root = false;
};

struct Kernel {
  std::string name;  // with its namespaces: "ops::scale"
  std::string file;
  int line = 0, end_line = 0;
  std::vector<std::string> template_parameters;  // "class T", "int N"
  std::vector<std::string> instantiations;       // "float, 64": what launches ask for
  std::vector<std::string> parameters;           // "const float *x"
  bool defined = true;
  std::vector<Problem> guesses;  // what Clang had to guess in it
  KernelFacts facts;
};

struct Launch {
  std::string kernel;                             // with its namespaces; as written where it was not resolved
  std::string instantiation;                      // "float, 64"; "float; double" where a template launches both
  std::string form;                               // "<<<>>>", "cudaLaunchKernel", …
  std::string grid, block, shared_bytes, stream;  // as written
  std::string function;                           // in which it stands
  std::string macro;                              // by which it was written, if any
  Place place;                                    // of the launch
  Place spelled;                                  // of its <<<, which may stand in the text of a macro
};

struct Program {
  std::string file;
  std::vector<Kernel> kernels;
  std::vector<Launch> launches;
  std::vector<MissingInclude> missing;
  std::vector<Problem> problems;
  std::vector<LineRange> left_out;  // by #if
  std::vector<Place> marks;         // each __global__ that Clang saw, where it is spelled
};

Json to_json(const Program& program);
Result<Program> program_from_json(const Json& json);

}  // namespace tqm::port
