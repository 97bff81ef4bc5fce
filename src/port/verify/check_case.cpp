#include "port/verify/check_case.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/file.hpp"

namespace tqm::port {
namespace {

// What the CUDA emulator finds that is no fault of the program: code that CUDA's older rules allowed, and bounds of
// ours.
constexpr std::string_view kRemarks[] = {"implicit-warp-synchrony"};
constexpr std::string_view kBounds[] = {"limit"};

constexpr const char* kOtherPoison = "under another poison";

struct Way {
  std::vector<std::string> options;
  std::string text;  // for a person: "with blocks from last to first"
};

const Fault* gravest(const SideRun& run) {
  for (const Fault& fault : run.result.faults)
    if (std::find(std::begin(kRemarks), std::end(kRemarks), fault.kind) == std::end(kRemarks)) return &fault;
  return nullptr;
}

std::string fault_text(const Fault& fault) {
  std::string text = fault.kind + ": " + fault.text;
  if (fault.line > 0)
    text += fmt::format(" ({}:{})", std::filesystem::path(fault.file).filename().string(), fault.line);
  return text;
}

Bytes bytes_of_buffer(const SideRun& run, const std::string& buffer) {
  const auto found = run.outputs.find(buffer);
  return found == run.outputs.end() ? Bytes{} : Bytes(found->second);
}

class Checker {
 public:
  Checker(const Sides& sides, const CheckPlan& plan, const PreparedCase& prepared, const std::filesystem::path& folder)
      : sides_(sides), plan_(plan), prepared_(prepared), folder_(folder) {}

  Result<CaseVerdict> run(std::optional<CudaRuns>* kept) {
    out_.label = prepared_.label;
    cuda_case_ = plan_.form.demoted ? TRY(in_float(prepared_)) : prepared_;
    const PreparedCase& cuda = cuda_case_;
    if (kept && *kept) {
      cuda_ = **kept;
      out_ = cuda_.verdict;
    } else {
      TRY(write_prepared(cuda, folder_ / "cuda"));
      TRY(run_cuda(cuda));
      cuda_.verdict = out_;
      if (kept) *kept = cuda_;
    }
    if (out_.agreement != Agreement::agrees) return out_;
    auto bang = bang_case(prepared_, plan_.form, plan_.tasks);
    if (!bang.ok()) {
      set(Agreement::not_run, bang.error().message());
      return out_;
    }
    TRY(write_prepared(*bang, folder_ / "bang"));
    TRY(run_bang(*bang));
    if (out_.agreement != Agreement::agrees) return out_;
    compare_all(cuda);
    if (plan_.form.demoted && out_.agreement == Agreement::agrees) TRY(measure_demotion());
    return out_;
  }

 private:
  void set(Agreement agreement, std::string reason) {
    out_.agreement = agreement;
    out_.reason = std::move(reason);
  }

  void set_fault(Agreement agreement, const Fault& fault, const std::string& before) {
    set(agreement, before + fault_text(fault));
    out_.file = fault.file;
    out_.line = fault.line;
  }

  // Runs the CUDA side one way. False where the verdict is decided.
  Result<bool> cuda_run(const std::filesystem::path& side, const Way& way, SideRun& run) {
    run = TRY(run_side(side, folder_ / "cuda", way.options, plan_.bounds));
    if (const Fault* fault = gravest(run)) {
      const bool bound = std::find(std::begin(kBounds), std::end(kBounds), fault->kind) != std::end(kBounds);
      set_fault(bound ? Agreement::not_run : Agreement::original_fault, *fault, "in the CUDA side, ");
      return false;
    }
    if (!run.ran()) {
      set(Agreement::not_run, "the CUDA side could not be run " + way.text + ": " + run.text);
      return false;
    }
    return true;
  }

  // A run with other errors of rounding than the documents promise; one that does not come to its end says nothing.
  Status cuda_shifted(const std::vector<std::string>& options, std::vector<SideRun>& runs) {
    SideRun run = TRY(run_side(sides_.cuda, folder_ / "cuda", options, plan_.bounds));
    if (run.ran()) runs.push_back(std::move(run));
    return {};
  }

