#include "compress/command/run.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iostream>
#include <numeric>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "chips/capability.hpp"
#include "chips/catalogue.hpp"
#include "compress/command/measure.hpp"
#include "compress/command/outcome.hpp"
#include "compress/command/texts.hpp"
#include "compress/evaluate/baseline.hpp"
#include "compress/evaluate/verdict.hpp"
#include "compress/format/format.hpp"
#include "compress/quantize/overlay.hpp"
#include "compress/quantize/repair.hpp"
#include "compress/runtime/fast/generate.hpp"
#include "task/checkpoint.hpp"
#include "task/session.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace fs = std::filesystem;

bool Attempt::accepted() const {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const auto& v) { return v.second.decision == stats::Decision::accept; });
}
bool Attempt::undecided() const {
  return !accepted() && std::none_of(verdicts.begin(), verdicts.end(),
                                     [](const auto& v) { return v.second.decision == stats::Decision::reject; });
}

namespace {

constexpr int64_t kContinuation = 48;  // tokens
constexpr int kRepairAttempts = 3;
// What a repair aims at on its own windows, as shares of the loss allowed: each attempt asks for more.
constexpr double kRepairTargets[kRepairAttempts] = {0.75, 0.6, 0.45};

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

// Where path really is, as far as it exists by now.
fs::path resolved(const fs::path& path) {
  std::error_code code;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, code), code);
  return whole.has_filename() ? whole : whole.parent_path();
}

// Refuses a path that is the folder or lies below it.
Status check_outside(const fs::path& path, const std::string& option, const fs::path& folder, const std::string& name) {
  if (path.empty()) return {};
  const fs::path inner = resolved(path), outer = resolved(folder);
  const auto [outer_end, inner_end] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  if (outer_end != outer.end()) return {};
  return Error{ErrorKind::usage, name + " can't hold anything else", option + " " + path.string(),
               "choose a place outside " + folder.string()};
}

// Whether a folder of this name can be made: found out before the work, not after it.
Status check_place(const fs::path& path, const std::string& what) {
  std::error_code code;
  const fs::path whole = fs::absolute(path, code);
  if (code) return system_error(what, path, code.value());
  for (fs::path at = whole;; at = at.parent_path()) {
    if (::access(at.c_str(), F_OK) != 0) {
      if (errno != ENOENT) return system_error(what, path, errno);
      continue;
    }
    if (!fs::is_directory(at, code)) return system_error(what, at, ENOTDIR);
    if (::access(at.c_str(), W_OK | X_OK) != 0) return system_error(what, at, errno);
    return {};
  }
}

std::string hash_of(const Windows& windows) {
  Xxh3 hash;
  for (const auto& window : windows) hash.add(std::as_bytes(std::span(window)));
  return hash.hex();
}

Json to_json(const Plan& plan) {
  Json json = Json::object();
  for (const auto& [name, spec] : plan)
    json[name] = format_name(spec) + " g" + std::to_string(spec.group) + (spec.symmetric ? "" : " asymmetric");
  return json;
}

double mean_nll(const std::vector<WindowScore>& scores) {
  double sum = 0, count = 0;
  for (const WindowScore& score : scores) {
    sum = std::accumulate(score.nll.begin(), score.nll.end(), sum);
    count += static_cast<double>(score.nll.size());
  }
  return sum / count;
}

// One run from the opened model to the last verdict.
class Run {
 public:
  Run(const RunOptions& options, task::Session& session, Model original)
      : options_(options), session_(session), original_(std::move(original)) {
    plain_.device = options.device;
    staging_ = options.out.parent_path() / ("." + options.out.filename().string() + ".torquetum-part");
    work_ = !options.work.empty()                       ? options.work
            : !session.environment().checkpoint.empty() ? session.environment().checkpoint
                                                        : fs::path(options.out.string() + "-work");
    report_ = task::report_place(session.environment(), options.report, fs::path(options.out.string() + "-report"));
  }

