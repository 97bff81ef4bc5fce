#include "compress/command/outcome.hpp"

#include <algorithm>
#include <cmath>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "compress/quantize/overlay.hpp"
#include "report/host.hpp"

namespace tqm::compress {
namespace {

using namespace report;
using Kind = Format::Kind;

std::string percent(double value, int digits = 2) {
  return percent_text(value, digits);
}
std::string change(double value) {
  const std::string text = percent(value);
  return (text.front() == '-' ? "" : "+") + text;
}
std::string number(double value, int digits) {
  return fixed_text(value, digits);
}

Text sentence(const Outcome& o) {
  const VerdictResult& v = o.last().verdicts.rbegin()->second;
  const std::string loss = percent(v.loss), limit = percent(o.options->max_loss, 1), rounds = std::to_string(v.rounds);
  const std::string bits = number(o.last().average_bits, 2);
  switch (o.verdict) {
    case Verdict::accepted:
      return {"Accepted after " + rounds + " rounds: the loss is " + loss + ", below the " + limit + " allowed.",
              rounds + " 轮后接受：损失 " + loss + "，低于允许的 " + limit + "。"};
    case Verdict::repaired:
      return {"Repaired: with " + std::to_string(o.last().raised) + " parts back at 8 bits (" + bits +
                  " bits a weight) the loss is " + loss + ", below the " + limit + " allowed; " + rounds + " rounds.",
              "已修复：" + std::to_string(o.last().raised) + " 个部分恢复为 8 位（平均每权重 " + bits +
                  " 位）后损失为 " + loss + "，低于允许的 " + limit + "；共 " + rounds + " 轮。"};
    case Verdict::rolled_back:
      return {"Rolled back after " + rounds + " rounds: the loss is " + loss + ", above the " + limit +
                  " allowed. Nothing was kept.",
              rounds + " 轮后回滚：损失 " + loss + "，高于允许的 " + limit + "。未保留任何文件。"};
    default:
      return {"Undecided after " + rounds + " rounds: the loss is " + loss + ", too near the " + limit +
                  " allowed to tell. Rolled back; nothing was kept.",
              rounds + " 轮后仍无法判定：损失 " + loss + "，与允许的 " + limit + " 过于接近。已回滚，未保留任何文件。"};
  }
}

Section accuracy(const Outcome& o) {
  Section section{{"Accuracy", "精度"}, {}};
  for (const auto& [form, v] : o.last().verdicts) {
    Table table;
    table.title = {"Original beside the reloaded " + form + " files", "原模型与重新加载的 " + form + " 文件对比"};
    table.columns = {{{"", ""}, {}}, {{"original", "原模型"}, {}}, {{"compressed", "压缩后"}, {}}};
    auto row = [&](Text name, double a, double b, const char* unit, int digits) {
      table.rows.push_back({name, number(a, digits) + unit, number(b, digits) + unit});
    };
    row({"Loss a token, nats", "每词元损失（nat）"}, v.original_nll, v.compressed_nll, "", 4);
    row({"Perplexity", "困惑度"}, std::exp(v.original_nll), std::exp(v.compressed_nll), "", 3);
    row({"First choice right", "首选正确率"}, 100 * v.original_top1, 100 * v.compressed_top1, " %", 2);
    section.blocks.push_back(table);
    Facts facts;
    facts.facts = {
        {{"Loss", "损失"},
         Interval{v.loss, v.low, v.high},
         {Kind::percent, 2, ""},
         {"relative rise of the mean negative log-likelihood a token, with the bounds of the sequential test",
          "平均每词元负对数似然的相对上升，区间来自序贯检验"},
         v.decision == stats::Decision::accept},
        {{"Loss allowed", "允许的损失"}, o.options->max_loss, {Kind::percent, 2, ""}, {}, {}},
        {{"Rise of the perplexity", "困惑度上升"},
         std::exp(v.compressed_nll - v.original_nll) - 1,
         {Kind::percent, 2, ""},
         {},
         {}},
        {{"Same first choice as the original", "与原模型首选一致"}, v.agreement, {Kind::percent, 2, ""}, {}, {}},
        {{"Divergence from the original", "与原模型的 KL 散度"},
         v.kl_mean,
         {Kind::number, 4, "nat"},
         {"KL(original ‖ compressed), mean over " + std::to_string(v.kl_tokens) + " tokens",
          "对 " + std::to_string(v.kl_tokens) + " 个词元取平均"},
         {}},
        {{"Rounds", "轮数"}, v.rounds, {}, {"windows of 256 tokens, in random order", "每轮 256 个词元，随机顺序"}, {}},
        {{"Text", "文本"}, o.texts, {Kind::code, -1, ""}, {}, {}},
    };
    section.blocks.push_back(facts);
    Chart chart;
    chart.kind = Chart::Kind::sequential;
    chart.title = {"The loss as rounds were read", "随轮数变化的损失"};
    chart.x = {{"rounds", "轮"}, {}, false};
    chart.y = {{"loss", "损失"}, {Kind::percent, 1, ""}, false};
    Series path;
    path.name = {"loss, with its bounds", "损失及其区间"};
    path.role = Series::Role::result;
    for (const VerdictLook& look : v.looks) {
      path.x.push_back(static_cast<double>(look.rounds));
      path.y.push_back(look.loss);
      path.low.push_back(look.low);
      path.high.push_back(look.high);
    }
    chart.series.push_back(path);
    chart.marks.push_back({{"allowed", "允许"}, o.options->max_loss});
    chart.note = {
        "Accepted where the upper bound falls below the line, rolled back where the lower one rises above it.",
        "上界低于该线则接受，下界高于该线则回滚。"};
    section.blocks.push_back(chart);
  }
  return section;
}

Section sizes(const Outcome& o) {
  Section section{{"Size", "大小"}, {}};
  Table table;
  table.columns = {{{"", ""}, {}},
                   {{"bytes", "字节"}, {Kind::bytes, -1, ""}},
                   {{"of the opened file", "相对打开的文件"}, {Kind::percent, 1, ""}},
                   {{"of bf16", "相对 bf16"}, {Kind::percent, 1, ""}}};
  auto row = [&](Text name, uint64_t bytes) {
    const double b = static_cast<double>(bytes);
    table.rows.push_back({name, static_cast<int64_t>(bytes),
                          b / static_cast<double>(std::max<uint64_t>(1, o.opened_bytes)),
                          b / static_cast<double>(std::max<uint64_t>(1, o.bf16_bytes))});
  };
  row({"opened file, weights", "打开的文件（权重）"}, o.opened_bytes);
  row({"the same in bf16", "同一模型 bf16"}, o.bf16_bytes);
  for (const auto& [form, bytes] : o.last().weight_bytes) {
    row({form, form}, bytes);
    table.highlighted.push_back(table.rows.size() - 1);
  }
  table.note = {"Embeddings and output layer are counted. The blocks' linear layers hold " +
                    number(o.last().average_bits, 2) + " bits a weight, scales included.",
                "包含词嵌入与输出层。各块线性层平均每权重 " + number(o.last().average_bits, 2) + " 位（含缩放系数）。"};
  section.blocks.push_back(table);
  return section;
}

Section speeds(const Outcome& o) {
  Section section{{"Memory and speed", "内存与速度"}, {}};
  if (!o.speed) {
    section.blocks.push_back(Notice{Level::info, {"Not measured: " + o.speed_missing, "未测量：" + o.speed_missing}});
    return section;
  }
  const Speed &a = o.speed->original, &b = o.speed->compressed;
  Table table;
  table.columns = {{{"", ""}, {}},
                   {{"original", "原模型"}, {}},
                   {{"compressed", "压缩后"}, {}},
                   {{"ratio", "比值"}, {Kind::number, 2, ""}}};
  auto row = [&](Text name, double x, double y, const std::string& first, const std::string& second) {
    table.rows.push_back({name, first, second, x > 0 ? Value(y / x) : Value()});
  };
  auto bytes = [&](Text name, uint64_t x, uint64_t y) {
    row(std::move(name), static_cast<double>(x), static_cast<double>(y), bytes_text(x), bytes_text(y));
  };
  auto plain = [&](Text name, double x, double y, const char* unit) {
    row(std::move(name), x, y, number(x, 1) + unit, number(y, 1) + unit);
  };
  bytes({"Weights in memory", "内存中的权重"}, a.memory.weights, b.memory.weights);
  bytes({"Keys and values", "键值缓存"}, a.memory.kv_cache, b.memory.kv_cache);
  bytes({"Activations", "激活"}, a.memory.activations, b.memory.activations);
  bytes({"Peak above the empty process", "进程峰值（减去空进程）"}, a.peak_above_empty_bytes, b.peak_above_empty_bytes);
  plain({"Reading the prompt", "读取提示"}, a.prefill_tokens_per_s, b.prefill_tokens_per_s, " tokens/s");
  plain({"Writing", "生成"}, a.decode_tokens_per_s, b.decode_tokens_per_s, " tokens/s");
  plain({"First token", "首词元延迟"}, a.first_token_ms, b.first_token_ms, " ms");
  plain({"A token, median", "每词元中位延迟"}, a.token_p50_ms, b.token_p50_ms, " ms");
  plain({"A token, 95th percentile", "每词元 95 分位"}, a.token_p95_ms, b.token_p95_ms, " ms");
  plain({"A token, 99th percentile", "每词元 99 分位"}, a.token_p99_ms, b.token_p99_ms, " ms");
  table.note = {"Each model in a process of its own, in turn, " + std::to_string(o.speed->rounds) +
                    " times, medians; prompt of " + std::to_string(o.speed->prompt) + " tokens, " +
                    std::to_string(o.speed->decode) + " written; " + std::to_string(a.threads) + " threads.",
                "每个模型在独立进程中交替运行 " + std::to_string(o.speed->rounds) + " 次取中位数；提示 " +
                    std::to_string(o.speed->prompt) + " 词元，生成 " + std::to_string(o.speed->decode) + " 词元；" +
                    std::to_string(a.threads) + " 线程。"};
  section.blocks.push_back(table);
  Facts facts;
  facts.facts = {{{"Kernels, original", "原模型内核"}, a.kernels, {Kind::code, -1, ""}, {}, {}},
                 {{"Kernels, compressed", "压缩后内核"}, b.kernels, {Kind::code, -1, ""}, {}, {}}};
  section.blocks.push_back(facts);
  return section;
}

Section layers(const Outcome& o) {
  Section section{{"Loss by layer", "逐层损失"}, {}};
  Chart chart;
  chart.kind = Chart::Kind::line;
  chart.title = {"Error of each linear layer", "每个线性层的误差"};
  chart.x = {{"block", "块"}, {}, false};
  const bool gptq = o.options->method == Method::gptq;
  chart.y = {gptq ? Text{"error of the output", "输出误差"} : Text{"error of the weights", "权重误差"},
             {Kind::percent, 2, ""},
             true};
  const char* parts[] = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
  for (const char* part : parts) {
    Series series;
    series.name = {part, part};
    for (const LinearRecord& record : o.records)
      if (record.name.find(part) != std::string::npos && record.relative_error > 0) {
        series.x.push_back(static_cast<double>(layer_of(record.name)));
        series.y.push_back(record.relative_error);
      }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  chart.note = gptq ? Text{"Squared error over squared size of each layer's output on the calibration text, at the bits asked for.",
                           "各层在校准文本上的输出平方误差比（按请求的位数）。"}
                    : Text{"Squared error over squared size of each layer's weights.", "各层权重的平方误差比。"};
  if (!chart.series.empty()) section.blocks.push_back(chart);
  if (!o.gains.empty()) {
    Table table;
    table.title = {"What each part costs: the parts that gain most a byte from 8 bits",
                   "各部分的代价：恢复为 8 位后每字节收益最大的部分"};
    table.columns = {{{"part", "部分"}, {}},
                     {{"divergence gained, nat a token", "KL 改善（nat/词元）"}, {Kind::number, 5, ""}},
                     {{"loss gained, nat a token", "损失改善（nat/词元）"}, {Kind::number, 5, ""}},
                     {{"bytes added", "增加的字节"}, {Kind::bytes, -1, ""}},
                     {{"put back", "已恢复"}, {}}};
    for (size_t i = 0; i < o.gains.size() && i < 30; ++i)
      table.rows.push_back({o.gains[i].unit.label(), o.gains[i].kl_gain, o.gains[i].nll_gain,
                            static_cast<int64_t>(o.gains[i].added_bytes), i < o.last().raised});
    section.blocks.push_back(table);
    Chart mixes;
    mixes.kind = Chart::Kind::scatter;
    mixes.title = {"Mixes tried on the repair windows", "在修复窗口上尝试的组合"};
    mixes.x = {{"parts at 8 bits", "8 位部分数"}, {}, false};
    mixes.y = {{"loss", "损失"}, {Kind::percent, 1, ""}, false};
    Series series;
    series.name = {"measured", "实测"};
    for (const auto& [count, loss] : o.tried) {
      series.x.push_back(static_cast<double>(count));
      series.y.push_back(loss);
    }
    mixes.series.push_back(series);
    mixes.marks.push_back({{"allowed", "允许"}, o.options->max_loss});
    section.blocks.push_back(mixes);
  }
  if (o.uniform) {
    Facts facts;
    facts.facts = {
        {{"One format of equal size for all", "同等大小的统一格式"},
         o.uniform->second,
         {Kind::percent, 2, ""},
         {std::to_string(o.uniform->first) +
              " bits everywhere, rounded to nearest, on the same repair windows where the mix loses " +
              percent(o.last().repair_loss) + "; few engines load " + std::to_string(o.uniform->first) + " bits",
          "全部 " + std::to_string(o.uniform->first) + " 位（就近舍入），同一修复窗口；混合格式在其上损失 " +
              percent(o.last().repair_loss)},
         {}}};
    section.blocks.push_back(facts);
  }
  return section;
}

Section attempts(const Outcome& o) {
  Section section{{"Attempts", "尝试"}, {}};
  Table table;
  table.columns = {{{"parts at 8 bits", "8 位部分数"}, {}},
                   {{"bits a weight", "每权重位数"}, {Kind::number, 2, ""}},
                   {{"form", "形式"}, {}},
                   {{"loss", "损失"}, {Kind::percent, 2, ""}},
                   {{"rounds", "轮数"}, {}},
                   {{"decision", "判定"}, {}}};
  for (const Attempt& attempt : o.attempts)
    for (const auto& [form, v] : attempt.verdicts)
      table.rows.push_back({static_cast<int64_t>(attempt.raised), attempt.average_bits, form,
                            report::Interval{v.loss, v.low, v.high}, v.rounds, std::string(stats::name(v.decision))});
  table.note = {"Each attempt may accept wrongly with probability " + percent(o.alpha) +
                    " at most; the windows that judge chose nothing.",
                "每次尝试误接受的概率至多 " + percent(o.alpha) + "；判定所用窗口未参与任何选择。"};
  section.blocks.push_back(table);
  return section;
}

Json data_of(const Outcome& o) {
  Json attempts = Json::array();
  VerdictOptions options;
  options.max_loss = o.options->max_loss;
  options.rounds = o.options->rounds;
  options.alpha = o.alpha;
  for (const Attempt& attempt : o.attempts) {
    Json forms = Json::object();
    for (const auto& [form, v] : attempt.verdicts) {
      forms[form] = to_json(v, options);
      forms[form]["weight_bytes"] = attempt.weight_bytes.at(form);
    }
    attempts.push_back({{"raised_parts", attempt.raised},
                        {"average_bits", attempt.average_bits},
                        {"repair_loss", attempt.repair_loss},
                        {"forms", forms}});
  }
  Json records = Json::array();
  for (const LinearRecord& r : o.records)
    records.push_back({{"name", r.name},
                       {"format", format_name(r.spec)},
                       {"group", r.spec.group},
                       {"relative_error", r.relative_error},
                       {"nearest_error", r.nearest_error},
                       {"damping", r.damping},
                       {"dead_columns", r.dead_columns},
                       {"fell_back", r.fell_back}});
  const VerdictResult& v = o.last().verdicts.rbegin()->second;
  Json data = {{"verdict", std::string(name(o.verdict))},
               {"sentence", sentence(o).en},
               {"loss", v.loss},
               {"loss_low", v.low},
               {"loss_high", v.high},
               {"max_loss", o.options->max_loss},
               {"rounds", v.rounds},
               {"perplexity_rise", std::exp(v.compressed_nll - v.original_nll) - 1},
               {"format", o.options->format},
               {"method", o.options->method == Method::gptq ? "gptq" : "rtn"},
               {"group", o.spec.group},
               {"average_bits", o.last().average_bits},
               {"opened_bytes", o.opened_bytes},
               {"bf16_bytes", o.bf16_bytes},
               {"out", o.verdict == Verdict::accepted || o.verdict == Verdict::repaired ? Json(o.options->out.string())
                                                                                        : Json()},
               {"attempts", attempts},
               {"layers", records}};
  if (o.speed) data["speed"] = {{"original", to_json(o.speed->original)}, {"compressed", to_json(o.speed->compressed)}};
  if (o.uniform) data["uniform"] = {{"bits", o.uniform->first}, {"repair_loss", o.uniform->second}};
  data["warnings"] = o.warnings;
  return data;
}

}  // namespace

bool Attempt::accepted() const {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const auto& v) { return v.second.decision == stats::Decision::accept; });
}
bool Attempt::undecided() const {
  return !accepted() && std::none_of(verdicts.begin(), verdicts.end(),
                                     [](const auto& v) { return v.second.decision == stats::Decision::reject; });
}

