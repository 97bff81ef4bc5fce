#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/json.hpp"
#include "base/text.hpp"
#include "compress/command/commands.hpp"
#include "compress/evaluate/choices.hpp"
#include "compress/evaluate/evaluation.hpp"
#include "compress/format/format.hpp"
#include "compress/quantize/plan.hpp"
#include "task/session.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

struct Given {
  std::filesystem::path model, other, tokenizer, text, documents, choices;
  int64_t context = 512, windows = 0;
  bool bos = false, eos = false, json = false, quiet = false;
  int threads = 0;
  std::string device = "cpu";
};

void add_text_options(CLI::App* sub, Given& g) {
  sub->add_option("--tokenizer", g.tokenizer, "for llama2.c files");
  auto* text = sub->add_option("--text", g.text, "one stream of text, cut into windows");
  auto* documents = sub->add_option("--documents", g.documents, "JSON lines {\"text\"}: each a window of its own");
  documents->excludes(text);
  auto* choices =
      sub->add_option("--choices", g.choices, "JSON lines {\"context\", \"choices\", \"answer\"}: multiple choice");
  choices->excludes(text)->excludes(documents);
  // Questions are scored whole, one by one.
  sub->add_option("--context", g.context, "tokens of a window")
      ->check(CLI::Range(int64_t{2}, int64_t{1} << 20))
      ->capture_default_str()
      ->excludes(choices);
  sub->add_option("--windows", g.windows, "this many at most (default: all)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->excludes(choices);
  sub->add_flag("--bos", g.bos, "begin each document with BOS")->excludes(choices);
  sub->add_flag("--eos", g.eos, "end each document with EOS")->excludes(choices);
  sub->add_option("--threads", g.threads, "0: as many as there are")->check(CLI::Range(0, 4096))->capture_default_str();
  sub->add_option("--device", g.device, "cpu, cuda:0, mlu:0, npu:0")->capture_default_str();
  sub->add_flag("--json", g.json, "JSON on standard output");
  sub->add_flag("--quiet", g.quiet, "no progress");
}

Result<Windows> windows_of(const Given& g, const Model& model) {
  const Tokenizer& tokenizer = *model.tokenizer;
  if (g.context > model.config.max_position)
    return Error{ErrorKind::usage,
                 "the model reads " + std::to_string(model.config.max_position) + " tokens at most, not " +
                     std::to_string(g.context),
                 "--context", "choose shorter windows"};
  if (g.text.empty() && g.documents.empty())
    return Error{ErrorKind::usage, "no text to evaluate on", "--text or --documents", "name a file"};
  if ((g.bos || g.eos) && g.documents.empty())
    return Error{ErrorKind::usage, "BOS and EOS belong to documents", "--bos, --eos", "use --documents FILE.jsonl"};
  Windows windows = g.documents.empty() ? TRY(stream_windows(tokenizer, g.text, g.context))
                                        : TRY(document_windows(tokenizer, g.documents, g.context, g.bos, g.eos));
  if (g.windows > 0 && static_cast<int64_t>(windows.size()) > g.windows) windows.resize(static_cast<size_t>(g.windows));
  return windows;
}

Result<int> run_evaluate(const Given& g) {
  auto session = TRY(task::Session::start({.quiet = g.quiet, .json = g.json}));
  tensor::set_threads(g.threads);
  const Model model = TRY(open_model(g.model, {g.tokenizer, true}));
  PlainOptions plain;
  plain.device = g.device;
  auto progress = [&](const char* unit) {
    return [&session, unit](int64_t done, int64_t total) -> Status {
      session.progress("evaluate", done, total, unit);
      return session.check_stop();
    };
  };
  if (!g.choices.empty()) {
    const std::vector<Question> questions = TRY(read_questions(g.choices));
    const std::vector<Answer> answers = TRY(answer_questions(model, questions, plain, progress("blocks")));
    const Accuracy found = TRY(accuracy(questions, answers));
    if (g.json)
      std::cout << dump_json(to_json(found)) << "\n";
    else
      std::cout << "questions  " << found.questions << "\naccuracy   " << fixed_text(100 * found.by_sum.estimate, 2)
                << " % (" << fixed_text(100 * found.by_sum.low, 2) << " to " << fixed_text(100 * found.by_sum.high, 2)
                << "); by length " << fixed_text(100 * found.by_length.estimate, 2) << " %\n";
    return 0;
  }
  const Windows windows = TRY(windows_of(g, model));
  const Evaluation result = TRY(evaluate(model, windows, plain, progress("windows")));
  if (g.json)
    std::cout << dump_json(to_json(result)) << "\n";
  else
    std::cout << "windows     " << windows.size() << "\ntokens      " << result.tokens << "\nloss        "
              << fixed_text(result.nll_per_token, 5) << " nats a token\nperplexity  "
              << fixed_text(result.perplexity, 4) << "\ntop-1       " << fixed_text(100 * result.top1, 2) << " %\n";
  return 0;
}

Result<int> run_compare(const Given& g) {
  auto session = TRY(task::Session::start({.quiet = g.quiet, .json = g.json}));
  tensor::set_threads(g.threads);
  const Model original = TRY(open_model(g.model, {g.tokenizer, true}));
  const Model other = TRY(open_model(g.other, {{}, false}));
  PlainOptions plain;
  plain.device = g.device;
  auto progress = [&session](int64_t done, int64_t total) -> Status {
    session.progress("compare", done, total, "blocks");
    return session.check_stop();
  };
  if (!g.choices.empty()) {
    const std::vector<Question> questions = TRY(read_questions(g.choices));
    const std::vector<Answer> first = TRY(answer_questions(original, questions, plain, progress));
    Model second_model = other;
    second_model.tokenizer = original.tokenizer;
    const std::vector<Answer> second = TRY(answer_questions(second_model, questions, plain, progress));
    const AccuracyChange change = TRY(compare_answers(questions, first, second, ChoiceRule::by_sum));
    if (g.json)
      std::cout << dump_json(to_json(change)) << "\n";
    else
      std::cout << "accuracy changes by " << fixed_text(100 * change.difference.estimate, 2) << " points ("
                << fixed_text(100 * change.difference.low, 2) << " to " << fixed_text(100 * change.difference.high, 2)
                << ")\n";
    return 0;
  }
  const Windows windows = TRY(windows_of(g, original));
  const PairScores scores = TRY(score_windows_pair(original, other, windows, plain, progress));
  const Evaluation a = summarize(scores.original), b = summarize(scores.compressed);
  double agreed = 0, kl = 0, count = 0;
  std::vector<double> original_nll, difference;
  for (size_t i = 0; i < windows.size(); ++i) {
    double o = 0, c = 0;
    for (size_t t = 0; t < scores.original[i].nll.size(); ++t) {
      agreed += scores.original[i].argmax[t] == scores.compressed[i].argmax[t];
      kl += scores.compressed[i].kl[t];
      o += scores.original[i].nll[t];
      c += scores.compressed[i].nll[t];
      ++count;
    }
    const double n = static_cast<double>(std::max<size_t>(1, scores.original[i].nll.size()));
    original_nll.push_back(o / n);
    difference.push_back((c - o) / n);
  }
  Json json = {
      {"original", to_json(a)},       {"compressed", to_json(b)}, {"loss", b.nll_per_token / a.nll_per_token - 1},
      {"agreement", agreed / count},  {"kl_mean", kl / count},    {"window_original_nll", original_nll},
      {"window_nll_rise", difference}};
  if (difference.size() >= 2) {
    const stats::Interval rise = TRY(stats::t_interval(difference));
    json["loss_low"] = rise.low / a.nll_per_token;
    json["loss_high"] = rise.high / a.nll_per_token;
  }
  if (g.json) {
    std::cout << dump_json(json) << "\n";
  } else {
    const std::vector<Column> columns = {{"", Align::left}, {"original", Align::right}, {"compressed", Align::right}};
    const std::vector<std::vector<std::string>> rows = {
        {"loss a token, nats", fixed_text(a.nll_per_token, 5), fixed_text(b.nll_per_token, 5)},
        {"perplexity", fixed_text(a.perplexity, 4), fixed_text(b.perplexity, 4)},
        {"top-1", fixed_text(100 * a.top1, 2) + " %", fixed_text(100 * b.top1, 2) + " %"}};
    std::cout << table_text(columns, rows) << "\nloss " << fixed_text(100 * (b.nll_per_token / a.nll_per_token - 1), 3)
              << " %";
    if (json.contains("loss_low"))
      std::cout << ", between " << fixed_text(100 * json["loss_low"].get<double>(), 3) << " and "
                << fixed_text(100 * json["loss_high"].get<double>(), 3) << " % (95 %, " << windows.size()
                << " windows, paired)";
    std::cout << "; same first choice " << fixed_text(100 * agreed / count, 2) << " %; divergence "
              << fixed_text(kl / count, 5) << " nats a token\n";
  }
  return 0;
}

Result<int> run_inspect(const Given& g) {
  const Model model = TRY(open_model(g.model, {g.tokenizer, false}));
  const ModelConfig& c = model.config;
  const char* families[] = {"llama", "mistral", "qwen2", "qwen3"};
  uint64_t parameters = 0;
  std::map<std::string, std::pair<int64_t, uint64_t>> stored;
  for (const TensorInfo& info : model.weights->tensors()) {
    parameters += static_cast<uint64_t>(tensor::element_count(info.shape));
    auto& [count, bytes] = stored[info.stored_as];
    ++count;
    bytes += info.stored_bytes;
  }
  std::string groups;
  {
    const std::vector<int64_t> widths = {c.hidden, c.heads * c.head_dim, c.intermediate};
    for (int64_t group : {32, 64, 128, 256})
      if (std::all_of(widths.begin(), widths.end(), [&](int64_t w) { return w % group == 0; }))
        groups += (groups.empty() ? "" : ", ") + std::to_string(group);
    if (groups.empty()) groups = "none but 0 (one scale a row)";
  }
  if (g.json) {
    Json tensors = Json::array();
    for (const TensorInfo& info : model.weights->tensors())
      tensors.push_back(
          {{"name", info.name}, {"shape", info.shape}, {"stored_as", info.stored_as}, {"bytes", info.stored_bytes}});
    Json json = {{"form", model.form},
                 {"name", model.name},
                 {"family", families[static_cast<size_t>(c.family)]},
                 {"parameters", parameters},
                 {"stored_bytes", model.stored_bytes},
                 {"bf16_bytes", bf16_bytes(c)},
                 {"layers", c.layers},
                 {"hidden", c.hidden},
                 {"intermediate", c.intermediate},
                 {"heads", c.heads},
                 {"kv_heads", c.kv_heads},
                 {"head_dim", c.head_dim},
                 {"vocab", c.vocab},
                 {"max_position", c.max_position},
                 {"tied_embeddings", c.tied_embeddings},
                 {"groups", groups},
                 {"tensors", tensors}};
    std::cout << dump_json(json) << "\n";
    return 0;
  }
  std::cout << "model      " << (model.name.empty() ? model.path.filename().string() : model.name) << " (" << model.form
            << ", " << families[static_cast<size_t>(c.family)] << " family)\nweights    " << parameters << " in "
            << bytes_text(model.stored_bytes) << "; " << bytes_text(bf16_bytes(c)) << " in bf16\nshape      "
            << c.layers << " blocks, hidden " << c.hidden << ", MLP " << c.intermediate << ", " << c.heads << " heads ("
            << c.kv_heads << " for keys and values) of " << c.head_dim << "\nvocabulary " << c.vocab
            << (c.tied_embeddings ? ", embeddings tied to the output layer" : "") << "\ncontext    " << c.max_position
            << " tokens\ngroups     " << groups << " divide every width\nstored as ";
  for (const auto& [type, what] : stored)
    std::cout << " " << type << " × " << what.first << " (" << bytes_text(what.second) << ")";
  std::cout << "\n";
  return 0;
}

}  // namespace