  Status run_cuda(const PreparedCase& cuda) {
    const Way forward{{"--order", "forward", "--poison", "1"}, "from first to last block"};
    if (!TRY(cuda_run(sides_.cuda, forward, cuda_.reference))) return {};
    out_.branches = cuda_.reference.result.branches;
    const bool several_blocks = std::uint64_t{cuda.launch.grid[0]} * cuda.launch.grid[1] * cuda.launch.grid[2] > 1;
    if (several_blocks) {
      for (const Way& way :
           {Way{{"--order", "reverse", "--poison", "1"}, "from last to first block"},
            Way{{"--order", "random", "--seed", "11", "--poison", "1"}, "with blocks in random order"}})
        if (!TRY(cuda_run(sides_.cuda, way, cuda_.orders.emplace_back()))) return {};
    }
    if (!sides_.cuda_contracted.empty() &&
        !TRY(cuda_run(sides_.cuda_contracted, {forward.options, "with fused multiply-add"}, cuda_.contracted)))
      return {};
    if (cuda_.reference.result.counters["approximate_calls"] > 0)
      for (const char* how : {"above", "around"}) TRY(cuda_shifted({"--functions", how}, cuda_.functions));
    if (cuda_.reference.result.counters["atomics"] > 0) TRY(cuda_shifted({"--threads", "reverse"}, cuda_.threads));
    if (plan_.rounding)
      for (const char* how : {"up", "down"}) TRY(cuda_shifted({"--rounding", how}, cuda_.roundings));
    const auto poisoned_buffer = [](const Buffer& buffer) { return !buffer.initialised; };
    if (!plan_.thorough && std::none_of(cuda.launch.buffers.begin(), cuda.launch.buffers.end(), poisoned_buffer))
      return {};
    const Way poisoned{{"--order", "forward", "--poison", "2"}, kOtherPoison};
    TRY(cuda_run(sides_.cuda, poisoned, cuda_.other_poison));
    return {};
  }

  Result<bool> bang_run(const Way& way, SideRun& run) {
    run = TRY(run_side(sides_.bang, folder_ / "bang", way.options, plan_.bounds));
    if (!run.result.faults.empty()) {
      set_fault(Agreement::differs, run.result.faults.front(), "in the BANG side, " + way.text + ", ");
      return false;
    }
    if (!run.ran()) {
      set(Agreement::differs, "the BANG side did not come to its end " + way.text + ": " + run.text);
      return false;
    }
    return true;
  }

  // The ways that must give the same bits as the first.
  static std::vector<Way> same_ways() {
    return {{{"--schedule", "latest", "--precision", "exact", "--poison", "1"}, "with copies as late as allowed"},
            {{"--schedule", "random", "--seed", "7", "--order", "random", "--precision", "exact", "--poison", "1"},
             "with copies at random times"},
            {{"--schedule", "eager", "--precision", "exact", "--poison", "2"}, kOtherPoison}};
  }

  // One task has to do all blocks; three share them out unevenly.
  Result<bool> same_with_fewer_tasks(const PreparedCase& bang, const std::vector<std::string>& options) {
    for (const auto& [tasks, text] : {std::pair{3U, "with three tasks"}, std::pair{1U, "with one task"}}) {
      PreparedCase fewer = bang;
      fewer.launch.task_dim = {tasks, 1, 1};
      TRY(write_prepared(fewer, folder_ / "bang"));
      SideRun run;
      if (!TRY(bang_run({options, text}, run)) || !same_as_first(bang, run, text)) return false;
    }
    TRY(write_prepared(bang, folder_ / "bang"));
    return true;
  }

