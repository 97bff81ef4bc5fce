#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/file.hpp"
#include "base/text.hpp"
#include "port/diagnostics/diagnostics.hpp"
#include "port/verify/program/verify_path.hpp"

namespace tqm::port {
namespace {

std::string tier_text(const KernelReport& kernel) {
  return kernel.tier == ' ' ? "" : std::string(1, kernel.tier);
}

Json object_of(const KernelReport& kernel) {
  Json object{{"kernel", kernel.kernel}, {"file", kernel.file}, {"line", kernel.line}};
  object["tier"] = kernel.tier == ' ' ? "none" : tier_text(kernel);
  object["status"] = std::string(name(kernel.status));
  object["reason"] = kernel.reason;
  object["origin"] = kernel.origin;
  object["smallest"] = kernel.verdict.smallest;
  object["fault_file"] = kernel.verdict.file;
  object["fault_line"] = kernel.verdict.line;
  object["assumes"] = kernel.assumes;
  object["notes"] = kernel.verdict.notes;
  object["cases"] = kernel.verdict.cases.size();
  object["branches"] = kernel.verdict.branches.outcomes();
  object["branches_run"] = kernel.verdict.branches.shown();
  if (kernel.vector.counted) object["vector_share"] = kernel.vector.share;
  object["seconds"] = kernel.seconds;
  double worst = 0, demotion = 0;
  for (const CaseVerdict& verdict : kernel.verdict.cases) {
    demotion = std::max(demotion, verdict.demotion_relative_error);
    for (const BufferVerdict& buffer : verdict.buffers) worst = std::max(worst, buffer.comparison.worst_ulps);
  }
  object["worst_ulps"] = worst;
  object["demotion_relative_error"] = demotion;
  return object;
}

report::Level level_of(ir::Remark::Severity severity) {
  if (severity == ir::Remark::Severity::refusal) return report::Level::error;
  return severity == ir::Remark::Severity::warning ? report::Level::warning : report::Level::info;
}

// Lines of the original around the kernel, up to where the next one of the report begins.
report::Source original_of(const KernelReport& kernel, int& first_line) {
  constexpr int kMostLines = 200;
  report::Source source;
  source.title.en = fmt::format("{}:{}", std::filesystem::path(kernel.file).filename().string(), kernel.line);
  source.language = "cuda";
  first_line = std::max(1, kernel.line);
  const auto text = read_file(kernel.file);
  if (!text.ok()) return source;
  const std::vector<std::string> lines = split(*text, '\n');
  int depth = 0;
  bool opened = false;
  for (std::size_t i = static_cast<std::size_t>(first_line - 1); i < lines.size() && source.text.size() < 1 << 16;
       ++i) {
    source.text += lines[i] + "\n";
    for (const char c : lines[i]) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      opened = opened || c == '{';
    }
    if ((opened && depth <= 0) || static_cast<int>(i) > first_line + kMostLines) break;
  }
  return source;
}

report::Code code_of_kernel(const KernelReport& kernel) {
  report::Code code;
  code.title.en = fmt::format("{}: {}{}", kernel.kernel, name(kernel.status),
                              kernel.tier == ' ' ? "" : ", tier " + tier_text(kernel));
  int first = 1;
  code.sources.push_back(original_of(kernel, first));
  const int lines = static_cast<int>(std::count(code.sources[0].text.begin(), code.sources[0].text.end(), '\n'));
  if (!kernel.translation.empty()) code.sources.push_back({{"BANG C", ""}, "bang", kernel.translation});
  for (const ir::Remark& remark : kernel.remarks) {
    const int line = std::clamp(remark.line - first + 1, 1, std::max(1, lines));
    code.notes.push_back({0, line, level_of(remark.severity), code_of(remark.number), {remark.text, ""}});
  }
  if (!kernel.assumes.empty())
    code.notes.push_back({0, 1, report::Level::info, "", {"assumes " + join(kernel.assumes, ", "), ""}});
  if (kernel.status != Agreement::agrees && kernel.status != Agreement::refused)
    code.notes.push_back({0, 1, report::Level::error, "", {kernel.reason, ""}});
  return code;
}

}  // namespace

Json to_json(const std::vector<KernelReport>& kernels) {
  Json list = Json::array();
  for (const KernelReport& kernel : kernels) list.push_back(object_of(kernel));
  return list;
}

report::Report report_of(const std::vector<KernelReport>& kernels) {
  report::Report report;
  std::map<Agreement, int> counts;
  for (const KernelReport& kernel : kernels) ++counts[kernel.status];
  report.verdict = counts[Agreement::differs] > 0  ? report::Verdict::rolled_back
                   : counts[Agreement::agrees] > 0 ? report::Verdict::accepted
                                                   : report::Verdict::undecided;
  report.sentence = {fmt::format("{} of {} kernels agree, {} differ", counts[Agreement::agrees], kernels.size(),
                                 counts[Agreement::differs]),
                     fmt::format("{} 个内核中 {} 个一致，{} 个不一致", kernels.size(), counts[Agreement::agrees],
                                 counts[Agreement::differs])};
  report::Table table;
  table.title = {"Kernels", "内核"};
  table.columns = {{{"kernel", "内核"}, {report::Format::Kind::code}},
                   {{"place", "位置"}, {report::Format::Kind::code}},
                   {{"tier", "级别"}, {}},
                   {{"status", "状态"}, {}},
                   {{"cases", "算例"}, {}},
                   {{"why", "原因"}, {}}};
  for (const KernelReport& kernel : kernels) {
    const std::string place = fmt::format("{}:{}", std::filesystem::path(kernel.file).filename().string(), kernel.line);
    table.rows.push_back(
        {kernel.kernel, place, tier_text(kernel), std::string(name(kernel.status)), kernel.origin, kernel.reason});
  }
  report.sections.push_back({{"Result", "结果"}, {table}});
  report::Section code{{"Code", "代码"}, {}};
  for (const KernelReport& kernel : kernels) code.blocks.emplace_back(code_of_kernel(kernel));
  report.sections.push_back(std::move(code));
  report.data = to_json(kernels);
  return report;
}

}  // namespace tqm::port
