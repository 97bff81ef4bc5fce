#include "port/verify/branch_cover.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace tqm::port {
namespace {

bool is_missing(const Branch& branch, std::size_t outcome) {
  return !branch.seen[outcome] && branch.leads[outcome] != Outcome::never;
}

std::string text_of(const Branch& branch, std::size_t outcome) {
  const std::string place =
      fmt::format("{}:{}:{}", std::filesystem::path(branch.file).filename().string(), branch.line, branch.column);
  if (branch.label) return place + ": a label of the switch was never gone to";
  return place + ": the condition was never " + (outcome == 1 ? "true" : "false");
}

}  // namespace

void BranchCover::add(const std::vector<Branch>& met) {
  for (const Branch& branch : met) {
    Branch& known = met_.emplace(branch.id, branch).first->second;
    for (std::size_t i = 0; i < 2; ++i) known.seen[i] = known.seen[i] || branch.seen[i];
  }
}

bool BranchCover::would_gain(const std::vector<Branch>& met) const {
  for (const Branch& branch : met) {
    const auto known = met_.find(branch.id);
    if (known == met_.end()) return true;
    for (std::size_t i = 0; i < 2; ++i)
      if (branch.seen[i] && is_missing(known->second, i)) return true;
  }
  return false;
}

std::vector<std::string> BranchCover::missing(Outcome leads) const {
  std::vector<std::string> texts;
  for (const auto& [id, branch] : met_)
    for (std::size_t i = 0; i < 2; ++i)
      if (is_missing(branch, i) && branch.leads[i] == leads) texts.push_back(text_of(branch, i));
  return texts;
}

bool BranchCover::complete() const {
  return shown() == outcomes();
}

std::size_t BranchCover::outcomes() const {
  std::size_t count = 0;
  for (const auto& [id, branch] : met_)
    for (std::size_t i = 0; i < 2; ++i) count += branch.leads[i] != Outcome::never;
  return count;
}

std::size_t BranchCover::shown() const {
  std::size_t count = 0;
  for (const auto& [id, branch] : met_)
    for (std::size_t i = 0; i < 2; ++i) count += branch.leads[i] != Outcome::never && branch.seen[i];
  return count;
}

}  // namespace tqm::port
