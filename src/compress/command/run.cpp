#include "compress/command/run.hpp"

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "compress/command/continuations.hpp"
#include "compress/command/forecast.hpp"
#include "compress/command/outcome.hpp"
#include "compress/command/places.hpp"
#include "compress/command/repair_search.hpp"
#include "compress/command/side_by_side.hpp"
#include "compress/command/texts.hpp"
#include "compress/evaluate/baseline.hpp"
#include "compress/evaluate/verdict.hpp"
#include "compress/format/format.hpp"
#include "compress/quantize/overlay.hpp"
#include "task/checkpoint.hpp"
#include "task/session.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace fs = std::filesystem;

namespace {

constexpr int kRepairAttempts = 3;
// What a repair aims at on its own windows, as shares of the loss allowed: each attempt asks for more.
constexpr double kRepairTargets[kRepairAttempts] = {0.75, 0.6, 0.45};

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

// One run from the opened model to the last verdict.
class Run {
 public:
  Run(const RunOptions& options, task::Session& session, Model original)
      : options_(options), session_(session), original_(std::move(original)) {
    plain_.device = options.device;
    places_.out = options.out;
    places_.staging = options.out.parent_path() / ("." + options.out.filename().string() + ".torquetum-part");
    places_.work = !options.work.empty()                       ? options.work
                   : !session.environment().checkpoint.empty() ? session.environment().checkpoint
                                                               : fs::path(options.out.string() + "-work");
    places_.report =
        task::report_place(session.environment(), options.report, fs::path(options.out.string() + "-report")).folder;
    places_.scores = options.scores;
  }

