#include "port/verify/program/verify_path.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "base/file.hpp"
#include "port/diagnostics/diagnostics.hpp"
#include "port/dialect/unproven_calls.hpp"
#include "port/frontend/lower.hpp"
#include "port/host/translate.hpp"
#include "port/host/what_ends_it.hpp"
#include "port/verify/program/plan.hpp"
#include "port/verify/program/sides.hpp"

namespace tqm::port {
namespace fs = std::filesystem;
namespace {

// Guesses at launches, one after the other, until the original stays without a fault: buffers that grow, then small
// numbers, whose products fit, then numbers that packed loads and tiles divide, then a block of one warp.
constexpr std::array<std::size_t, 3> kGuessedElements = {1 << 12, 1 << 16, 1 << 20};
constexpr std::int64_t kSharedBytes = 48 << 10;  // what a launch may ask for without asking the driver
constexpr std::array<Guess, 4> kGuesses = {Guess{0, 97, 64, kSharedBytes}, Guess{0, 12, 64, kSharedBytes},
                                           Guess{0, 128, 128, kSharedBytes}, Guess{0, 128, 32, kSharedBytes}};

std::string refusal_of(const emit::EmittedKernel& kernel) {
  for (const ir::Remark& remark : kernel.remarks)
    if (remark.severity == ir::Remark::Severity::refusal)
      return fmt::format("{}, line {}: {}", code_of(remark.number), remark.line, remark.text);
  return "the translator gives no reason";
}

Result<std::vector<fs::path>> sources_of(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return std::vector<fs::path>{path};
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error))
    if (at->is_regular_file(error) && at->path().extension() == ".cu") found.push_back(at->path());
  if (found.empty())
    return Error{ErrorKind::not_found, "there is no CUDA source", path.string(), "name a .cu file or a folder of them"};
  std::sort(found.begin(), found.end());
  return found;
}

// The kernels of one source.
class SourceVerifier {
 public:
  SourceVerifier(const VerifyRequest& request, const Clock& clock, fs::path source, const emit::Emitter& emitter)
      : request_(request), clock_(clock), source_(std::move(source)), emitter_(emitter) {}

  Result<std::vector<KernelReport>> run(const std::function<void(const KernelReport&)>& told) {
    ParseOptions options = request_.parsing;
    options.file = source_;
    if (auto ended = what_ends_it(source_, request_.parsing, emitter_)) {
      KernelReport report;
      report.file = source_.string();
      report.reason = std::move(*ended);
      told(report);
      return std::vector<KernelReport>{std::move(report)};
    }
    options.collectives = ParseOptions::default_collectives();
    const Unit unit = TRY(parse(options));
    kernels_ = lower(unit);
    emitted_ = emitter_.emit(kernels_, source_.filename().string());
    if (!request_.translated.empty()) emitted_.text = TRY(read_file(request_.translated));
    const TemporaryFolder work = TRY(TemporaryFolder::make());
    work_ = work.path();
    std::vector<KernelReport> reports;
    for (const emit::EmittedKernel& kernel : emitted_.kernels) {
      if (!request_.only.empty() && request_.only != kernel.qualified) continue;
      const int64_t start = clock_.monotonic_ns();
      KernelReport report = TRY(verify(kernel));
      report.seconds = seconds_between(start, clock_.monotonic_ns());
      told(report);
      reports.push_back(std::move(report));
    }
    return reports;
  }

 private:
  Result<KernelReport> verify(const emit::EmittedKernel& kernel) {
    KernelReport report;
    report.kernel = kernel.qualified;
    report.file = kernel.file.empty() ? source_.string() : kernel.file;
    report.line = kernel.line;
    report.remarks = kernel.remarks;
    report.translation = kernel.text;
    if (kernel.refused) {
      report.status = Agreement::refused;
      report.reason = refusal_of(kernel);
      return report;
    }
    report.tier = kernel.tier;
    report.assumes = dialect::unproven_calls(emitted_.text, kernel.name);
    const auto not_run = [&](std::string reason) {
      report.status = Agreement::not_run;
      report.reason = std::move(reason);
      return report;
    };
    const bool demoted = is_demoted(kernel);
    Sides sides;
    const Result<cuda::SidePair>& original = cuda_sides(false);
    if (!original.ok()) return not_run("the original does not compile: " + original.error().message());
    sides.cuda = original->plain;
    sides.cuda_contracted = original->contracted;
    if (demoted) {
      const Result<cuda::SidePair>& narrow = cuda_sides(true);
      if (!narrow.ok()) return not_run("the original does not compile in float: " + narrow.error().message());
      sides.cuda_in_double = original->plain;
      sides.cuda = narrow->plain;
      sides.cuda_contracted = narrow->contracted;
    }
    const Result<fs::path>& translation = bang_side();
    if (!translation.ok()) return not_run("the translation does not compile: " + translation.error().message());
    sides.bang = *translation;
    TRY(check(kernel, sides, plan_of(kernel, request_.chip, request_.bounds), report));
    return report;
  }

