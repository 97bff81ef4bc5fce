#include "port/verify/program/plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tqm::port {
namespace {

constexpr int kDoubleIsFloat = 2101;

// Errors of the table functions of the chip as documented for it, relative.
struct TableCall {
  std::string_view name;
  double relative;
};
constexpr std::array<TableCall, 9> kTableCalls = {{{"__bang_active_exp(", 0.01},
                                                   {"__bang_active_exphp(", 0.003},
                                                   {"__bang_active_sigmoid(", 0.01},
                                                   {"__bang_active_log(", 0.01},
                                                   {"__bang_active_sqrt(", 0.01},
                                                   {"__bang_active_rsqrt(", 0.01},
                                                   {"__bang_active_tanh(", 0.01},
                                                   {"__bang_active_reciphp(", 0.0004},
                                                   {"__bang_active_gelu(", 0.003}}};

double allowance_of(const std::string& text) {
  double sum = 0;
  for (const TableCall& call : kTableCalls)
    if (text.find(call.name) != std::string::npos) sum += call.relative;
  return sum;
}

}  // namespace

bool is_demoted(const emit::EmittedKernel& kernel) {
  return std::any_of(kernel.remarks.begin(), kernel.remarks.end(),
                     [](const ir::Remark& remark) { return remark.number == kDoubleIsFloat; });
}

namespace {

BangForm form_of(const emit::EmittedKernel& kernel) {
  BangForm form;
  form.kernel = kernel.name;
  for (const emit::Extra& extra : kernel.extras)
    form.extras.push_back({static_cast<BangExtra::Kind>(static_cast<int>(extra.kind)), extra.symbol});
  form.task_type = kernel.task_type;
  for (std::size_t i = 0; i < 3; ++i) form.fixed_block[i] = static_cast<std::uint32_t>(kernel.fixed_block[i]);
  form.most_threads = static_cast<std::uint32_t>(kernel.most_threads);
  form.most_dynamic_bytes = static_cast<std::size_t>(kernel.dynamic_shared_bytes);
  form.demoted = is_demoted(kernel);
  return form;
}

}  // namespace

CheckPlan plan_of(const emit::EmittedKernel& kernel, const chips::Chip& chip, const SideBounds& bounds) {
  CheckPlan plan;
  plan.form = form_of(kernel);
  plan.tolerance.relative = allowance_of(kernel.text);
  // Vector code may add in another order, and so may atomics.
  plan.rounding = kernel.tier <= 'B' || kernel.text.find("_atomic_") != std::string::npos;
  plan.bounds = bounds;
  if (chip.cores) plan.tasks = static_cast<std::uint32_t>(chip.cores->value);
  return plan;
}

}  // namespace tqm::port