  Status run_bang(const PreparedCase& bang) {
    const Way first{{"--schedule", "eager", "--precision", "exact", "--poison", "1"}, "with copies at once"};
    if (!TRY(bang_run(first, bang_))) return {};
    out_.bang_counters = bang_.result.counters;
    if (!plan_.thorough) return {};
    for (const Way& way : same_ways()) {
      SideRun run;
      if (!TRY(bang_run(way, run))) return {};
      if (!same_as_first(bang, run, way.text)) return {};
      if (way.text == kOtherPoison && !wrote_no_more(bang, run)) return {};
    }
    if (plan_.form.task_type == "block" && !TRY(same_with_fewer_tasks(bang, first.options))) return {};
    const Way worst{{"--schedule", "eager", "--precision", "worst", "--poison", "1"},
                    "with table calls at their worst"};
    TRY(bang_run(worst, worst_));
    return {};
  }

  bool same_as_first(const PreparedCase& bang, const SideRun& run, const std::string& way) {
    for (const Buffer& buffer : bang.launch.buffers) {
      const Element element = bang.elements.at(buffer.name);
      if (depends_on_order(buffer.name, element)) continue;
      const auto at = first_unequal(element, bytes_of_buffer(bang_, buffer.name), bytes_of_buffer(run, buffer.name),
                                    bytes_of_buffer(cuda_.reference, buffer.name),
                                    bytes_of_buffer(cuda_.other_poison, buffer.name));
      if (!at || right_in_its_order(buffer.name, element, run)) continue;
      set(Agreement::differs,
          fmt::format("the BANG side gives another result {} than with copies at once: {}[{}]", way, buffer.name, *at));
      out_.buffer = buffer.name;
      return false;
    }
    return true;
  }

  // An element that CUDA leaves as it was must hold the poison of each run still.
  bool wrote_no_more(const PreparedCase& bang, const SideRun& run) {
    if (bang_.outputs.empty() || !cuda_.other_poison.ran()) return true;
    for (const Buffer& buffer : bang.launch.buffers) {
      if (buffer.initialised) continue;
      const auto at = first_written_by_one(bang.elements.at(buffer.name), bytes_of_buffer(cuda_.reference, buffer.name),
                                           bytes_of_buffer(cuda_.other_poison, buffer.name),
                                           bytes_of_buffer(bang_, buffer.name), bytes_of_buffer(run, buffer.name));
      if (!at) continue;
      set(Agreement::differs,
          fmt::format("the BANG side writes {}[{}], which CUDA leaves as it was", buffer.name, *at));
      out_.buffer = buffer.name;
      return false;
    }
    return true;
  }

  // Atomics of the CUDA side may give another result in another order: then so may those of the translation.
  bool depends_on_order(const std::string& buffer, Element element) const {
    return std::any_of(cuda_.orders.begin(), cuda_.orders.end(), [&](const SideRun& order) {
      return first_unequal(element, bytes_of_buffer(cuda_.reference, buffer), bytes_of_buffer(order, buffer), {}, {})
          .has_value();
    });
  }

  // Atomic sums of floats may round otherwise in each order, though CUDA's orders happened to give the same bits: each
  // must then be as near to CUDA's as the first.
  bool right_in_its_order(const std::string& name, Element element, const SideRun& run) const {
    const auto atomics = cuda_.reference.result.counters.find("atomics");
    if (!is_floating(element) || atomics == cuda_.reference.result.counters.end() || atomics->second == 0) return false;
    Tolerance exact = plan_.tolerance;
    exact.relative = exact.absolute = 0;
    for (const Buffer& buffer : cuda_case_.launch.buffers)
      if (buffer.name == name) return compare(runs_of(cuda_case_, buffer), bytes_of_buffer(run, name), exact).equal();
    return false;
  }

  BufferRuns runs_of(const PreparedCase& cuda, const Buffer& buffer) const {
    BufferRuns runs;
    runs.element = cuda.elements.at(buffer.name);
    runs.reference = bytes_of_buffer(cuda_.reference, buffer.name);
    for (const SideRun& order : cuda_.orders) runs.orders.push_back(bytes_of_buffer(order, buffer.name));
    if (cuda_.contracted.ran()) runs.contractions.push_back(bytes_of_buffer(cuda_.contracted, buffer.name));
    for (const SideRun& run : cuda_.functions) runs.functions.push_back(bytes_of_buffer(run, buffer.name));
    for (const SideRun& run : cuda_.threads) runs.threads.push_back(bytes_of_buffer(run, buffer.name));
    for (const SideRun& run : cuda_.roundings) runs.roundings.push_back(bytes_of_buffer(run, buffer.name));
    runs.largest_inputs = cuda.fill == Fill::largest || cuda.fill == Fill::mixed;
    if (!buffer.initialised && cuda_.other_poison.ran())
      runs.other_poison = bytes_of_buffer(cuda_.other_poison, buffer.name);
    if (buffer.initialised) runs.before = cuda.contents.at(buffer.name);
    return runs;
  }

