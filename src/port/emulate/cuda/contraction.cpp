#include "port/emulate/cuda/contraction.hpp"

namespace tqm::port::cuda {
namespace {

constexpr std::string_view kFlag = " contract ", kFeatures = "\"target-features\"=\"";
constexpr std::string_view kPlainFeatures = "+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87";

// An instruction: flags stand behind its name. Everything else that may hold the word begins in the first column.
void add_instruction(std::string_view line, std::string& out) {
  const auto at = line.find(kFlag);
  const auto text = line.find('"');
  if (at == std::string_view::npos || text < at) {
    out += line;
    return;
  }
  out += line.substr(0, at + 1);
  out += line.substr(at + kFlag.size());
}

void add_attributes(std::string_view line, std::string& out) {
  const auto at = line.find(kFeatures);
  if (at == std::string_view::npos) {
    out += line;
    return;
  }
  const auto begin = at + kFeatures.size();
  out += line.substr(0, begin);
  out += kPlainFeatures;
  out += line.substr(line.find('"', begin));
}

// The fence keeps the back end from fusing the two again.
constexpr std::string_view kApart = R"(
define internal float @tqm_apart_f32(float %a, float %b, float %c) alwaysinline {
  %product = fmul float %a, %b
  %kept = call float @llvm.arithmetic.fence.f32(float %product)
  %sum = fadd float %kept, %c
  ret float %sum
}
declare float @llvm.arithmetic.fence.f32(float)
define internal double @tqm_apart_f64(double %a, double %b, double %c) alwaysinline {
  %product = fmul double %a, %b
  %kept = call double @llvm.arithmetic.fence.f64(double %product)
  %sum = fadd double %kept, %c
  ret double %sum
}
declare double @llvm.arithmetic.fence.f64(double)
)";

}  // namespace

std::string without_contraction(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    end = end == std::string_view::npos ? text.size() : end + 1;
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(' '))
      add_instruction(line, out);
    else if (line.starts_with("attributes "))
      add_attributes(line, out);
    else
      out += line;
    at = end;
  }
  return out;
}

std::string with_fused_apart(std::string_view text) {
  constexpr std::string_view kFused = "@llvm.fma.f", kOther = "@tqm_apart_f";
  std::string out;
  out.reserve(text.size() + kApart.size());
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    end = end == std::string_view::npos ? text.size() : end + 1;
    const std::string_view line = text.substr(at, end - at);
    const auto call = line.starts_with(' ') ? line.find(kFused) : std::string_view::npos;
    const std::string_view width = call == std::string_view::npos ? "" : line.substr(call + kFused.size(), 3);
    if (width == "32(" || width == "64(") {
      out += line.substr(0, call);
      out += kOther;
      out += line.substr(call + kFused.size());
      any = true;
    } else {
      out += line;
    }
    at = end;
  }
  if (any) out += kApart;
  return out;
}

}  // namespace tqm::port::cuda