report::Report make_report(const Outcome& o) {
  Report r;
  const std::string what = o.model_name + " → " + o.options->format;
  r.title = {what, what};
  r.tool = "torquetum-compress";
  r.version = std::string(version());
  r.command = o.options->command;
  r.started = o.started;
  r.finished = o.finished;
  r.attempt = static_cast<int>(o.attempt);
  r.host = report::this_host(o.threads);
  auto file = [&](const char* name, const std::filesystem::path& path) {
    if (path.empty()) return;
    std::error_code code;
    const auto size = std::filesystem::file_size(path, code);
    r.inputs.push_back({name, path.string(), "", code ? 0 : static_cast<uint64_t>(size)});
  };
  file("model", o.options->model);
  file("calibration", o.options->calibration);
  file("text", o.options->text);
  r.verdict = o.verdict;
  r.sentence = sentence(o);
  if (o.verdict == Verdict::accepted || o.verdict == Verdict::repaired)
    for (const auto& [form, bytes] : o.last().weight_bytes)
      r.outputs.push_back({form, (o.options->out / form).string(), "", bytes});
  Section notes{{"Notes", "说明"}, {}};
  for (const std::string& warning : o.warnings) notes.blocks.push_back(Notice{Level::warning, {warning, ""}});
  r.sections = {accuracy(o), sizes(o), speeds(o), layers(o)};
  if (o.attempts.size() > 1) r.sections.push_back(attempts(o));
  if (!o.continuations.empty()) {
    Samples samples;
    samples.title = {"The same beginnings continued, greedily", "相同开头的续写（贪心）"};
    samples.names = {{"original", "原模型"}, {"compressed", "压缩后"}};
    for (const Continuation& c : o.continuations) samples.samples.push_back({c.prompt, {c.original, c.compressed}});
    r.sections.push_back({{"Side by side", "并排对比"}, {samples}});
  }
  if (!notes.blocks.empty()) r.sections.push_back(std::move(notes));
  r.data = data_of(o);
  return r;
}