  void compare_all(const PreparedCase& cuda) {
    for (const Buffer& buffer : cuda.launch.buffers) {
      const BufferRuns runs = runs_of(cuda, buffer);
      Tolerance exact = plan_.tolerance;
      exact.relative = exact.absolute = 0;
      Comparison comparison = compare(runs, bytes_of_buffer(bang_, buffer.name), exact);
      if (comparison.equal() && worst_.ran())
        comparison = compare(runs, bytes_of_buffer(worst_, buffer.name), plan_.tolerance);
      if (!comparison.equal() && out_.agreement == Agreement::agrees) {
        out_.buffer = buffer.name;
        out_.difference = comparison.first;
        set(Agreement::differs,
            fmt::format("{}[{}] is {} in CUDA and {} in BANG C ({} of {} elements differ; {})", buffer.name,
                        comparison.first->index, comparison.first->reference, comparison.first->result,
                        comparison.differing, comparison.compared, comparison.first->why));
      }
      out_.buffers.push_back({buffer.name, std::move(comparison)});
    }
  }

  // What float in place of double costs, apart from the translation: the original against itself in float.
  Status measure_demotion() {
    TRY(write_prepared(prepared_, folder_ / "double"));
    const SideRun run = TRY(run_side(sides_.cuda_in_double, folder_ / "double", {}, plan_.bounds));
    if (!run.ran()) return {};
    for (const Buffer& buffer : prepared_.launch.buffers) {
      if (prepared_.elements.at(buffer.name) != Element::f64) continue;
      const Bytes wide = bytes_of_buffer(run, buffer.name), narrow = bytes_of_buffer(cuda_.reference, buffer.name);
      for (std::size_t i = 0; i < wide.size() / 8 && i < narrow.size() / 4; ++i) {
        const double a = value_at(Element::f64, wide.data() + i * 8), b = value_at(Element::f32, narrow.data() + i * 4);
        if (std::isfinite(a) && std::isfinite(b) && a != 0)
          out_.demotion_relative_error = std::max(out_.demotion_relative_error, std::fabs(b - a) / std::fabs(a));
      }
    }
    return {};
  }

  const Sides& sides_;
  const CheckPlan& plan_;
  const PreparedCase& prepared_;
  const std::filesystem::path& folder_;
  PreparedCase cuda_case_;
  CudaRuns cuda_;
  SideRun bang_, worst_;
  CaseVerdict out_;
};

}  // namespace

std::string_view name(Agreement agreement) {
  switch (agreement) {
    case Agreement::agrees:
      return "agrees";
    case Agreement::differs:
      return "differs";
    case Agreement::original_fault:
      return "original-fault";
    case Agreement::not_run:
      return "not-run";
    case Agreement::refused:
      break;
  }
  return "refused";
}

Result<SideRun> look_at_original(const Sides& sides, const CheckPlan& plan, const PreparedCase& prepared,
                                 const std::filesystem::path& folder) {
  const PreparedCase cuda = plan.form.demoted ? TRY(in_float(prepared)) : prepared;
  TRY(write_prepared(cuda, folder));
  return run_side(sides.cuda, folder, {"--order", "forward", "--poison", "1"}, plan.bounds);
}

Result<CaseVerdict> check_case(const Sides& sides, const CheckPlan& plan, const PreparedCase& prepared,
                               const std::filesystem::path& folder, std::optional<CudaRuns>* kept) {
  return Checker(sides, plan, prepared, folder).run(kept);
}

}  // namespace tqm::port
