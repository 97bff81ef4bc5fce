// What the words of a source say, without its macros and types: every __global__, every <<<, every call of a CUDA
// library, in parts that the preprocessor leaves out, too. Clang's tree is asked first; this finds what it does not
// hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/frontend/features.hpp"

namespace tqm::port {

struct TokenKernel {
  enum Kind { defined, declared, in_macro, unclear } kind = unclear;
  std::string name;
  int line = 0;       // of __global__
  int name_line = 0;  // of its name
  int end_line = 0;
  bool is_template = false;
  std::vector<FeatureUse> features;
};

struct TokenLaunch {
  std::string kernel, grid, block, shared_bytes, stream;
  int line = 0;
  bool in_macro = false;
};

struct TokenCall {
  std::string library, function;  // "cuBLAS", "cublasSgemm"; "thrust", "thrust::sort"
  int line = 0;
};

struct TokenScan {
  std::vector<TokenKernel> kernels;
  std::vector<TokenLaunch> launches;
  std::vector<TokenCall> calls;
  bool device_code = false;  // __global__, __device__, <<< or cudaLaunchKernel
};

TokenScan scan_tokens(std::string_view source);

}  // namespace tqm::port
