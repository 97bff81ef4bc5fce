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

}  // namespace tqm::port::cuda