  Status prepare() {
    TRY(check_chip(options_));
    if (options_.format != kPlainFormat) TRY(make_quantised_plan());
    for (const std::string& form : options_.write) TRY(can_hold(form, original_.config, write_plan(plan_)));
    if (options_.repair) {
      std::vector<UnitGain> all;
      for (Unit& unit : units_of(original_.config)) all.push_back({std::move(unit), 0, 0, 0});
      for (const std::string& form : options_.write)
        TRY(can_hold(form, original_.config, write_plan(raise_units(plan_, all, all.size()))));
    }
    TRY(check_places());
    texts_ = TRY(prepare_texts(options_, *original_.tokenizer));
    for (const std::string& warning : texts_.warnings) warn(warning);
    outcome_.options = &options_;
    std::error_code code;
    outcome_.model_name = fs::weakly_canonical(original_.path, code).filename().string();
    outcome_.spec = spec_;
    outcome_.texts = texts_.description;
    outcome_.opened_bytes = original_.stored_bytes;
    outcome_.bf16_bytes = bf16_bytes(original_.config);
    outcome_.started = utc_text(system_clock().wall_ns());
    outcome_.attempt = session_.attempt();
    outcome_.threads = options_.threads;
    verdict_.max_loss = options_.max_loss;
    verdict_.rounds = options_.rounds;
    verdict_.all_rounds = options_.all_rounds;
    // Every mix that may be accepted gets its share of the chance to accept wrongly.
    if (options_.repair) verdict_.alpha /= 1 + kRepairAttempts;
    outcome_.alpha = verdict_.alpha;
    TRY(make_test(verdict_, static_cast<int64_t>(texts_.verdict.size())));
    return check_prompts();
  }

  Status make_quantised_plan() {
    spec_ = TRY(parse_format(options_.format));
    spec_.group = spec_.quantize_activations ? 0 : static_cast<int>(options_.group);
    spec_.symmetric = !options_.asymmetric;
    if (spec_.quantize_activations && options_.asymmetric)
      return Error{ErrorKind::usage, "W8A8 is symmetric in this form", "--asymmetric", "leave it away"};
    PlanResult plan = TRY(make_plan({spec_, options_.ignore, options_.bits}, original_.config, *original_.weights));
    plan_ = std::move(plan.plan);
    for (std::string& warning : plan.warnings) warn(std::move(warning));
    return {};
  }

  struct Forecast {
    std::string text;
    Json json;
  };