  // The kernel of the tree that was emitted as this one.
  const ir::Kernel* tree_of(const emit::EmittedKernel& kernel) const {
    for (const ir::Kernel& one : kernels_)
      if (one.entry && one.entry->qualified == kernel.qualified && one.entry->name == kernel.name) return &one;
    return nullptr;
  }

  Status check(const emit::EmittedKernel& kernel, const Sides& sides, const CheckPlan& plan, KernelReport& report) {
    const ir::Kernel* tree = tree_of(kernel);
    ASSERT(tree != nullptr);
    const fs::path folder = work_ / kernel.name;
    auto cases = chosen_cases(*tree, request_.cases);
    if (cases.ok()) {
      take(TRY(check_kernel(sides, plan, *cases, folder)), *cases, report);
      return {};
    }
    if (cases.error().kind != ErrorKind::not_found) {
      report.reason = cases.error().message();
      return {};
    }
    return check_guessed(*tree, sides, plan, folder, report);
  }

  // What the original does wrong under the last guess is no fault of its own: the launch was ours.
  Status check_guessed(const ir::Kernel& tree, const Sides& sides, const CheckPlan& plan, const fs::path& folder,
                       KernelReport& report) {
    const auto named_alike = [&](const ir::Kernel& one) {
      return one.entry && one.entry->qualified == tree.entry->qualified;
    };
    const bool overloaded = std::count_if(kernels_.begin(), kernels_.end(), named_alike) > 1;
    std::string first;  // why the first guess is wrong
    for (Guess guess : kGuesses) {
      for (const std::size_t elements : kGuessedElements) {
        guess.elements = elements;
        guess.overloaded = overloaded;
        auto cases = guessed_cases(tree, guess, request_.cases.seed);
        if (!cases.ok()) {
          report.reason = cases.error().message();
          return {};
        }
        take(TRY(check_kernel(sides, plan, *cases, folder)), *cases, report);
        if (report.status != Agreement::original_fault) return {};
        if (first.empty()) first = report.reason;
      }
    }
    report.status = Agreement::not_run;
    report.reason = "no launch of it is known, and the guessed one is wrong for it: " + first;
    return {};
  }

  static void take(KernelVerdict verdict, const KernelCases& cases, KernelReport& report) {
    report.status = verdict.agreement;
    report.reason = verdict.reason;
    report.origin = cases.origin;
    report.verdict = std::move(verdict);
    report.vector = vector_share(report.verdict.cases);
    const char confirmed = confirmed_tier(report.tier, report.vector);
    if (confirmed == report.tier) return;
    report.verdict.notes.push_back(
        fmt::format("tier {} by its text, but the emulator saw only {:.1f} % of the bytes in vector calls and copies",
                    report.tier, 100 * report.vector.share));
    report.tier = confirmed;
  }

  const Result<cuda::SidePair>& cuda_sides(bool in_float) {
    const auto found = cuda_.find(in_float);
    if (found != cuda_.end()) return found->second;
    const fs::path folder = work_ / (in_float ? "cuda_in_float" : "cuda");
    return cuda_.emplace(in_float, build_cuda_sides(source_, request_.parsing, in_float, folder)).first->second;
  }

  const Result<fs::path>& bang_side() {
    if (!bang_) {
      std::vector<std::string> names;
      for (const emit::EmittedKernel& kernel : emitted_.kernels)
        if (!kernel.refused) names.push_back(kernel.name);
      bang_ = build_bang_side(emitted_.text, names, request_.chip, work_ / "bang");
    }
    return *bang_;
  }

  const VerifyRequest& request_;
  const Clock& clock_;
  fs::path source_;
  const emit::Emitter& emitter_;
  fs::path work_;
  std::vector<ir::Kernel> kernels_;
  emit::EmittedFile emitted_;
  std::map<bool, Result<cuda::SidePair>> cuda_;
  std::optional<Result<fs::path>> bang_;
};

}  // namespace

Result<std::vector<KernelReport>> verify_path(const VerifyRequest& request, const Clock& clock,
                                              const std::function<void(const KernelReport&)>& told) {
  const auto emitter = TRY(emit::bang_emitter(request.chip));
  std::vector<KernelReport> all;
  for (const fs::path& source : TRY(sources_of(request.path)))
    for (KernelReport& report : TRY(SourceVerifier(request, clock, source, *emitter).run(told)))
      all.push_back(std::move(report));
  return all;
}

int exit_code_of(const std::vector<KernelReport>& kernels) {
  const bool differs = std::any_of(kernels.begin(), kernels.end(),
                                   [](const KernelReport& kernel) { return kernel.status == Agreement::differs; });
  return differs ? exit_code(ErrorKind::check_failed) : 0;
}

}  // namespace tqm::port