Action add_evaluate(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("evaluate", "How well a model predicts a text, or answers multiple-choice questions");
  auto g = std::make_shared<Given>();
  sub->add_option("MODEL", g->model, "a Hugging Face folder, a GGUF file, or a llama2.c file")->required();
  add_text_options(sub, *g);
  sub->footer(
      "Example:\n  torquetum compress evaluate SmolLM2.gguf --text prose.txt --context 512 --windows 40 --json");
  return [g] { return run_evaluate(*g); };
}

Action add_compare(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("compare", "Two models on the same text, window by window");
  auto g = std::make_shared<Given>();
  sub->add_option("ORIGINAL", g->model, "the model that the other was made from")->required();
  sub->add_option("COMPRESSED", g->other, "a folder or file with the same vocabulary")->required();
  add_text_options(sub, *g);
  return [g] { return run_compare(*g); };
}

Action add_inspect(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("inspect", "What a model is, how it is stored, which groups divide it");
  auto g = std::make_shared<Given>();
  sub->add_option("MODEL", g->model, "a Hugging Face folder, a GGUF file, or a llama2.c file")->required();
  sub->add_option("--tokenizer", g->tokenizer, "for llama2.c files");
  sub->add_flag("--json", g->json, "JSON on standard output");
  return [g] { return run_inspect(*g); };
}

}  // namespace tqm::compress
