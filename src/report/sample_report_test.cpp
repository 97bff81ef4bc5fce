#include "report/sample_report.hpp"

#include <algorithm>
#include <cmath>

namespace tqm::report {

namespace {

using Kind = Format::Kind;

Format percent(int digits) {
  return {.kind = Kind::percent, .digits = digits};
}

Section accuracy() {
  Section section{.title = {"Accuracy", "精度"}, .blocks = {}};
  section.blocks.push_back(
      Facts{.headline = true,
            .facts = {
                {.name = {"Loss", "损失"},
                 .value = Interval{0.0085, 0.0062, 0.0108},
                 .format = percent(2),
                 .note = {"at most 3 % allowed", "允许上限 3 %"},
                 .good = true},
                {.name = {"Perplexity", "困惑度"},
                 .value = 29.58,
                 .format = {.digits = 2},
                 .note = {"original 28.74, +2.9 %", "原模型 28.74，+2.9 %"}},
                {.name = {"Same first choice", "首选词一致率"}, .value = 0.9412, .format = percent(1)},
                {.name = {"Size", "大小"},
                 .value = int64_t{141'557'760},
                 .format = {.kind = Kind::bytes},
                 .note = {"0.53 of bf16", "为 bf16 的 0.53"}},
            }});
  Chart test{.kind = Chart::Kind::sequential,
             .title = {"How the verdict was reached", "判定过程"},
             .x = {.title = {"Windows compared", "已比较的窗口数"}},
             .y = {.title = {"Loss so far", "当前损失"}, .format = {.kind = Kind::percent}},
             .marks = {{.name = {"threshold 3 %", "阈值 3 %"}, .value = 0.03}},
             .note = {"The path ends where it leaves the boundaries: below the green one the model is accepted.",
                      "路径越过边界即停止：低于绿线则通过。"}};
  Series path{.name = {"Measured loss", "实测损失"}, .role = Series::Role::result};
  Series accept{.name = {"Accept below", "低于则通过"}, .role = Series::Role::accept_boundary};
  Series reject{.name = {"Roll back above", "高于则回退"}, .role = Series::Role::reject_boundary};
  for (int rounds = 50; rounds <= 150; rounds += 25) {
    double n = rounds;
    double width = 0.9 / n;
    path.x.push_back(n);
    path.y.push_back(0.0085 + 0.12 * std::sin(n) / n);
    path.low.push_back(path.y.back() - 0.03 / std::sqrt(n));
    path.high.push_back(path.y.back() + 0.03 / std::sqrt(n));
    accept.x.push_back(n);
    accept.y.push_back(0.03 - width * 2);
    reject.x.push_back(n);
    reject.y.push_back(0.03 + width * 2);
  }
  test.series = {path, accept, reject};
  section.blocks.push_back(test);
  section.blocks.push_back(Chart{.kind = Chart::Kind::interval,
                                 .title = {"Beside the uniform formats", "与统一格式相比"},
                                 .x = {.title = {"Format", "格式"}},
                                 .y = {.title = {"Loss", "损失"}, .format = {.kind = Kind::percent}},
                                 .categories = {{"this model, W8A8", "本模型，W8A8"},
                                                {"8 bits, weights only", "8 位，仅权重"},
                                                {"4 bits, groups of 64", "4 位，每组 64"},
                                                {"3 bits, groups of 64", "3 位，每组 64"}},
                                 .series = {{.name = {"Loss", "损失"},
                                             .y = {0.0085, 0.0004, 0.0412, 0.187},
                                             .low = {0.0062, -0.0006, 0.037, 0.176},
                                             .high = {0.0108, 0.0014, 0.0454, 0.198},
                                             .role = Series::Role::result}},
                                 .marks = {{.name = {"3 %", "3 %"}, .value = 0.03}}});
  return section;
}

Section costs() {
  Section section{.title = {"Memory and speed", "内存与速度"}, .blocks = {}};
  section.blocks.push_back(
      Table{.title = {"Both models, in turn, on this machine", "两个模型在本机上交替运行"},
            .columns = {{.title = {"Model", "模型"}},
                        {.title = {"Peak memory", "峰值内存"}, .format = {.kind = Kind::bytes}},
                        {.title = {"Decode", "解码"}, .format = {.digits = 1, .unit = "tokens/s"}},
                        {.title = {"First token", "首词延迟"}, .format = {.kind = Kind::duration}},
                        {.title = {"Token, p50", "每词 p50"}, .format = {.kind = Kind::duration}},
                        {.title = {"Token, p99", "每词 p99"}, .format = {.kind = Kind::duration}}},
            .rows = {{Text{"original, bf16", "原模型，bf16"}, int64_t{331'350'016}, Interval{38.2, 37.1, 39.4}, 0.412,
                      0.0259, 0.0341},
                     {Text{"compressed, W8A8", "压缩后，W8A8"}, int64_t{188'743'680}, Interval{61.7, 60.2, 63.0}, 0.268,
                      0.0161, 0.0228}},
            .highlighted = {1},
            .note = {"128 tokens after a prompt of 256, five times each.", "提示 256 词后生成 128 词，各五次。"}});
  section.blocks.push_back(
      Chart{.kind = Chart::Kind::bar,
            .title = {"Where the memory goes", "内存去向"},
            .x = {.title = {"Part", "部分"}},
            .y = {.title = {"Memory", "内存"}, .format = {.kind = Kind::bytes}},
            .categories = {{"weights", "权重"}, {"KV cache", "KV 缓存"}, {"activations", "激活"}},
            .series = {
                {.name = {"original", "原模型"}, .y = {269e6, 23.6e6, 38.7e6}, .role = Series::Role::original},
                {.name = {"compressed", "压缩后"}, .y = {141.6e6, 23.6e6, 23.5e6}, .role = Series::Role::result},
            }});
  return section;
}

Section layers() {
  Section section{.title = {"Loss by layer", "逐层损失"}, .blocks = {}};
  Chart bars{.kind = Chart::Kind::bar,
             .title = {"Loss when only this layer is compressed", "只压缩该层时的损失"},
             .x = {.title = {"Layer", "层"}},
             .y = {.title = {"Loss", "损失"}, .format = {.kind = Kind::percent}}};
  Series series{.name = {"Loss", "损失"}, .role = Series::Role::result};
  Chart line{.kind = Chart::Kind::line,
             .title = {"Reconstruction error of the weights", "权重重建误差"},
             .x = {.title = {"Layer", "层"}},
             .y = {.title = {"Relative error", "相对误差"}, .logarithmic = true}};
  Series attention{.name = {"attention", "注意力"}};
  Series mlp{.name = {"feed-forward", "前馈"}};
  for (int i = 0; i < 30; ++i) {
    std::string number = std::to_string(i);
    double value = 0.0003 + 0.0011 * std::exp(-i / 3.0) + 0.0002 * std::abs(std::sin(i * 1.7)) + (i == 29 ? 0.0016 : 0);
    bars.categories.push_back({number, number});
    series.y.push_back(value);
    series.low.push_back(value * 0.8);
    series.high.push_back(value * 1.2);
    attention.x.push_back(i);
    attention.y.push_back(2e-4 * (1 + std::abs(std::cos(i))));
    mlp.x.push_back(i);
    mlp.y.push_back(9e-5 * (1 + 30 * std::exp(-i / 2.0)));
    mlp.low.push_back(mlp.y.back() * 0.7);
    mlp.high.push_back(mlp.y.back() * 1.4);
  }
  bars.series = {series};
  line.series = {attention, mlp};
  section.blocks.push_back(bars);
  section.blocks.push_back(line);
  section.blocks.push_back(Chart{.kind = Chart::Kind::scatter,
                                 .title = {"Loss against size", "损失与大小"},
                                 .x = {.title = {"Bits a weight", "每权重位数"}, .format = {.digits = 2}},
                                 .y = {.title = {"Loss", "损失"}, .format = {.kind = Kind::percent}},
                                 .series = {{.name = {"uniform", "统一"},
                                             .x = {3.25, 4.25, 8.0},
                                             .y = {0.187, 0.0412, 0.0004},
                                             .low = {0.176, 0.037, -0.0006},
                                             .high = {0.198, 0.0454, 0.0014}},
                                            {.name = {"this model", "本模型"},
                                             .x = {8.0},
                                             .y = {0.0085},
                                             .low = {0.0062},
                                             .high = {0.0108},
                                             .role = Series::Role::result}},
                                 .marks = {{.name = {"threshold", "阈值"}, .value = 0.03}}});
  return section;
}

Section generations() {
  Section section{.title = {"Generations", "生成对比"}, .blocks = {}};
  section.blocks.push_back(Paragraphs{
      {{"Greedy, 48 tokens. Marked is what differs from the original.", "贪心解码，48 词。与原模型不同之处已标出。"}}});
  section.blocks.push_back(Samples{
      .names = {{"original", "原模型"}, {"compressed", "压缩后"}},
      .samples = {
          {"Why is the sky blue?",
           {"The sky appears blue because of a phenomenon called Rayleigh scattering: short waves of sunlight are "
            "scattered by the gases of the air far more than long ones.",
            "The sky appears blue because of a phenomenon called Rayleigh scattering: blue light is scattered in "
            "all directions by the small molecules of the air."}},
          {"用一句话解释熵。", {"熵衡量一个系统的无序程度。", "熵衡量一个系统的无序程度。"}},
          {"Write HTML that says hello.",
           {"<script>document.title = 'hello'</script>\n<b>hello</b> & goodbye",
            "<script>document.title = 'hello'</script>\n<i>hello</i> \xF0\x9F\x8C\x8D"}}}});
  return section;
}

Section remarks() {
  Section section{.title = {"Remarks", "备注"}, .blocks = {}};
  section.blocks.push_back(
      Notice{Level::info,
             {"The opened file holds 4-bit weights unpacked to bf16; sizes are given against both.",
              "打开的文件是解包为 bf16 的 4 位权重；两种大小都列出。"}});
  section.blocks.push_back(
      Notice{Level::warning, {"Fewer than 1,000 windows were at hand.", "可用窗口不足 1,000 个。"}});
  section.blocks.push_back(Notice{Level::error, {"llama.cpp does not load this form.", "llama.cpp 无法加载此格式。"}});
  section.blocks.push_back(
      Code{.title = {"A kernel and its translation", "内核及其翻译"},
           .sources = {{.title = {"saxpy.cu", "saxpy.cu"},
                        .language = "cuda",
                        .text = "__global__ void saxpy(int n, float a, const float* x, float* y) {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (i < n) y[i] = a * x[i] + y[i];\n}\n"},
                       {.title = {"saxpy.mlu", "saxpy.mlu"},
                        .language = "bang",
                        .text = "__mlu_global__ void saxpy(int n, float a, const float* x, float* y) {\n"
                                "  __nram__ float tile_x[kTile];\n  __nram__ float tile_y[kTile];\n"
                                "  for (int at = taskId * kTile; at < n; at += taskDim * kTile) {\n"
                                "    int here = min(kTile, n - at);\n"
                                "    __memcpy(tile_x, x + at, here * sizeof(float), GDRAM2NRAM);\n"
                                "    __memcpy(tile_y, y + at, here * sizeof(float), GDRAM2NRAM);\n"
                                "    __bang_mul_scalar(tile_x, tile_x, a, kTile);\n"
                                "    __bang_add(tile_y, tile_y, tile_x, kTile);\n"
                                "    __memcpy(y + at, tile_y, here * sizeof(float), NRAM2GDRAM);\n  }\n}\n"}},
           .notes = {{.source = 0,
                      .line = 2,
                      .level = Level::info,
                      .id = "TQ1004",
                      .text = {"The grid becomes a loop over tasks.", "网格改为任务循环。"}},
                     {.source = 1,
                      .line = 8,
                      .level = Level::warning,
                      .id = "TQ2011",
                      .text = {"The tail of the tile is computed and not written back.", "尾部被计算但不写回。"}}}});
  section.blocks.push_back(
      Facts{.title = {"Method", "方法"},
            .facts = {{.name = {"Format", "格式"}, .value = "int8-w8a8", .format = {.kind = Kind::code}},
                      {.name = {"Method", "方法"}, .value = Text{"round to nearest", "就近舍入"}},
                      {.name = {"Calibration", "校准"}, .value = int64_t{16384}, .format = {.unit = "tokens"}},
                      {.name = {"True sequential", "逐块顺序"}, .value = true},
                      {.name = {"Damping", "阻尼"}, .value = {}, .note = {"not used", "未使用"}}}});
  return section;
}

}  // namespace

Report sample_report() {
  return Report{
      .title = {"SmolLM2-135M-Instruct to INT8 W8A8", "SmolLM2-135M-Instruct 压缩为 INT8 W8A8"},
      .tool = "torquetum-compress",
      .version = "0.1.0",
      .command = {"torquetum", "compress", "run", "SmolLM2-135M-Instruct.Q4_1.gguf", "-o", "smol w8a8", "--method",
                  "rtn", "--format", "int8-w8a8", "--write", "compressed-tensors", "--max-loss", "3%"},
      .started = "2026-11-30T20:37:19Z",
      .finished = "2026-11-30T20:41:52Z",
      .host = {.system = "Debian GNU/Linux 12, x86_64",
               .processor = "a server CPU with AVX-512 VNNI",
               .threads = 2,
               .memory_bytes = uint64_t{16} << 30},
      .inputs = {{.name = "model",
                  .path = "SmolLM2-135M-Instruct.Q4_1.gguf",
                  .fingerprint = "b3a1c7d05c1e9f42",
                  .bytes = 98'000'000},
                 {.name = "text", .path = "prose.txt", .fingerprint = "5d0e77a1f3b2c894", .bytes = 1'430'000}},
      .outputs = {{.name = "compressed-tensors", .path = "smol w8a8/compressed-tensors", .bytes = 141'557'760}},
      .verdict = Verdict::accepted,
      .sentence = {"The compressed model loses 0.85 % on the same text (95 % interval 0.62 % to 1.08 %), under the 3 % "
                   "allowed, "
                   "and was kept.",
                   "在相同文本上，压缩后的模型损失 0.85 %（95 % 区间 0.62 % 至 1.08 %），低于允许的 3 %，已保留。"},
      .sections = {accuracy(), costs(), layers(), generations(), remarks()},
      .data = {{"loss", {{"value", 0.0085}, {"low", 0.0062}, {"high", 0.0108}}}, {"rounds", 150}},
  };
}

}  // namespace tqm::report
