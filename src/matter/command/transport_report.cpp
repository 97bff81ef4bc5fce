#include "matter/command/transport_report.hpp"

#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter {
namespace {

using namespace report;

constexpr double kMilli = 1000;  // S/cm → mS/cm

report::Interval shown(const stats::Interval& interval, double scale) {
  return {interval.estimate * scale, interval.low * scale, interval.high * scale};
}
Json json_of(const stats::Interval& interval, double scale = 1) {
  return {{"value", interval.estimate * scale}, {"low", interval.low * scale}, {"high", interval.high * scale}};
}
bool carries_value(Standing standing) {
  return standing == Standing::value || standing == Standing::flagged;
}

std::string number(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e5) return fmt::format("{:.0f}", value);
  return size >= 1e5 || size < 1e-3 ? fmt::format("{:.2e}", value) : fmt::format("{:.3g}", value);
}
std::string range(const stats::Interval& interval, double scale) {
  return fmt::format("{} ({} to {})", number(interval.estimate * scale), number(interval.low * scale),
                     number(interval.high * scale));
}

Text standing_text(Standing standing) {
  switch (standing) {
    case Standing::value:
      return {"value", "数值"};
    case Standing::flagged:
      return {"flagged value", "存疑数值"};
    case Standing::upper_bound:
      return {"upper bound", "上限"};
    case Standing::refused:
      return {"refused", "拒绝"};
  }
  return {};
}

// "12.1 (9.8 to 15.0) mS/cm", "below 0.2 mS/cm", "refused".
std::string conductivity_text(Standing standing, const stats::Interval& interval, double upper) {
  if (carries_value(standing)) return range(interval, kMilli) + " mS/cm";
  if (standing == Standing::upper_bound) return "below " + number(upper * kMilli) + " mS/cm";
  return "refused";
}

Text sentence_of(const TransportFindings& f) {
  const std::string ion(symbol(f.options.mobile));
  if (f.carried_on && f.carried_on->standing != Standing::refused) {
    const Arrhenius& a = *f.carried_on;
    const std::string said = conductivity_text(a.standing, a.conductivity, a.upper);
    return {
        fmt::format("{} conducts {} at {:.0f} K ({}).", ion, said, a.target_temperature, standing_text(a.standing).en),
        fmt::format("{} 在 {:.0f} K 的电导率：{}（{}）。", ion, a.target_temperature, said,
                    standing_text(a.standing).zh)};
  }
  if (f.temperatures.size() == 1) {
    const Transport& t = f.temperatures.front();
    const std::string said = conductivity_text(t.standing, t.conductivity, t.conductivity_upper);
    return {fmt::format("{} conducts {} at {:.0f} K ({}).", ion, said, t.temperature, standing_text(t.standing).en),
            fmt::format("{} 在 {:.0f} K 的电导率：{}（{}）。", ion, t.temperature, said, standing_text(t.standing).zh)};
  }
  return {fmt::format("{}: {} temperatures, none of which make a line.", ion, f.temperatures.size()),
          fmt::format("{}：{} 个温度，无法拟合直线。", ion, f.temperatures.size())};
}

Facts headline(const TransportFindings& f) {
  Facts facts;
  facts.headline = true;
  const Format milli{.digits = -1, .unit = "mS/cm"};
  const auto add = [&](double temperature, Standing standing, const stats::Interval& interval, double upper) {
    Fact fact{
        .name = {fmt::format("conductivity at {:.0f} K", temperature), fmt::format("{:.0f} K 电导率", temperature)},
        .format = milli,
        .note = standing_text(standing)};
    if (carries_value(standing)) fact.value = shown(interval, kMilli);
    if (standing == Standing::upper_bound) fact.value = "< " + number(upper * kMilli) + " mS/cm";
    facts.facts.push_back(fact);
  };
  if (f.carried_on) {
    const Arrhenius& a = *f.carried_on;
    add(a.target_temperature, a.standing, a.conductivity, a.upper);
    if (a.line)
      facts.facts.push_back({.name = {"activation energy", "激活能"},
                             .value = shown(a.activation_ev, 1),
                             .format = {.digits = 3, .unit = "eV"}});
  }
  const Transport& hottest = f.temperatures.back();
  add(hottest.temperature, hottest.standing, hottest.conductivity, hottest.conductivity_upper);
  return facts;
}

