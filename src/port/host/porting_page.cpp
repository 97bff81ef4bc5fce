#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "port/diagnostics/diagnostics.hpp"
#include "port/dialect/unproven_calls.hpp"
#include "port/host/translate.hpp"

namespace tqm::port {
namespace {

std::string_view extra_name(emit::Extra::Kind kind) {
  switch (kind) {
    case emit::Extra::Kind::grid_x:
      return "gridDim.x";
    case emit::Extra::Kind::grid_y:
      return "gridDim.y";
    case emit::Extra::Kind::grid_z:
      return "gridDim.z";
    case emit::Extra::Kind::block_x:
      return "blockDim.x";
    case emit::Extra::Kind::block_y:
      return "blockDim.y";
    case emit::Extra::Kind::block_z:
      return "blockDim.z";
    case emit::Extra::Kind::symbol:
      return "";
  }
  return "";
}

std::string launch_text(const emit::EmittedKernel& kernel) {
  std::string text;
  for (const auto& extra : kernel.extras)
    text += (text.empty() ? "" : ", ") + (extra.kind == emit::Extra::Kind::symbol
                                              ? "a pointer to what `" + extra.symbol + "` holds"
                                              : std::string(extra_name(extra.kind)));
  std::string out =
      text.empty() ? "Launch it with its own parameters" : "Launch it with its own parameters, then " + text;
  out += ", as tasks of type Block; any number of tasks gives the same result.";
  static constexpr const char* kAxes[3] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis)
    if (kernel.fixed_block[axis] > 0) out += fmt::format(" blockDim.{} is {}.", kAxes[axis], kernel.fixed_block[axis]);
  if (kernel.dynamic_shared_bytes > 0)
    out += fmt::format(" At most {} bytes of dynamic shared memory.", kernel.dynamic_shared_bytes);
  return out;
}

std::string kernel_section(const emit::EmittedKernel& kernel, const std::string& file_text) {
  std::string out = fmt::format("\n### {} (line {})\n\n", kernel.qualified, kernel.line);
  if (kernel.refused)
    out += "**Refused.**\n";
  else
    out += fmt::format("Tier {}: {}. {}\n", kernel.tier, kernel.tier_reason, launch_text(kernel));
  const auto assumed = kernel.refused ? std::vector<std::string>{} : dialect::unproven_calls(file_text, kernel.name);
  if (!kernel.remarks.empty() || !assumed.empty()) out += '\n';
  if (!assumed.empty())
    out += "- It assumes that these calls do what their documentation says, which no kernel from a card has shown: `" +
           join(assumed, "`, `") + "`.\n";
  for (const auto& remark : kernel.remarks)
    out += fmt::format("- {}, line {}: {}. {}\n", code_of(remark.number), remark.line, remark.text,
                       kind_of(remark.number).next);
  return out;
}

}  // namespace

std::string porting_page(const Translation& translation) {
  const int refused = translation.refused();
  std::string page = fmt::format(
      "# What became of the CUDA kernels\n\nFor {}, by torquetum port translate. {} kernels: {} translated, {} "
      "refused.\n"
      "Nothing here was compared with the original yet: `torquetum port verify` does that.\n\n"
      "Tiers: A matrix and pooling units, B vector, C scalar on NRAM, D scalar on GDRAM.\n\n"
      "**Pointers.** Vector code reads a whole tile before it writes one. It is right where any two pointers of a "
      "kernel "
      "are\n"
      "equal or point to memory that does not overlap, and that is not checked at run time. Where two overlap without "
      "being\n"
      "equal (`f(x, x + 1)`), CUDA's own result may depend on the order of its threads, and the translation's will be "
      "another.\n",
      translation.chip, translation.kernels(), translation.kernels() - refused, refused);
  for (const auto& file : translation.files) {
    page += fmt::format("\n## {} → {}\n", file.source.filename().string(), file.relative.string());
    if (!file.ended.empty()) page += "\n**Not read.** " + file.ended + ".\n";
    for (const auto& kernel : file.emitted.kernels) page += kernel_section(kernel, file.emitted.text);
  }
  return page;
}

}  // namespace tqm::port
