// A harness: a TOML file that says how kernels are to be launched for a verification. docs/port.md shows one.
//
// Sizes are named numbers; launches, lengths and ranges are small expressions of them, so that a failing case can be
// made smaller by making its sizes smaller.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "port/verify/element.hpp"
#include "port/verify/expression.hpp"
#include "port/verify/fill.hpp"

namespace tqm::port {

// An expression and where it stands, for refusals while it is counted.
struct Formula {
  std::string text;
  std::string where;  // "sums.toml:7"
};

struct HarnessRange {
  Formula low, high;  // a formula of numbers with a fraction is a plain number
};

struct HarnessBuffer {
  Element element = Element::f32;
  Formula count;
  std::optional<Fill> fill;  // none: what the case fills all with
  std::optional<HarnessRange> range;
  bool initialised = true;  // fill = "none"
  bool output = false;
  std::string symbol;  // of a __constant__ or __device__ variable; empty: an argument points to it
};

struct HarnessScalar {
  Element element = Element::i32;
  std::optional<Formula> value;  // none: data, filled as the case says
  std::optional<HarnessRange> range;
};

struct HarnessKernel {
  std::string name;    // as the source says it; an instantiation with its arguments: "scale<float>"
  std::string where;   // of its table
  std::string source;  // empty: any
  std::array<Formula, 3> grid, block;
  Formula shared_bytes;
  std::vector<std::string> arguments;  // names of buffers, scalars and sizes, in order
  std::vector<Sizes> sizes;            // the first is used for every case, the others for random ones
  Sizes least;                         // no size is made smaller than this; 1 where nothing is said
  std::vector<Fill> cases;
  std::map<std::string, HarnessBuffer> buffers;
  std::map<std::string, HarnessScalar> scalars;
};

struct Harness {
  std::filesystem::path file;
  std::vector<HarnessKernel> kernels;
};

// Refused with file and line: keys, element types and fills that don't exist, arguments that name nothing, expressions
// that can't be counted with the first sizes, a kernel without outputs.
Result<Harness> parse_harness(const std::string& text, const std::filesystem::path& file);
Result<Harness> read_harness(const std::filesystem::path& file);

}  // namespace tqm::port