  Status prepare() {
    if (options_.format != kPlainFormat) TRY(make_quantised_plan());
    for (const std::string& form : options_.write) {
      TRY(can_hold(form, original_.config, write_plan(plan_)));
      TRY(can_hold_tokenizer(form, original_));
    }
    if (options_.repair) {
      std::vector<UnitGain> all;
      for (Unit& unit : units_of(original_.config)) all.push_back({std::move(unit), 0, 0, 0});
      for (const std::string& form : options_.write)
        TRY(can_hold(form, original_.config, write_plan(raise_units(plan_, all, all.size()))));
    }
    TRY(take_places());
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
    TRY(check_prompts());
    if (is_placed()) return check_same_placed();
    return {};
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

  Result<Forecast> forecast() const { return make_forecast(options_, original_, plan_, texts_, outcome_); }

  Result<int> go() {
    if (is_placed()) return finish_placed();
    Baseline baseline = TRY(open_baseline());
    task::CheckpointFolder checkpoint = TRY(open_checkpoint());
    Result<int> code = work_on(checkpoint, baseline);
    if (!code || *code != 0) {
      const Status removed = tqm::remove_all(places_.staging);
      if (code) TRY(removed);
    }
    if (code) {
      TRY(std::move(checkpoint).discard());
      TRY(claim_->forget());
    } else if (!can_go_on(code.error(), checkpoint)) {
      // Whatever this says, the error above is the one to tell.
      if (const Status discarded = std::move(checkpoint).discard(); !discarded)
        session_.warning(discarded.error().message());
    }
    return code;
  }

 private:
  // A look ahead claims nothing: it writes nothing.
  Status take_places() {
    std::error_code code;
    const bool exists = fs::exists(fs::symlink_status(options_.out, code));
    const Error taken{ErrorKind::conflict, "the output exists already", options_.out.string(),
                      "choose another name, or remove it first"};
    if (exists && options_.dry_run) return taken;
    if (!exists) TRY(check_places(places_));
    if (options_.dry_run) return {};
    Result<Claim> claim = Claim::take(options_.out);
    if (!claim) return exists && claim.error().kind != ErrorKind::conflict ? taken : claim.error();
    claim_.emplace(std::move(claim).take());
    // Looked at again under the claim: another run may have come to its end meanwhile.
    if (fs::exists(fs::symlink_status(options_.out, code)) && !is_placed()) return taken;
    return {};
  }

  // A run that was killed when it had put OUT in place left a record of it, and perhaps its work folder.
  bool is_placed() const { return claim_ && !claim_->placed().is_null(); }

  // Everything that OUT, the report and the exit code came from.
  Result<Json> asked() const {
    Json asked = TRY(fingerprint());
    asked["repair_windows"] = hash_of(texts_.repair);
    asked["verdict_windows"] = hash_of(texts_.verdict);
    asked["write"] = options_.write;
    asked["max_loss"] = options_.max_loss;
    asked["rounds"] = options_.rounds;
    asked["all_rounds"] = options_.all_rounds;
    asked["repair"] = options_.repair;
    asked["speed"] = options_.speed;
    asked["prompts"] = options_.prompts;
    asked["work"] = places_.work.string();
    asked["report"] = places_.report.string();
    return asked;
  }

  Status check_same_placed() const {
    const Json placed = claim_->placed();
    const Result<Json> files = task::sampled_fingerprint(options_.out);
    const Json now = TRY(asked());
    if (files && placed.is_object() && placed.value("asked", Json()) == now && placed.value("files", Json()) == *files)
      return {};
    return Error{ErrorKind::conflict, "the output exists already, and was made by another command or changed since",
                 options_.out.string(), "choose another name, or remove it first"};
  }

  Result<int> finish_placed() {
    const Json placed = claim_->placed();
    task::CheckpointFolder checkpoint = TRY(open_checkpoint());
    TRY(std::move(checkpoint).discard());
    announce(placed.value("data", Json::object()), placed.value("summary", ""), true);
    TRY(claim_->forget());
    return 0;
  }

  void announce(Json data, const std::string& summary, bool kept) {
    session_.artifact(places_.report / "report.html", "report");
    if (kept) session_.artifact(options_.out, "model");
    if (options_.json) {
      data["report"] = (places_.report / "report.json").string();
      std::cout << dump_json(data) << "\n";
    } else {
      std::cout << summary << "\nreport: " << (places_.report / "report.html").string() << "\n";
      if (kept) std::cout << "model:  " << options_.out.string() << "\n";
    }
  }

  Status check_prompts() const {
    for (const std::string& prompt : options_.prompts) {
      const auto tokens = static_cast<int64_t>(prompt_tokens(original_, prompt).size());
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
    checkpoint_options.folder = places_.work;
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

  void warn(std::string text) {
    session_.warning(text);
    outcome_.warnings.push_back(std::move(text));
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
    TRY(look_side_by_side(options_, original_, model_file(places_.staging / options_.write.front()), texts_.verdict,
                          session_, outcome_));
    outcome_.finished = utc_text(system_clock().wall_ns());
    if (!baseline.trouble().empty()) warn("the original's scores are not kept: " + baseline.trouble());
    const report::Report document = make_report(outcome_);
    TRY(report::write(document, places_.report));
    const std::string summary = summary_table(outcome_);
    if (kept) TRY(put_in_place(document.data, summary));
    announce(document.data, summary, kept);
    return kept ? 0 : exit_code(ErrorKind::check_failed);
  }

  // One rename. What it leads to is on record before, for a run that finds OUT there after a kill.
  Status put_in_place(const Json& data, const std::string& summary) {
    const Json asked_for = TRY(asked());
    const Json files = TRY(task::sampled_fingerprint(places_.staging));
    TRY(claim_->record({{"asked", asked_for}, {"files", files}, {"data", data}, {"summary", summary}}));
    std::error_code code;
    fs::rename(places_.staging, options_.out, code);
    if (code) {
      TRY(claim_->forget());
      return system_error("can't put the model in place", options_.out, code.value());
    }
    return flush_folder(fs::absolute(options_.out, code).parent_path());
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
    TRY(tqm::remove_all(places_.staging));
    TRY(make_folders(places_.staging));
    for (const std::string& form : options_.write) {
      WritePlan write = write_plan(mix);
      write.card_method = method_text(raised, attempt.average_bits);
      write.card_verdict = "Judged beside the original on " + texts_.description + "; loss allowed " +
                           percent_text(options_.max_loss, 2) + ". The figures are in the report of the run.";
      TRY(write_model(
          original_, form, write, supply, places_.staging / form, [&](uint64_t done, uint64_t total) -> Status {
            session_.progress("write " + form, static_cast<int64_t>(done), static_cast<int64_t>(total), "bytes");
            return session_.check_stop();
          }));
      VerdictResult verdict = TRY(judge_folder(places_.staging / form, form, baseline, attempt));
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
    Model written = TRY(open_model(model_file(folder), open));
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
    RepairSearch search =
        TRY(RepairSearch::start(original_, plan_, texts_.repair, plain_, checkpoint, baseline, session_, outcome_));
    for (const double target : kRepairTargets) {
      const RepairChoice choice = TRY(search.next(target * options_.max_loss));
      const Plan mix = raise_units(plan_, outcome_.gains, choice.count);
      TRY(attempt(mix, choice.count, choice.loss, checkpoint, baseline));
      if (outcome_.last().accepted() || search.exhausted()) break;
    }
    if (outcome_.last().accepted()) TRY(search.compare_uniform(spec_, outcome_.last().average_bits));
    return {};
  }

  static fs::path model_file(const fs::path& folder) {
    return fs::exists(folder / "model.gguf") ? folder / "model.gguf" : folder;
  }

  std::string method_text(size_t raised, double bits) const {
    if (plan_.empty()) return "Every matrix in float16; nothing is quantised.";
    std::string text =
        options_.method == Method::gptq ? "GPTQ (activation order, static groups)" : "Rounded to nearest";
    text += ", " + options_.format +
            (spec_.group ? ", groups of " + std::to_string(spec_.group) : ", one scale a row") +
            (spec_.symmetric ? ", symmetric" : ", asymmetric");
    if (raised) text += "; " + std::to_string(raised) + " parts back at 8 bits";
    return text + "; " + fixed_text(bits, bits < 10 ? 2 : 1) +
           " bits a weight. Embeddings and output layer are not quantised to this format.";
  }

  const RunOptions& options_;
  task::Session& session_;
  Model original_;
  PlainOptions plain_;
  Places places_;
  std::optional<Claim> claim_;
  QuantSpec spec_;
  Plan plan_;
  Texts texts_;
  VerdictOptions verdict_;
  Outcome outcome_;
};

}  // namespace

Result<int> run(const RunOptions& given) {
  RunOptions options = given;
  while (options.out.has_relative_path() && options.out.filename().empty()) options.out = options.out.parent_path();
  if (options.out.empty())
    return Error{ErrorKind::usage, "no output folder", "-o OUT", "name a folder that does not exist yet"};
  auto session = TRY(task::Session::start({.quiet = options.quiet, .json = options.json}));
  // Known before the fingerprint: results are the same at the same number only.
  if (options.threads == 0) options.threads = usable_processors();
  tensor::set_threads(options.threads);
  Model original = TRY(open_model(options.model, {options.tokenizer, true}));
  Run run(options, session, std::move(original));
  TRY(run.prepare());
  if (options.dry_run) {
    const Forecast forecast = TRY(run.forecast());
    std::cout << (options.json ? dump_json(forecast.json) + "\n" : forecast.text);
    return 0;
  }
  return run.go();
}

}  // namespace tqm::compress
