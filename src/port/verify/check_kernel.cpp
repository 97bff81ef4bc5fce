#include "port/verify/check_kernel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "port/verify/more_inputs.hpp"

namespace tqm::port {
namespace {

constexpr std::size_t kThoroughCases = 2;
constexpr int kMostShrinks = 24;

class Checker {
 public:
  Checker(const Sides& sides, const CheckPlan& plan, const KernelCases& cases, const std::filesystem::path& folder)
      : sides_(sides), plan_(plan), cases_(cases), folder_(folder) {}

  Result<KernelVerdict> run() {
    all_ = TRY(with_more_inputs(sides_, plan_, cases_, folder_ / "look"));
    for (std::size_t i = 0; i < all_.size(); ++i) {
      CheckPlan plan = plan_;
      plan.thorough = plan_.thorough && i < kThoroughCases;
      const PreparedCase& prepared = all_[i];
      CaseVerdict verdict = TRY(check_case(sides_, plan, prepared, folder_ / fmt::format("case-{}", i)));
      const Agreement agreement = verdict.agreement;
      if (agreement == Agreement::agrees) {
        out_.branches.add(verdict.branches);
        out_.cases.push_back(std::move(verdict));
        continue;
      }
      if (agreement != Agreement::differs && !out_.cases.empty()) {
        if (i < cases_.cases.size())
          out_.notes.push_back("the case \"" + prepared.label + "\" was left out: " + verdict.reason);
        continue;
      }
      if (agreement == Agreement::differs) verdict = TRY(shrunk(prepared, plan, std::move(verdict)));
      return ended(std::move(verdict));
    }
    judge_agreeing();
    return out_;
  }

 private:
  KernelVerdict ended(CaseVerdict verdict) {
    out_.agreement = verdict.agreement;
    out_.reason = verdict.reason;
    out_.file = verdict.file;
    out_.line = verdict.line;
    out_.cases.push_back(std::move(verdict));
    return out_;
  }

  // Each size in turn is halved, then made one less, while the sides still differ.
  Result<CaseVerdict> shrunk(PreparedCase prepared, const CheckPlan& plan, CaseVerdict verdict) {
    out_.smallest = prepared.label;
    int tries = 0;
    bool smaller = static_cast<bool>(cases_.remake);
    while (smaller) {
      smaller = false;
      for (const auto& [size, value] : Sizes(prepared.sizes)) {
        const auto least = cases_.least.find(size);
        const std::int64_t bound = least == cases_.least.end() ? 1 : least->second;
        for (const std::int64_t next : {bound, value / 2, value - 1}) {
          if (next < bound || next >= value || ++tries > kMostShrinks) continue;
          Sizes sizes = prepared.sizes;
          sizes[size] = next;
          auto remade = cases_.remake(sizes, prepared.fill, prepared.seed);
          if (!remade.ok()) continue;  // a launch of nothing, for one
          CaseVerdict again = TRY(check_case(sides_, plan, *remade, folder_ / "smaller"));
          if (again.agreement != Agreement::differs) continue;
          prepared = std::move(remade).take();
          verdict = std::move(again);
          out_.smallest = prepared.label;
          smaller = true;
          break;
        }
      }
    }
    return verdict;
  }

  void judge_agreeing() {
    out_.agreement = Agreement::not_run;
    if (out_.cases.empty()) {
      out_.reason = "there is no case to run";
      return;
    }
    std::set<std::string> outputs;
    for (const PreparedCase& prepared : all_) outputs.insert(prepared.outputs.begin(), prepared.outputs.end());
    for (const std::string& output : outputs)
      if (!judge_output(output)) return;
    if (!judge_branches()) return;
    out_.agreement = Agreement::agrees;
  }

  // False where code of the kernel was never run, so that nothing is shown about it.
  bool judge_branches() {
    for (const std::string& missing : out_.branches.missing(Outcome::empty))
      out_.notes.push_back("no input was found that shows the other outcome: " + missing);
    const auto missing = out_.branches.missing(Outcome::code);
    if (missing.empty()) return true;
    out_.reason = "code of it was never run: " + missing.front();
    if (missing.size() > 1) out_.reason += fmt::format(", and {} more", missing.size() - 1);
    return false;
  }

  // False where nothing is shown about it.
  bool judge_output(const std::string& output) {
    std::size_t changed = 0, compared = 0, order_dependent = 0, loose = 0;
    for (const CaseVerdict& verdict : out_.cases)
      for (const BufferVerdict& buffer : verdict.buffers) {
        if (buffer.buffer != output) continue;
        changed += buffer.comparison.changed;
        compared += buffer.comparison.compared;
        order_dependent += buffer.comparison.order_dependent;
        loose += buffer.comparison.loose;
      }
    if (changed == 0) {
      out_.reason = "no case changed the output " + output + ", so that nothing is shown";
      return false;
    }
    if (order_dependent > 0)
      out_.notes.push_back(
          fmt::format("of the output {}, {} elements depend on CUDA's own order of blocks and were not "
                      "compared; {} were",
                      output, order_dependent, compared));
    if (loose > 0)
      out_.notes.push_back(fmt::format(
          "of the output {}, {} of {} elements compared are loose: rounding moves CUDA's own result by more "
          "than a thousandth",
          output, loose, compared));
    if (compared == 0) {
      out_.reason = "every element of the output " + output + " depends on CUDA's own order of blocks";
      return false;
    }
    return true;
  }

  const Sides& sides_;
  const CheckPlan& plan_;
  const KernelCases& cases_;
  const std::filesystem::path& folder_;
  std::vector<PreparedCase> all_;
  KernelVerdict out_;
};

}  // namespace

Result<KernelVerdict> check_kernel(const Sides& sides, const CheckPlan& plan, const KernelCases& cases,
                                   const std::filesystem::path& folder) {
  return Checker(sides, plan, cases, folder).run();
}

}  // namespace tqm::port
