#include "port/verify/program/hunt.hpp"

#include <algorithm>
#include <optional>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "port/frontend/lower.hpp"
#include "port/verify/more_inputs.hpp"
#include "port/verify/program/plan.hpp"
#include "port/verify/program/sides.hpp"

namespace tqm::port {
namespace {

int line_at(const std::string& text, std::size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

class Hunter {
 public:
  explicit Hunter(const VerifyRequest& request) : request_(request) {}

  Result<std::vector<Hunted>> run(std::size_t most, const std::function<void(const Hunted&)>& told) {
    const auto emitter = TRY(emit::bang_emitter(request_.chip));
    ParseOptions options = request_.parsing;
    options.file = request_.path;
    options.collectives = ParseOptions::default_collectives();
    const Unit unit = TRY(parse(options));
    kernels_ = lower(unit);
    emitted_ = emitter->emit(kernels_, request_.path.filename().string());
    const TemporaryFolder work = TRY(TemporaryFolder::make());
    work_ = work.path();
    for (std::size_t i = 0; i < kernels_.size(); ++i) TRY(add_prey(i));
    Random random(request_.cases.seed);
    random.shuffle(all_);
    if (all_.size() > most) all_.resize(most);
    std::vector<Hunted> hunted;
    for (const auto& [prey, mutant] : all_) {
      hunted.push_back(TRY(check(preys_[prey], mutant)));
      told(hunted.back());
    }
    return hunted;
  }

 private:
  // A kernel that agrees, with its CUDA side's runs.
  struct Prey {
    const emit::EmittedKernel* kernel = nullptr;
    Sides sides;
    CheckPlan plan;
    KernelCases cases;
    std::vector<std::optional<CudaRuns>> runs;
  };

  Status add_prey(std::size_t index) {
    const emit::EmittedKernel& kernel = emitted_.kernels[index];
    if (kernel.refused || is_demoted(kernel)) return {};
    auto cases = chosen_cases(kernels_[index], request_.cases);
    if (!cases.ok()) return {};
    Prey prey;
    prey.kernel = &kernel;
    prey.cases = std::move(cases).take();
    prey.plan = plan_of(kernel, request_.chip, request_.bounds);
    if (!cuda_) cuda_ = TRY(build_cuda_sides(request_.path, request_.parsing, false, work_ / "cuda"));
    prey.sides = {cuda_->plain, cuda_->contracted, {}, {}};
    prey.cases.cases = TRY(with_more_inputs(prey.sides, prey.plan, prey.cases, work_ / "mutant" / "look"));
    if (!TRY(agrees(prey))) return {};
    const std::string_view own = trim(kernel.text);  // blank lines at the end of the file are fewer
    const std::size_t begin = emitted_.text.find(own);
    ASSERT(!own.empty() && begin != std::string::npos);
    const std::size_t end = begin + own.size();
    for (Mutant& mutant : mutants(emitted_.text, line_at(emitted_.text, begin), line_at(emitted_.text, end)))
      all_.emplace_back(preys_.size(), std::move(mutant));
    preys_.push_back(std::move(prey));
    return {};
  }

  // As it was translated; cases of which nothing can be said are left out. One whose original is at fault is no prey.
  Result<bool> agrees(Prey& prey) {
    prey.sides.bang = TRY(build_bang_side(emitted_.text, {prey.kernel->name}, request_.chip, work_ / "mutant"));
    std::vector<PreparedCase> kept;
    for (const PreparedCase& prepared : prey.cases.cases) {
      std::optional<CudaRuns> runs;
      const CaseVerdict verdict = TRY(check_case(prey.sides, prey.plan, prepared, work_ / "mutant" / "case", &runs));
      if (verdict.agreement == Agreement::differs || (kept.empty() && verdict.agreement != Agreement::agrees))
        return false;
      if (verdict.agreement != Agreement::agrees) continue;
      kept.push_back(prepared);
      prey.runs.push_back(std::move(runs));
    }
    prey.cases.cases = std::move(kept);
    return !prey.cases.cases.empty();
  }

  Result<Hunted> check(Prey& prey, const Mutant& mutant) {
    Hunted hunted{prey.kernel->qualified, mutant, Hunted::End::survived, ""};
    auto side = build_bang_side(mutant.text, {prey.kernel->name}, request_.chip, work_ / "mutant");
    if (!side.ok()) {
      hunted.end = Hunted::End::no_program;
      return hunted;
    }
    prey.sides.bang = *side;
    for (std::size_t i = 0; i < prey.cases.cases.size(); ++i) {
      CheckPlan plan = prey.plan;
      plan.thorough = i < 2;
      const CaseVerdict verdict =
          TRY(check_case(prey.sides, plan, prey.cases.cases[i], work_ / "mutant" / "case", &prey.runs[i]));
      if (verdict.agreement != Agreement::differs) continue;
      hunted.end = Hunted::End::caught;
      hunted.reason = verdict.reason;
      return hunted;
    }
    return hunted;
  }

  const VerifyRequest& request_;
  std::filesystem::path work_;
  std::vector<ir::Kernel> kernels_;
  emit::EmittedFile emitted_;
  std::optional<cuda::SidePair> cuda_;
  std::vector<Prey> preys_;
  std::vector<std::pair<std::size_t, Mutant>> all_;
};

}  // namespace

Result<std::vector<Hunted>> hunt(const VerifyRequest& request, std::size_t most,
                                 const std::function<void(const Hunted&)>& told) {
  return Hunter(request).run(most, told);
}

}  // namespace tqm::port