  Result<Forecast> forecast() const {
    Json json = {{"model", outcome_.model_name},
                 {"opened_bytes", original_.stored_bytes},
                 {"bf16_bytes", outcome_.bf16_bytes},
                 {"format", options_.format},
                 {"average_bits", average_bits(plan_, original_.config, *original_.weights)}};
    std::string text = "model      " + outcome_.model_name + ", " + bytes_text(original_.stored_bytes) +
                       " as stored, " + bytes_text(outcome_.bf16_bytes) + " in bf16\n";
    text += "format     " + options_.format + ", " +
            fmt_bits(average_bits(plan_, original_.config, *original_.weights)) + " bits a weight with scales\n";
    uint64_t written = 0;
    for (const std::string& form : options_.write) {
      const FileForm* row = std::move(form_named(form)).take();
      const uint64_t bytes = row->weight_bytes(original_.config, write_plan(plan_));
      written += bytes;
      json["writes"].push_back({{"form", form}, {"bytes", bytes}, {"engines", row->engines(write_plan(plan_))}});
      text += "writes     " + form + ", " + bytes_text(bytes) + "; loads in " +
              join(row->engines(write_plan(plan_)), ", ") + "\n";
    }
    const ModelConfig& c = original_.config;
    const int64_t tokens = static_cast<int64_t>(texts_.calibration.size()) * options_.calibration_length;
    uint64_t block = 0, codes = 0;
    for (const std::string& name : linear_names(c, 0))
      block += static_cast<uint64_t>(tensor::element_count(shape_of(c, name))) * 4;
    for (const auto& [name, spec] : plan_) codes += static_cast<uint64_t>(tensor::element_count(shape_of(c, name)));
    const uint64_t head = static_cast<uint64_t>(c.vocab * c.hidden) * 4;
    const uint64_t hidden = static_cast<uint64_t>(tokens) *
                            static_cast<uint64_t>(c.hidden + std::max(c.intermediate, c.heads * c.head_dim)) * 4;
    const uint64_t memory = 2 * block + std::max(head, hidden) + (uint64_t{300} << 20);
    text += "memory     about " + bytes_text(memory) +
            ": two blocks in f32, the calibration's hidden states, the output layer\n";
    text += "disk       " + bytes_text(written + codes) + " while it runs, " + bytes_text(written) + " kept\n";
    double parameters = static_cast<double>(block) / 4 * static_cast<double>(c.layers);
    const double calibrate = 3 * parameters * static_cast<double>(tokens) * 2;
    const double judge_50 = 2 * 50 * kVerdictWindow * 2 * (parameters + static_cast<double>(head) / 4);
    const double flops = TRY(tensor::measured_flops(options_.device));
    text += "time       about " + duration_text(calibrate / flops) + " to quantise, " +
            duration_text(judge_50 / flops) + " for each 50 rounds of the verdict (50 to " +
            std::to_string(options_.rounds) + "; scores of the original are kept), at " + fmt_bits(flops / 1e9) +
            " GFLOP/s now\n";
    text += "text       " + texts_.description + ": " + std::to_string(texts_.calibration.size()) + " calibration, " +
            std::to_string(texts_.repair.size()) + " repair, " + std::to_string(texts_.verdict.size()) +
            " verdict windows\n";
    json["memory_bytes"] = memory;
    json["disk_bytes"] = written + codes;
    json["kept_bytes"] = written;
    json["quantise_seconds"] = calibrate / flops;
    json["seconds_for_50_rounds"] = judge_50 / flops;
    json["rounds"] = options_.rounds;
    json["windows"] = {{"calibration", texts_.calibration.size()},
                       {"repair", texts_.repair.size()},
                       {"verdict", texts_.verdict.size()}};
    json["warnings"] = outcome_.warnings;
    return Forecast{std::move(text), std::move(json)};
  }

  Result<int> go() {
    Baseline baseline = TRY(open_baseline());
    task::CheckpointFolder checkpoint = TRY(open_checkpoint());
    Result<int> code = work_on(checkpoint, baseline);
    if (!code || *code != 0) {
      const Status removed = tqm::remove_all(staging_);
      if (code) TRY(removed);
    }
    if (code) {
      TRY(std::move(checkpoint).discard());
    } else if (!can_go_on(code.error(), checkpoint)) {
      // Whatever this says, the error above is the one to tell.
      if (const Status discarded = std::move(checkpoint).discard(); !discarded)
        session_.warning(discarded.error().message());
    }
    return code;
  }

 private:
  Status check_places() const {
    std::error_code code;
    const fs::file_status out = fs::symlink_status(options_.out, code);
    if (fs::exists(out))
      return Error{ErrorKind::conflict, "the output exists already", options_.out.string(),
                   "choose another name, or remove it first"};
    TRY(check_place(options_.out, "can't write the result"));
    TRY(check_place(staging_, "can't write the result"));
    TRY(check_place(work_, "can't keep what was done"));
    TRY(check_place(report_.folder, "can't write the report"));
    // OUT comes into being whole, at the end; the work folder goes whole, after the verdict.
    TRY(check_outside(work_, "--work", options_.out, "the output's folder"));
    TRY(check_outside(report_.folder, "--report", options_.out, "the output's folder"));
    TRY(check_outside(options_.scores, "--scores", options_.out, "the output's folder"));
    TRY(check_outside(options_.out, "-o", work_, "the work folder"));
    TRY(check_outside(report_.folder, "--report", work_, "the work folder"));
    return check_outside(options_.scores, "--scores", work_, "the work folder");
  }

  Status check_prompts() const {
    for (const std::string& prompt : options_.prompts) {
      const auto tokens = static_cast<int64_t>(encoded(original_, prompt).size());
      if (tokens == 0)
        return Error{ErrorKind::usage, "there is nothing in it to continue", "--prompt \"" + prompt + "\"",
                     "say some words"};
      if (tokens >= original_.config.max_position)
        return Error{ErrorKind::usage,
                     "a prompt has " + std::to_string(tokens) + " tokens, and the model reads " +
                         std::to_string(original_.config.max_position) + " in all",
                     "--prompt", "give a shorter one"};
    }
    return {};
  }