Table table_of(const TransportFindings& f) {
  Table table;
  table.title = {"Each temperature", "各温度"};
  table.columns = {{{"temperature", "温度"}, {.digits = 0, .unit = "K"}},
                   {{"standing", "结论"}, {}},
                   {{"conductivity", "电导率"}, {.unit = "mS/cm"}},
                   {{"below", "上限"}, {.unit = "mS/cm"}},
                   {{"D", "扩散系数"}, {.unit = "10⁻⁶ cm²/s"}},
                   {{"Haven ratio", "哈文比"}, {.digits = 2}},
                   {{"effective jumps", "有效跳跃数"}, {.digits = 0}},
                   {{"simulated", "模拟时长"}, {.digits = 0, .unit = "ps"}},
                   {{"why", "原因"}, {}}};
  for (const Transport& t : f.temperatures) {
    const bool value = carries_value(t.standing);
    Value haven;
    if (value && t.haven) haven = shown(*t.haven, 1);
    table.rows.push_back({t.temperature, standing_text(t.standing),
                          value ? Value(shown(t.conductivity, kMilli)) : Value(),
                          t.standing == Standing::upper_bound ? Value(t.conductivity_upper * kMilli) : Value(),
                          value ? Value(shown(t.self.coefficient, kSquareCentimetresPerSecond * 1e6)) : Value(), haven,
                          t.self.effective, t.simulated_ps, join(t.reasons, "; ")});
  }
  table.note = {"Intervals hold the truth in 95 of 100 cases; an upper bound holds in 97.5.",
                "区间的置信度为 95 %，上限为 97.5 %。"};
  return table;
}

Series series_of(Text title, const Curve& curve, bool band) {
  Series series{.name = std::move(title), .x = curve.lag_ps, .y = curve.msd};
  if (band) series.low = curve.low, series.high = curve.high;
  return series;
}

Chart displacement_chart(const TransportFindings& f, const Transport& t) {
  Chart chart;
  chart.title = {fmt::format("Mean square displacement at {:.0f} K", t.temperature),
                 fmt::format("{:.0f} K 均方位移", t.temperature)};
  chart.x = {.title = {"lag, ps", "时间间隔，ps"}, .logarithmic = true};
  chart.y = {.title = {"Å²", "Å²"}, .logarithmic = true};
  const std::string ion(symbol(f.options.mobile));
  const auto positive = [](Curve curve) {  // a logarithmic axis has no zero
    for (double& low : curve.low) low = std::max(low, 1e-3);
    for (double& value : curve.msd) value = std::max(value, 1e-3);
    for (double& high : curve.high) high = std::max(high, 1e-3);
    return curve;
  };
  chart.series.push_back(series_of({ion, ion}, positive(t.ions_curve), true));
  if (carries_value(t.standing)) {
    Curve line = t.ions_curve;
    for (size_t i = 0; i < line.msd.size(); ++i) line.msd[i] = 6 * t.self.coefficient.estimate * line.lag_ps[i] * 1000;
    chart.series.push_back(series_of({"6 D t", "6 D t"}, positive(line), false));
  }
  for (const auto& [element, curve] : t.framework_curves) {
    const std::string title(symbol(element));
    chart.series.push_back(series_of({title, title}, positive(curve), false));
  }
  chart.note = {
      "Relative to the framework's centre of mass. D is not read off this line but comes of all increments; 6 D t lies "
      "below the curve where ions vibrate and turn back.",
      "相对于骨架质心。D 并非由此直线读出，而是由全部位移增量求得；离子振动和回跳时，曲线高于 6 D t。"};
  return chart;
}

Chart arrhenius_chart(const TransportFindings& f) {
  Chart chart;
  chart.title = {"Arrhenius plot", "阿伦尼乌斯图"};
  chart.x = {.title = {"1000 K / T", "1000 K / T"}};
  chart.y = {.title = {"σ T, S K/cm", "σ T，S K/cm"}, .logarithmic = true};
  if (f.carried_on->line) {
    Series line{.name = {"fit, 95 %", "拟合，95 %"}};
    const double first = 1000 / f.temperatures.back().temperature;
    const double last = 1000 / std::min(f.carried_on->target_temperature, f.temperatures.front().temperature);
    constexpr int steps = 60;
    for (int i = 0; i <= steps; ++i) {
      const double x = first + (last - first) * i / steps, temperature = 1000 / x;
      const stats::Interval at = f.carried_on->interval_at(temperature);
      line.x.push_back(x);
      line.y.push_back(at.estimate * temperature);
      line.low.push_back(at.low * temperature);
      line.high.push_back(at.high * temperature);
    }
    chart.series.push_back(line);
  }
  for (const Transport& t : f.temperatures) {
    if (t.standing == Standing::refused) continue;
    Series point{.name = {fmt::format("{:.0f} K", t.temperature), ""}, .x = {1000 / t.temperature}};
    if (carries_value(t.standing)) {
      point.y = {t.conductivity.estimate * t.temperature};
      point.low = {t.conductivity.low * t.temperature};
      point.high = {t.conductivity.high * t.temperature};
    } else {
      point.name = {fmt::format("{:.0f} K, upper bound", t.temperature), fmt::format("{:.0f} K，上限", t.temperature)};
      point.y = {t.conductivity_upper * t.temperature};
    }
    chart.series.push_back(point);
  }
  return chart;
}

