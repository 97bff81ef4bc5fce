// Which outcomes of a kernel's conditions its cases have shown, taken together.
//
// A condition that was never come to counts for nothing here: another one, before it, has an outcome that is missing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "port/launch/branch.hpp"

namespace tqm::port {

class BranchCover {
 public:
  void add(const std::vector<Branch>& met);
  bool would_gain(const std::vector<Branch>& met) const;  // an outcome that nothing here has shown

  // Outcomes that lead there and were not seen: "sums.cu:12:7: the condition was never true".
  std::vector<std::string> missing(Outcome leads) const;
  bool complete() const;  // none is missing, whether it leads to code or past it

  std::size_t outcomes() const;  // that inputs could show, of conditions that were come to
  std::size_t shown() const;

 private:
  std::map<std::size_t, Branch> met_;
};

}  // namespace tqm::port