  static std::vector<int32_t> encoded(const Model& model, const std::string& prompt) {
    return model.tokenizer->encode(prompt, {.bos = model.tokenizer->adds_bos()});
  }

  // A folder that the user named must serve; the usual one need not.
  Result<Baseline> open_baseline() {
    if (!options_.scores.empty()) return Baseline::open(original_, options_.scores, plain_);
    Result<Baseline> usual = Baseline::open(original_, default_baseline_folder(), plain_);
    if (usual) return usual;
    warn("the original's scores are not kept: " + usual.error().message());
    return Baseline::open(original_, {}, plain_);
  }

  Result<task::CheckpointFolder> open_checkpoint() {
    task::CheckpointOptions checkpoint_options;
    checkpoint_options.folder = work_;
    checkpoint_options.fingerprint = TRY(fingerprint());
    checkpoint_options.session = &session_;
    Result<task::CheckpointFolder> checkpoint = task::CheckpointFolder::open(checkpoint_options);
    if (checkpoint || checkpoint.error().kind == ErrorKind::environment) return checkpoint;
    Error error = checkpoint.error();
    error.next = "give the options of the run that began it, or name another folder with --work, or remove this one";
    return error;
  }

  // Is there something in the folder that the same command would go on from, and not only to the same end?
  static bool can_go_on(const Error& error, const task::CheckpointFolder& checkpoint) {
    if (error.kind == ErrorKind::stopped) return true;
    const bool same_again = error.kind == ErrorKind::bad_input || error.kind == ErrorKind::unsupported ||
                            error.kind == ErrorKind::breakdown;
    return !same_again && !checkpoint.names().empty();
  }

  Result<int> work_on(task::CheckpointFolder& checkpoint, Baseline& baseline) {
    BlocksOptions blocks;
    blocks.method = options_.method;
    blocks.gptq.scale_rule = options_.scale_rule;
    blocks.plain = plain_;
    if (!plan_.empty())
      outcome_.records = TRY(quantize_blocks(original_, plan_, texts_.calibration, blocks, checkpoint, session_));
    return judge_all(checkpoint, baseline);
  }