Json data_of(const TransportFindings& f) {
  Json list = Json::array();
  for (const Transport& t : f.temperatures) {
    const bool value = carries_value(t.standing);
    Json row = {{"temperature_k", t.temperature},
                {"standing", name(t.standing)},
                {"reasons", t.reasons},
                {"files", t.files},
                {"ions", t.ions},
                {"volume_angstrom3", t.volume},
                {"simulated_ps", t.simulated_ps},
                {"effective_jumps", t.self.effective},
                {"jumps", t.self.jumps},
                {"jumps_counted", t.jumps.count},
                {"jumps_counted_back", t.jumps.back},
                {"jump_length_counted_angstrom", t.jumps.length},
                {"log_slope", t.log_slope},
                {"diffusive_from_ps", t.self.forgotten_after / 1000},
                {"vibration_angstrom", std::sqrt(t.self.vibration)},
                {"ions_move_together", t.self.dispersion},
                {"diffusion_cm2_per_s", nullptr},
                {"conductivity_s_per_cm", nullptr},
                {"conductivity_upper_s_per_cm", nullptr},
                {"collective_conductivity_s_per_cm", nullptr},
                {"haven_ratio", nullptr},
                {"green_kubo_conductivity_s_per_cm", nullptr}};
    if (value) {
      row["diffusion_cm2_per_s"] = json_of(t.self.coefficient, kSquareCentimetresPerSecond);
      row["conductivity_s_per_cm"] = json_of(t.conductivity);
      if (t.collective_conductivity) row["collective_conductivity_s_per_cm"] = json_of(*t.collective_conductivity);
      if (t.haven) row["haven_ratio"] = json_of(*t.haven);
      if (t.green_kubo_conductivity) row["green_kubo_conductivity_s_per_cm"] = *t.green_kubo_conductivity;
    }
    if (t.standing == Standing::upper_bound) row["conductivity_upper_s_per_cm"] = t.conductivity_upper;
    list.push_back(row);
  }
  Json data = {{"mobile", symbol(f.options.mobile)},
               {"charge", f.options.charge},
               {"jump_angstrom", f.options.jump},
               {"temperatures", list},
               {"arrhenius", nullptr}};
  if (f.carried_on) {
    const Arrhenius& a = *f.carried_on;
    data["arrhenius"] = {
        {"temperature_k", a.target_temperature},
        {"standing", name(a.standing)},
        {"reasons", a.reasons},
        {"activation_energy_ev", a.line ? json_of(a.activation_ev) : Json(nullptr)},
        {"conductivity_s_per_cm", a.line ? json_of(a.conductivity) : Json(nullptr)},
        {"conductivity_upper_s_per_cm", a.standing == Standing::upper_bound ? Json(a.upper) : Json(nullptr)},
        {"errors_stretched_by", a.stretch}};
  }
  return data;
}

}  // namespace

report::Report transport_report(const TransportFindings& f) {
  Report r;
  const std::string ion(symbol(f.options.mobile));
  r.title = {"Ion transport of " + ion, ion + " 离子输运"};
  r.verdict = Verdict::done;
  r.sentence = sentence_of(f);
  Section overview{{"Overview", "概览"}, {headline(f), table_of(f)}};
  if (f.carried_on)
    for (const std::string& reason : f.carried_on->reasons)
      overview.blocks.push_back(
          Notice{Level::warning, {fmt::format("{:.0f} K: {}", f.carried_on->target_temperature, reason), ""}});
  r.sections.push_back(overview);
  if (f.carried_on) {
    const Chart chart = arrhenius_chart(f);
    if (!chart.series.empty()) r.sections.push_back({{"Temperature", "温度关系"}, {chart}});
  }
  Section displacements{{"Displacements", "位移"}, {}};
  for (const Transport& t : f.temperatures) displacements.blocks.push_back(displacement_chart(f, t));
  r.sections.push_back(displacements);
  r.data = data_of(f);
  return r;
}

std::string transport_text(const TransportFindings& f) {
  const std::vector<tqm::Column> columns = {
      {"T/K", Align::right}, {"standing"}, {"conductivity"}, {"D, cm²/s"}, {"Haven"}, {"jumps", Align::right}, {"why"}};
  std::vector<std::vector<std::string>> rows;
  for (const Transport& t : f.temperatures) {
    const bool value = carries_value(t.standing);
    rows.push_back(
        {fmt::format("{:.0f}", t.temperature), std::string(name(t.standing)),
         t.standing == Standing::refused ? "–" : conductivity_text(t.standing, t.conductivity, t.conductivity_upper),
         value ? range(t.self.coefficient, kSquareCentimetresPerSecond) : "–",
         value && t.haven ? range(*t.haven, 1) : "–", fmt::format("{:.0f}", t.self.effective), join(t.reasons, "; ")});
  }
  std::string text = table_text(columns, rows);
  if (f.carried_on) {
    const Arrhenius& a = *f.carried_on;
    if (a.line) text += fmt::format("activation energy  {} eV\n", range(a.activation_ev, 1));
    text += fmt::format("at {:.0f} K  {}  {}\n", a.target_temperature, name(a.standing),
                        a.standing == Standing::refused ? "" : conductivity_text(a.standing, a.conductivity, a.upper));
    for (const std::string& reason : a.reasons) text += "  " + reason + "\n";
  }
  return text;
}

}  // namespace tqm::matter
