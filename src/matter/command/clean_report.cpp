#include "matter/command/clean_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tqm::matter {
namespace {

using namespace report;

constexpr size_t kMostRows = 500;     // of the table of findings; data holds all
constexpr size_t kMostPoints = 2000;  // of a chart

struct FaultText {
  Fault fault;
  Text text;
};
const FaultText kFaults[] = {
    {Fault::distance, {"impossible distances", "不可能的原子间距"}},
    {Fault::unit, {"unit slips", "单位错误"}},
    {Fault::unconverged, {"unconverged frames", "未收敛的帧"}},
    {Fault::energy, {"outlying energies", "离群的能量"}},
    {Fault::force, {"outlying forces", "离群的力"}},
    {Fault::duplicate, {"duplicates", "重复的结构"}},
};

int64_t frames_with(const Cleaned& cleaned, Fault fault) {
  const auto found = cleaned.frames_with.find(fault);
  return found == cleaned.frames_with.end() ? 0 : found->second;
}

Facts headline(const Cleaned& c) {
  Facts facts;
  facts.headline = true;
  const auto total = static_cast<int64_t>(c.summaries.size());
  facts.facts.push_back({.name = {"frames read", "读入的帧"}, .value = total});
  facts.facts.push_back({.name = {"kept", "保留"}, .value = c.kept});
  facts.facts.push_back({.name = {"set aside", "另存"}, .value = c.set_aside});
  return facts;
}

Facts counts(const Cleaned& c) {
  Facts facts;
  facts.title = {"Frames with each fault", "各类问题的帧数"};
  for (const FaultText& each : kFaults) facts.facts.push_back({.name = each.text, .value = frames_with(c, each.fault)});
  return facts;
}

Table files(const Cleaned& c) {
  Table table;
  table.columns = {{{"file", "文件"}, {.kind = Format::Kind::code}},
                   {{"frames", "帧数"}, {}},
                   {{"reading ended early", "读取提前结束"}, {}}};
  for (const CleanFile& file : c.files)
    table.rows.push_back({file.path.string(), file.frames, file.torn.empty() ? Value() : Value(file.torn)});
  return table;
}

Table findings(const Cleaned& c) {
  Table table;
  table.title = {"What was found", "发现的问题"};
  table.columns = {{{"frame", "帧"}, {}}, {{"fault", "问题"}, {}}, {{"what", "说明"}, {}}};
  for (size_t i = 0; i < std::min(c.findings.size(), kMostRows); ++i)
    table.rows.push_back({c.findings[i].frame, std::string(name(c.findings[i].fault)), c.findings[i].text});
  if (c.findings.size() > kMostRows)
    table.note = {fmt::format("The first {} of {}; report.json holds all.", kMostRows, c.findings.size()),
                  fmt::format("共 {} 条，此处为前 {} 条；全部见 report.json。", c.findings.size(), kMostRows)};
  return table;
}

// A number of each frame against the frame, kept and set aside in two colours; thinned evenly.
Chart scatter(const Cleaned& c, Text title, Text axis,
              const std::function<std::optional<double>(const Summary&)>& number) {
  std::set<int64_t> faulty;
  for (const Finding& finding : c.findings) faulty.insert(finding.frame);
  Series kept, aside;
  kept.name = {"kept", "保留"};
  kept.role = Series::Role::result;
  aside.name = {"set aside", "另存"};
  aside.role = Series::Role::reject_boundary;
  const size_t every = c.summaries.size() / kMostPoints + 1;
  for (size_t i = 0; i < c.summaries.size(); ++i) {
    const bool bad = faulty.contains(static_cast<int64_t>(i) + 1);
    const auto value = number(c.summaries[i]);
    if (!value || (!bad && i % every != 0)) continue;
    Series& series = bad ? aside : kept;
    if (series.x.size() == kMostPoints) continue;
    series.x.push_back(static_cast<double>(i) + 1);
    series.y.push_back(*value);
  }
  Chart chart;
  chart.kind = Chart::Kind::scatter;
  chart.title = std::move(title);
  chart.x.title = {"frame", "帧"};
  chart.y.title = std::move(axis);
  for (Series* series : {&kept, &aside})
    if (!series->x.empty()) chart.series.push_back(*series);
  return chart;
}

Json data_of(const Cleaned& c) {
  Json data = {{"frames", c.summaries.size()}, {"kept", c.kept}, {"set_aside", c.set_aside}};
  Json with = Json::object(), list = Json::array(), read = Json::array();
  for (const FaultText& each : kFaults) with[std::string(name(each.fault))] = frames_with(c, each.fault);
  for (const Finding& finding : c.findings)
    list.push_back({{"frame", finding.frame}, {"fault", name(finding.fault)}, {"text", finding.text}});
  for (const CleanFile& file : c.files)
    read.push_back({{"file", file.path.string()},
                    {"frames", file.frames},
                    {"torn", file.torn.empty() ? Json(nullptr) : Json(file.torn)}});
  data["frames_with"] = with;
  data["files"] = read;
  data["findings"] = list;
  return data;
}

}  // namespace

Report clean_report(const Cleaned& c) {
  Report r;
  r.title = {"Structures cleaned", "结构数据清洗"};
  r.verdict = Verdict::done;
  r.sentence = {fmt::format("{} of {} frames have no fault; {} are set aside with the reason.", c.kept,
                            c.summaries.size(), c.set_aside),
                fmt::format("{} 帧中有 {} 帧无问题，{} 帧连同原因另存。", c.summaries.size(), c.kept, c.set_aside)};
  Section overview{{"Overview", "概览"}, {headline(c), counts(c)}};
  for (const CleanFile& file : c.files)
    if (!file.torn.empty())
      overview.blocks.push_back(Notice{
          Level::warning,
          {fmt::format("{} can't be read beyond frame {}: {}", file.path.string(), file.frames, file.torn), ""}});
  Section spread{{"Spread", "分布"}, {}};
  const Chart energy = scatter(c, {"Energy of each frame", "每帧能量"}, {"eV/atom", "eV/原子"},
                               [](const Summary& s) { return s.energy_per_atom; });
  const Chart distance =
      scatter(c, {"Shortest distance over the sum of covalent radii", "最短间距与共价半径和之比"}, {"ratio", "比值"},
              [](const Summary& s) { return s.shortest_ratio > 0 ? std::optional(s.shortest_ratio) : std::nullopt; });
  const Chart force = scatter(c, {"Largest force of each frame", "每帧最大力"}, {"eV/Å", "eV/Å"},
                              [](const Summary& s) { return s.largest_force; });
  for (const Chart& chart : {energy, force, distance})
    if (!chart.series.empty()) spread.blocks.push_back(chart);
  r.sections = {overview};
  if (!c.findings.empty()) r.sections.push_back({{"Findings", "问题清单"}, {findings(c)}});
  if (!spread.blocks.empty()) r.sections.push_back(spread);
  r.sections.push_back({{"Files", "文件"}, {files(c)}});
  r.data = data_of(c);
  return r;
}

}  // namespace tqm::matter