  static std::string fmt_bits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 10 ? "%.2f" : "%.1f", value);
    return text;
  }

  void warn(std::string text) {
    session_.warning(text);
    outcome_.warnings.push_back(std::move(text));
  }

  WritePlan write_plan(const Plan& plan) const {
    WritePlan write;
    write.quantised = plan;
    if (plan.empty()) write.plain_dtype = tensor::DType::f16;
    return write;
  }

  Result<Json> fingerprint() const {
    Json model = TRY(model_identity(original_));
    return Json{{"form", 1},
                {"model", model},
                {"method", options_.method == Method::gptq ? "gptq" : "rtn"},
                {"scale_rule", options_.scale_rule == ScaleRule::mse ? "mse" : "absmax"},
                {"plan", to_json(plan_)},
                {"calibration", hash_of(texts_.calibration)},
                {"device", options_.device},
                {"threads", options_.threads}};
  }

  Result<int> judge_all(task::CheckpointFolder& checkpoint, Baseline& baseline) {
    TRY(attempt(plan_, 0, 0, checkpoint, baseline));
    if (!outcome_.last().accepted() && options_.repair) TRY(repair(checkpoint, baseline));
    const bool kept = outcome_.last().accepted();
    using report::Verdict;
    outcome_.verdict = kept                          ? (outcome_.last().raised ? Verdict::repaired : Verdict::accepted)
                       : outcome_.last().undecided() ? Verdict::undecided
                                                     : Verdict::rolled_back;
    TRY(look_at(checkpoint));
    outcome_.finished = utc_text(system_clock().wall_ns());
    if (!baseline.trouble().empty()) warn("the original's scores are not kept: " + baseline.trouble());
    const report::Report document = make_report(outcome_);
    TRY(report::write(document, report_.folder));
    session_.artifact(report_.folder / "report.html", "report");
    if (kept) {
      std::error_code code;
      fs::rename(staging_, options_.out, code);
      if (code) return system_error("can't put the model in place", options_.out, code.value());
      TRY(flush_folder(options_.out.parent_path()));
      session_.artifact(options_.out, "model");
    }
    if (options_.json) {
      Json data = document.data;
      data["report"] = (report_.folder / "report.json").string();
      std::cout << dump_json(data) << "\n";
    } else {
      std::cout << summary_table(outcome_) << "\nreport: " << (report_.folder / "report.html").string() << "\n";
      if (kept) std::cout << "model:  " << options_.out.string() << "\n";
    }
    return kept ? 0 : exit_code(ErrorKind::check_failed);
  }

  // Writes the mix in every form, reloads what was written, and judges each.
  Status attempt(const Plan& mix, size_t raised, double repair_loss, task::CheckpointFolder& checkpoint,
                 Baseline& baseline) {
    Attempt attempt;
    attempt.raised = raised;
    attempt.repair_loss = repair_loss;
    attempt.average_bits = average_bits(mix, original_.config, *original_.weights);
    const Replacement weights = quantized_weights(original_, plan_, mix, checkpoint);
    const TensorSupply supply = [&](const std::string& name) -> Result<Weight> {
      std::optional<Weight> quantised = TRY(weights(name));
      if (quantised) return std::move(*quantised);
      return original_.weights->load(name);
    };
    TRY(tqm::remove_all(staging_));
    TRY(make_folders(staging_));
    for (const std::string& form : options_.write) {
      WritePlan write = write_plan(mix);
      write.card_method = method_text(raised, attempt.average_bits);
      write.card_verdict = "Judged beside the original on " + texts_.description + "; loss allowed " +
                           percent(options_.max_loss) + ". The figures are in the report of the run.";
      TRY(write_model(original_, form, write, supply, staging_ / form, [&](uint64_t done, uint64_t total) -> Status {
        session_.progress("write " + form, static_cast<int64_t>(done), static_cast<int64_t>(total), "bytes");
        return session_.check_stop();
      }));
      VerdictResult verdict = TRY(judge_folder(staging_ / form, form, baseline, attempt));
      const bool accepted = verdict.decision == stats::Decision::accept;
      attempt.verdicts.emplace(form, std::move(verdict));
      if (!accepted) break;
    }
    outcome_.attempts.push_back(std::move(attempt));
    return {};
  }

  Result<VerdictResult> judge_folder(const fs::path& folder, const std::string& form, Baseline& baseline,
                                     Attempt& attempt) {
    OpenOptions open;
    open.need_tokenizer = false;
    const fs::path file = fs::exists(folder / "model.gguf") ? folder / "model.gguf" : folder;
    Model written = TRY(open_model(file, open));
    attempt.weight_bytes[form] = written.stored_bytes;
    const std::string stage = "verdict, " + form;
    int64_t read = 0;
    const auto progress_of = [&](const char* who) {
      return [this, stage, who, &read](int64_t done, int64_t total) -> Status {
        session_.progress(stage + ", " + std::to_string(read) + " rounds judged: " + who, done, total, "blocks");
        return session_.check_stop();
      };
    };
    const Scorer original = [&](const Windows& windows) { return baseline.scores(windows, progress_of("original")); };
    const Scorer compressed = [&](const Windows& windows) {
      return score_windows(written, windows, plain_, progress_of("compressed"));
    };
    const Scorer with_kl = [&](const Windows& windows) -> Result<std::vector<WindowScore>> {
      PairScores pair =
          TRY(score_windows_pair(original_, written, windows, plain_, progress_of("both, for the divergence")));
      return std::move(pair.compressed);
    };
    return judge(texts_.verdict, original, compressed, with_kl, verdict_, [&](const VerdictLook& look) -> Status {
      read = look.rounds;
      session_.metric("loss", look.loss);
      return {};
    });
  }

  Status repair(task::CheckpointFolder& checkpoint, Baseline& baseline) {
    const Model compressed = overlay(original_, quantized_weights(original_, plan_, plan_, checkpoint));
    auto restored = [&](const std::string& name) -> Result<QuantTensor> {
      QuantSpec spec = plan_.at(name);
      spec.bits = 8;
      return rounded(original_, name, spec);
    };
    // Four windows order the parts (the divergence is little noise), up to forty choose how many.
    const Windows few(texts_.repair.begin(), texts_.repair.begin() + 4);
    const Windows many(texts_.repair.begin(),
                       texts_.repair.begin() + std::min<int64_t>(40, static_cast<int64_t>(texts_.repair.size())));
    std::vector<UnitGain> gains = TRY(measure_units(original_, compressed, plan_, restored, few, plain_, session_));
    outcome_.gains = order_by_gain(std::move(gains));
    const double original_nll = mean_nll(TRY(baseline.scores(many)));
    auto loss_of = [&](size_t count) -> Result<double> {
      for (const auto& [tried, loss] : outcome_.tried)
        if (tried == count) return loss;
      session_.progress("choose how much goes back to 8 bits", static_cast<int64_t>(outcome_.tried.size()), 0, "mixes");
      const Plan mix = raise_units(plan_, outcome_.gains, count);
      const Model mixed = overlay(original_, quantized_weights(original_, plan_, mix, checkpoint));
      std::vector<WindowScore> scores =
          TRY(score_windows(mixed, many, plain_, [&](int64_t, int64_t) { return session_.check_stop(); }));
      const double loss = mean_nll(scores) / original_nll - 1;
      outcome_.tried.emplace_back(count, loss);
      return loss;
    };
    const double loss_of_none = TRY(loss_of(0));
    size_t before = 0;
    for (double target : kRepairTargets) {
      RepairChoice choice = TRY(choose_count(outcome_.gains.size(), target * options_.max_loss, loss_of_none, loss_of));
      if (choice.count == before)
        choice.count = std::min(outcome_.gains.size(), before + std::max<size_t>(1, before / 8));
      before = choice.count;
      TRY(attempt(raise_units(plan_, outcome_.gains, choice.count), choice.count, choice.loss, checkpoint, baseline));
      if (outcome_.last().accepted() || choice.count >= outcome_.gains.size()) break;
    }
    if (outcome_.last().accepted()) TRY(uniform_of_equal_size(many, original_nll));
    return {};
  }

  // For honesty: what one format for all, at the same size, would have lost (no engine may load it).
  Status uniform_of_equal_size(const Windows& windows, double original_nll) {
    QuantSpec spec = spec_;
    const double overhead = average_bits(plan_, original_.config, *original_.weights) - spec_.bits;
    spec.bits = std::clamp(static_cast<int>(std::lround(outcome_.last().average_bits - overhead)), 3, 8);
    const Model uniform = overlay(original_, [&](const std::string& name) -> Result<std::optional<Weight>> {
      if (!plan_.contains(name)) return std::optional<Weight>();
      QuantTensor tensor = TRY(rounded(original_, name, spec));
      return std::optional<Weight>(std::move(tensor));
    });
    std::vector<WindowScore> scores =
        TRY(score_windows(uniform, windows, plain_, [&](int64_t, int64_t) { return session_.check_stop(); }));
    outcome_.uniform = std::pair(spec.bits, mean_nll(scores) / original_nll - 1);
    return {};
  }

  // Speed, memory and continuations of the last attempt's files beside the original, kept or not.
  Status look_at(task::CheckpointFolder&) {
    if (!options_.speed) {
      outcome_.speed_missing = "not asked for";
      return {};
    }
    const std::string& form = options_.write.front();
    const fs::path folder = staging_ / form;
    const fs::path file = fs::exists(folder / "model.gguf") ? folder / "model.gguf" : folder;
    Result<SideBySide> speed = measure_side_by_side(original_.path, options_.tokenizer, file, original_weights(),
                                                    options_.threads, 3, session_);
    if (speed) {
      outcome_.speed = std::move(speed).take();
    } else {
      outcome_.speed_missing = speed.error().message();
      warn("no speed was measured: " + speed.error().message());
    }
    TRY(session_.check_stop());
    session_.progress("continue the prompts", 0, 2, "models");
    Model written = TRY(open_model(file, {}));
    std::vector<std::string> first = TRY(continuations(original_)), second = TRY(continuations(written));
    for (size_t i = 0; i < prompts().size(); ++i) outcome_.continuations.push_back({prompts()[i], first[i], second[i]});
    return {};
  }

  // A file of another format than the plain ones is unpacked to f32 here; nobody serves it so: bf16 is the fair
  // original.
  std::string original_weights() const {
    for (const TensorInfo& info : original_.weights->tensors())
      if (info.stored_as != "F32" && info.stored_as != "F16" && info.stored_as != "BF16") return "bf16";
    return "as-stored";
  }

  // The user's prompts, else the beginnings of three verdict windows.
  const std::vector<std::string>& prompts() {
    if (prompts_.empty()) prompts_ = options_.prompts;
    if (prompts_.empty())
      for (size_t i = 0; i < 3; ++i) {
        const Windows::value_type& window = texts_.verdict[i];
        const auto some = window.begin() + std::min<int64_t>(24, original_.config.max_position / 2);
        prompts_.push_back(original_.tokenizer->decode({window.begin(), some}));
      }
    return prompts_;
  }

  Result<std::vector<std::string>> continuations(const Model& model) {
    FastOptions fast;
    fast.threads = options_.threads;
    for (const std::string& prompt : prompts())
      fast.max_context =
          std::max(fast.max_context, static_cast<int64_t>(encoded(model, prompt).size()) + kContinuation);
    fast.max_context = std::min(fast.max_context, model.config.max_position);
    FastDecoder decoder = TRY(FastDecoder::load(model, fast));
    std::vector<std::string> texts;
    GenerateOptions generation;
    generation.max_tokens = kContinuation;
    generation.sampling.temperature = 0;
    for (const std::string& prompt : prompts()) {
      decoder.forget(0);
      const std::vector<int32_t> ids = encoded(model, prompt);
      if (ids.empty() || static_cast<int64_t>(ids.size()) >= fast.max_context) {
        texts.emplace_back();
        continue;
      }
      Generated generated = TRY(generate(decoder, 0, ids, *model.tokenizer, generation));
      texts.push_back(std::move(generated.text));
    }
    return texts;
  }

  static std::string percent(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", 100 * value);
    return text;
  }

  std::string method_text(size_t raised, double bits) const {
    if (plan_.empty()) return "Every matrix in float16; nothing is quantised.";
    std::string text =
        options_.method == Method::gptq ? "GPTQ (activation order, static groups)" : "Rounded to nearest";
    text += ", " + options_.format +
            (spec_.group ? ", groups of " + std::to_string(spec_.group) : ", one scale a row") +
            (spec_.symmetric ? ", symmetric" : ", asymmetric");
    if (raised) text += "; " + std::to_string(raised) + " parts back at 8 bits";
    return text + "; " + fmt_bits(bits) +
           " bits a weight. Embeddings and output layer are not quantised to this format.";
  }

  const RunOptions& options_;
  task::Session& session_;
  Model original_;
  PlainOptions plain_;
  fs::path staging_, work_;
  task::ReportPlace report_;
  QuantSpec spec_;
  Plan plan_;
  Texts texts_;
  VerdictOptions verdict_;
  Outcome outcome_;
  std::vector<std::string> prompts_;
};

}  // namespace

Result<int> run(const RunOptions& given) {
  RunOptions options = given;
  while (options.out.has_relative_path() && options.out.filename().empty()) options.out = options.out.parent_path();
  if (options.out.empty())
    return Error{ErrorKind::usage, "no output folder", "-o OUT", "name a folder that does not exist yet"};
  auto session = TRY(task::Session::start({.quiet = options.quiet, .json = options.json}));
  tensor::set_threads(options.threads);
  Model original = TRY(open_model(options.model, {options.tokenizer, true}));
  Run run(options, session, std::move(original));
  TRY(run.prepare());
  if (options.dry_run) {
    const auto forecast = TRY(run.forecast());
    std::cout << (options.json ? dump_json(forecast.json) + "\n" : forecast.text);
    return 0;
  }
  return run.go();
}

}  // namespace tqm::compress