std::string summary_table(const Outcome& o) {
  const VerdictResult& v = o.last().verdicts.rbegin()->second;
  const std::vector<tqm::Column> columns = {
      {"", Align::left}, {"original", Align::right}, {"compressed", Align::right}};
  std::vector<std::vector<std::string>> rows = {
      {"weights, as stored", bytes_text(o.opened_bytes), bytes_text(o.last().weight_bytes.rbegin()->second)},
      {"weights in bf16", bytes_text(o.bf16_bytes), ""},
      {"bits a weight (blocks)", "", number(o.last().average_bits, 2)},
      {"loss a token, nats", number(v.original_nll, 4), number(v.compressed_nll, 4)},
      {"perplexity", number(std::exp(v.original_nll), 3), number(std::exp(v.compressed_nll), 3)},
      {"first choice right", percent(v.original_top1), percent(v.compressed_top1)}};
  if (o.speed) {
    const Speed &a = o.speed->original, &b = o.speed->compressed;
    rows.push_back({"memory above empty", bytes_text(a.peak_above_empty_bytes), bytes_text(b.peak_above_empty_bytes)});
    rows.push_back({"prompt, tokens/s", number(a.prefill_tokens_per_s, 0), number(b.prefill_tokens_per_s, 0)});
    rows.push_back({"writing, tokens/s", number(a.decode_tokens_per_s, 0), number(b.decode_tokens_per_s, 0)});
    rows.push_back({"first token, ms", number(a.first_token_ms, 0), number(b.first_token_ms, 0)});
  }
  std::string text = table_text(columns, rows);
  text += "\nloss " + percent(v.loss) + ", between " + percent(v.low) + " and " + percent(v.high) + "; perplexity " +
          change(std::exp(v.compressed_nll - v.original_nll) - 1) + "; " + std::to_string(v.rounds) + " rounds\n";
  return text + sentence(o).en + "\n";
}

}  // namespace tqm::compress
