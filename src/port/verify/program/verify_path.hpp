// All kernels of a source or of a tree of sources, translated and checked: what torquetum port verify does, without the
// command line.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "chips/chip.hpp"
#include "port/emit/emitter.hpp"
#include "port/frontend/parse.hpp"
#include "port/verify/check_kernel.hpp"
#include "port/verify/program/cases.hpp"
#include "port/verify/vector_share.hpp"
#include "report/report.hpp"

namespace tqm::port {

struct VerifyRequest {
  std::filesystem::path path;
  ParseOptions parsing;  // its file is replaced by each source found
  chips::Chip chip;
  CaseSources cases;
  SideBounds bounds;
  std::string only;  // a kernel by name; empty: all
  std::filesystem::path
      translated;  // a .mlu to check in place of our own translation of `path`, one file; may be empty
};

struct KernelReport {
  std::string kernel;  // as the user wrote it, with template arguments
  std::string file;
  int line = 0;
  char tier = ' ';  // of the emitted code, as far as the emulator's counters confirm it; blank: refused
  Agreement status = Agreement::not_run;
  std::string reason;
  std::string origin;                // of its cases
  std::vector<ir::Remark> remarks;   // of the translator
  std::vector<std::string> assumes;  // calls that nothing but their documentation vouches for
  std::string translation;           // the kernel in BANG C
  KernelVerdict verdict;
  VectorShare vector;  // what the emulator counted
  double seconds = 0;
};

// `told` hears each kernel as it is done; `clock` gives the seconds of each. An Error where the path, or a program that
// every kernel needs, is not there.
Result<std::vector<KernelReport>> verify_path(const VerifyRequest& request, const Clock& clock,
                                              const std::function<void(const KernelReport&)>& told);

// An object a kernel: kernel, file, line, tier ("none" where refused), status, reason, and more. This form is kept.
Json to_json(const std::vector<KernelReport>& kernels);

// report.html: CUDA left, BANG C right, remarks in the margin. The caller fills in what, when and where.
report::Report report_of(const std::vector<KernelReport>& kernels);

// 2 where one differs, else 0.
int exit_code_of(const std::vector<KernelReport>& kernels);

}  // namespace tqm::port
