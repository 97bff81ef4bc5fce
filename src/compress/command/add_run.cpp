#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>

#include "base/text.hpp"
#include "chips/capability.hpp"
#include "chips/catalogue.hpp"
#include "compress/command/commands.hpp"
#include "compress/command/run.hpp"
#include "compress/format/format.hpp"
#include "compress/quantize/plan.hpp"
#include "task/cli/cli.hpp"

namespace tqm::compress {

Result<double> parse_share(const std::string& text, const std::string& flag) {
  std::string digits = text;
  const bool percent = !digits.empty() && digits.back() == '%';
  if (percent) digits.pop_back();
  double value = 0;
  const char* end = digits.data() + digits.size();
  auto [at, code] = std::from_chars(digits.data(), end, value);
  if (code != std::errc() || at != end || digits.empty() || !(value >= 0))
    return Error{ErrorKind::usage, "not a share: " + text, flag, "say e.g. 3% or 0.03"};
  return percent ? value / 100 : value;
}

namespace {

struct Given {
  RunOptions options;
  std::string method = "gptq", write = "compressed-tensors", max_loss = "3%", scale_rule;
  std::vector<std::string> bits;
  bool strict = false, no_speed = false;
};

Status check_chip(const RunOptions& options) {
  if (options.chip.empty()) return {};
  const chips::Chip chip = TRY(chips::find_chip(options.chip));
  const chips::NumberFormat format = TRY(chips::parse_format(options.format == kPlainFormat ? "fp16" : options.format));
  const chips::Capability can = chips::capability(chip, format);
  if (can.answer != chips::Answer::refuses) return {};
  std::vector<std::string> others;
  for (chips::NumberFormat near : can.nearest)
    if (parse_format(chips::name(near))) others.emplace_back(chips::name(near));
  return Error{ErrorKind::unsupported, can.reason, "--chip " + options.chip + " --format " + options.format,
               others.empty() ? "choose another chip" : "formats that it takes: " + join(others, ", ")};
}

Result<RunOptions> checked(const Given& given) {
  RunOptions o = given.options;
  o.method = given.method == "rtn" ? Method::rtn : Method::gptq;
  // Plain rounding is absmax in the field's use of the word; where errors are made good afterwards, clipping pays.
  o.scale_rule = given.scale_rule.empty()       ? (o.method == Method::rtn ? ScaleRule::absmax : ScaleRule::mse)
                 : given.scale_rule == "absmax" ? ScaleRule::absmax
                                                : ScaleRule::mse;
  o.max_loss = given.strict ? 0.01 : TRY(parse_share(given.max_loss, "--max-loss"));
  o.speed = !given.no_speed;
  o.write.clear();
  for (const std::string& form : split(given.write, ',')) {
    const std::string word(trim(form));
    TRY(form_named(word));
    if (std::find(o.write.begin(), o.write.end(), word) == o.write.end()) o.write.push_back(word);
  }
  if (o.format == kPlainFormat) {
    if (o.repair || o.asymmetric || !o.ignore.empty() || !given.bits.empty())
      return Error{ErrorKind::usage, "nothing is quantised in f16", "--repair, --asymmetric, --ignore or --bits",
                   "leave them away, or choose int8, int4 or int3"};
    o.method = Method::rtn;
  } else {
    TRY(parse_format(o.format));
  }
  TRY(check_chip(o));
  for (const std::string& entry : given.bits) {
    const size_t at = entry.rfind('=');
    const char* end = entry.data() + entry.size();
    int bits = 0;
    const bool whole = at != std::string::npos && std::from_chars(entry.data() + at + 1, end, bits).ptr == end;
    if (!whole || at == 0 || bits == 0)
      return Error{ErrorKind::usage, "not a pattern with its bits: " + entry, "--bits", "say e.g. '*down_proj=8'"};
    o.bits.emplace_back(entry.substr(0, at), bits);
  }
  if (o.calibration_token >= 0 && (o.calibration.empty() || o.text.empty() || o.method == Method::rtn))
    return Error{ErrorKind::usage, "this places windows in a calibration file of its own, and there is none",
                 "--calibration-token", "give --calibration FILE beside --text FILE, and --method gptq"};
  if (o.rounds < 50)
    return Error{ErrorKind::usage, "a verdict on fewer than 50 rounds is worth nothing",
                 "--rounds " + std::to_string(o.rounds), "say 50 or more; 1000 is the custom"};
  return o;
}

}  // namespace

Action add_run(CLI::App& app, std::vector<std::string> command) {
  CLI::App* sub =
      app.add_subcommand("run", "Quantise a model, write it, and judge what was written beside the original");
  auto given = std::make_shared<Given>();
  RunOptions& o = given->options;
  o.command = std::move(command);
  sub->add_option("MODEL", o.model, "a Hugging Face folder, a GGUF file, or a llama2.c file")->required();
  sub->add_option("-o,--out", o.out, "folder for the result, one folder a form inside; must not exist yet")->required();
  sub->add_option("--tokenizer", o.tokenizer, "for llama2.c files");
  sub->add_option("--method", given->method, "gptq or rtn (round to nearest)")
      ->check(CLI::IsMember({"gptq", "rtn"}))
      ->capture_default_str();
  sub->add_option("--format", o.format,
                  "int8-w8a8, int8, int4 or int3; f16: only another form is written (gguf, safetensors)")
      ->capture_default_str();
  sub->add_option("--group", o.group, "values that share a scale: 32, 64, 128; 0: one scale a row")
      ->check(CLI::Range(int64_t{0}, int64_t{65536}))
      ->capture_default_str();
  sub->add_flag("--asymmetric", o.asymmetric, "a zero point a group");
  sub->add_option("--scale-rule", given->scale_rule, "mse or absmax (default: absmax for rtn, mse for gptq)")
      ->check(CLI::IsMember({"mse", "absmax"}));
  sub->add_option("--ignore", o.ignore, "layers that stay as they are, e.g. '*down_proj'; may be given again")
      ->allow_extra_args(false);
  sub->add_option("--bits", given->bits, "other bits for some layers, e.g. '*down_proj=8'; may be given again")
      ->allow_extra_args(false);
  sub->add_option("--write", given->write, "forms to write: compressed-tensors,gguf,safetensors")
      ->capture_default_str();
  sub->add_option("--calibration", o.calibration, "text (or JSON lines with \"text\") that GPTQ sees");
  sub->add_option("--text", o.text, "text that judges, the same forms; with one file alone, it is split by document");
  sub->add_option("--calibration-windows", o.calibration_windows, "default: as many as the text gives, 16 to 128")
      ->check(CLI::Range(int64_t{1}, int64_t{100000}));
  sub->add_option("--calibration-length", o.calibration_length, "tokens of a window")
      ->check(CLI::Range(int64_t{8}, int64_t{1} << 20))
      ->capture_default_str();
  sub->add_option("--calibration-token", o.calibration_token,
                  "take the calibration file's windows in order from this token on")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  sub->add_flag("--bos", o.bos, "begin each document with BOS");
  sub->add_flag("--eos", o.eos, "end each document with EOS");
  auto* max_loss = sub->add_option("--max-loss", given->max_loss,
                                   "largest relative rise of the mean negative log-likelihood a token, e.g. 3% or 0.03")
                       ->capture_default_str();
  sub->add_flag("--strict", given->strict, "the same as --max-loss 1%")->excludes(max_loss);
  sub->add_option("--rounds", o.rounds, "windows of 256 tokens at most")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 20))
      ->capture_default_str();
  sub->add_flag("--all-rounds", o.all_rounds, "read them all, even when decided");
  sub->add_flag("--repair", o.repair, "put the parts that cost most back to 8 bits where the loss is too large");
  sub->add_option("--chip", o.chip, "refuse what this chip can't work with (torquetum chips list)");
  sub->add_option("--device", o.device, "where the plain path runs: cpu, cuda:0, mlu:0, npu:0")->capture_default_str();
  sub->add_option("--threads", o.threads, "0: as many as there are")->check(CLI::Range(0, 4096))->capture_default_str();
  sub->add_option("--seed", o.seed, "of the splits and the order of rounds")
      ->check(task::cli::whole_number())
      ->capture_default_str();
  sub->add_option("--report", o.report, "folder of report.json and report.html (default: OUT-report)");
  sub->add_option("--work", o.work, "folder to go on from after a stop (default: OUT-work)");
  sub->add_option("--scores", o.scores, "folder that keeps the originals' scores (default: ~/.cache/torquetum/scores)");
  auto* prompt = sub->add_option("--prompt", o.prompts, "continued by both in the report; may be given again")
                     ->allow_extra_args(false);
  sub->add_flag("--no-speed", given->no_speed, "no measurement of memory and speed, no continuations")
      ->excludes(prompt);
  sub->add_flag("--dry-run", o.dry_run, "check everything and say what it will take");
  sub->add_flag("--json", o.json, "the result as JSON on standard output");
  sub->add_flag("--quiet", o.quiet, "no progress");
  sub->footer(
      "Examples:\n"
      "  torquetum compress run SmolLM2.gguf -o out --format int8-w8a8 --method rtn --text prose.jsonl\n"
      "  torquetum compress run Qwen2.5-0.5B -o out --format int4 --group 64 --repair --write compressed-tensors,gguf "
      "\\\n"
      "      --calibration mine.txt --text held-out.txt\n"
      "Exit codes: 0 accepted or repaired, 2 rolled back (the report says why), 75 stopped (the same command goes on), "
      "1 anything else.");
  return [given]() -> Result<int> {
    RunOptions options = TRY(checked(*given));
    return run(options);
  };
}

}  // namespace tqm::compress
