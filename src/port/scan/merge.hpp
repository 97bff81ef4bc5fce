// Brings together what Clang said of each source and what the words of each file say: one row a kernel.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "port/scan/sources.hpp"

namespace tqm::port {

class Merger {
 public:
  // files outlive the merger.
  explicit Merger(const std::vector<SourceFile>& files);
  void add(const Program& program);
  void add_failure(const SourceFile& file, const Error& why);
  // Words of its text stand for a kernel that no program so far holds.
  bool lacks_kernels_of(const SourceFile& file);
  Scan finish();

 private:
  using At = std::pair<std::string, int>;  // file, line
  Kernel* named_at(const std::string& path, const TokenKernel& kernel);
  bool is_known(const std::string& path, const TokenKernel& kernel);
  void add_from_words(const SourceFile& file);
  Diagnostic why_by_words(const SourceFile& file, const TokenKernel& kernel) const;
  void settle_declared();
  void settle_launches();
  void judge();
  std::string shown(const std::string& path) const;

  const std::vector<SourceFile>& files_;
  std::map<std::string, std::string> shown_;  // absolute path -> as the user named it
  std::map<std::tuple<std::string, int, std::string>, KernelRow> kernels_;
  std::map<std::tuple<std::string, int, int, std::string>, LaunchRow> launches_;
  std::set<At> marks_, launched_;  // spelled __global__ and <<< that Clang saw
  std::map<std::string, std::vector<LineRange>> left_out_;
  std::map<std::string, std::vector<Problem>> problems_;  // by file
  std::set<std::tuple<std::string, int, std::string>> missing_;
  std::map<std::string, Diagnostic> failed_;
  std::map<std::tuple<std::string, int, std::string>, std::vector<Diagnostic>> notes_;  // of rows from words
  Scan scan_;
};

}  // namespace tqm::port
