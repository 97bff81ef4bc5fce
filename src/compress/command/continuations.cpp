#include "compress/command/continuations.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/file.hpp"
#include "base/json.hpp"
#include "compress/command/commands.hpp"
#include "compress/command/own_child.hpp"
#include "compress/runtime/fast/generate.hpp"

namespace tqm::compress {
namespace {

constexpr int64_t kContinuation = 48;  // tokens

struct Given {
  std::filesystem::path model, tokenizer;
  std::vector<std::filesystem::path> prompts;
  int threads = 0;
};

Result<int> run_continuations(const Given& given) {
  const Model model = TRY(open_model(given.model, {given.tokenizer, true}));
  std::vector<std::string> prompts;
  for (const auto& file : given.prompts) prompts.push_back(TRY(read_file(file)));
  const std::vector<std::string> texts = TRY(continue_prompts(model, prompts, given.threads));
  std::cout << dump_json(Json{{"texts", texts}}) << "\n";
  return 0;
}

}  // namespace

std::vector<int32_t> prompt_tokens(const Model& model, const std::string& prompt) {
  return model.tokenizer->encode(prompt, {.bos = model.tokenizer->adds_bos()});
}

Result<std::vector<std::string>> continue_prompts(const Model& model, const std::vector<std::string>& prompts,
                                                  int threads) {
  std::vector<std::vector<int32_t>> ids;
  FastOptions fast;
  fast.threads = threads;
  for (const std::string& prompt : prompts) {
    ids.push_back(prompt_tokens(model, prompt));
    fast.max_context = std::max(fast.max_context, static_cast<int64_t>(ids.back().size()) + kContinuation);
  }
  fast.max_context = std::min(fast.max_context, model.config.max_position);
  FastDecoder decoder = TRY(FastDecoder::load(model, fast));
  GenerateOptions generation;
  generation.max_tokens = kContinuation;
  generation.sampling.temperature = 0;
  std::vector<std::string> texts;
  for (const std::vector<int32_t>& prompt : ids) {
    decoder.forget(0);
    if (prompt.empty() || static_cast<int64_t>(prompt.size()) >= fast.max_context) {
      texts.emplace_back();
      continue;
    }
    Generated generated = TRY(generate(decoder, 0, prompt, *model.tokenizer, generation));
    texts.push_back(std::move(generated.text));
  }
  return texts;
}

Result<std::vector<std::string>> continue_in_child(const std::filesystem::path& model,
                                                   const std::filesystem::path& tokenizer,
                                                   const std::vector<std::string>& prompts, int threads,
                                                   const task::Session& session) {
  // In files: a prompt may hold any bytes, and be longer than an argument can be.
  const TemporaryFolder folder = TRY(TemporaryFolder::make("torquetum-prompts"));
  std::vector<std::string> words = {"continuations", model.string(), "--threads", std::to_string(threads)};
  if (!tokenizer.empty()) words.insert(words.end(), {"--tokenizer", tokenizer.string()});
  for (size_t i = 0; i < prompts.size(); ++i) {
    const std::filesystem::path file = folder.path() / std::to_string(i);
    TRY(write_file_atomic(file, prompts[i]));
    words.insert(words.end(), {"--prompt", file.string()});
  }
  const Json said = TRY(run_own_child(words, "continuing the prompts", model.string(), session));
  std::vector<std::string> texts;
  for (const Json& text : said.value("texts", Json::array())) texts.push_back(text.is_string() ? text : "");
  if (texts.size() != prompts.size())
    return Error{ErrorKind::internal, "the prompts were continued by " + std::to_string(texts.size()) + " texts",
                 model.string(), "this is a bug of ours: please report it with the command line"};
  return texts;
}

Action add_continuations(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("continuations", "For run: the report's continuations of one model")->group("");
  auto g = std::make_shared<Given>();
  sub->add_option("MODEL", g->model)->required();
  sub->add_option("--tokenizer", g->tokenizer);
  sub->add_option("--prompt", g->prompts, "a file that holds it")->required()->allow_extra_args(false);
  sub->add_option("--threads", g->threads)->check(CLI::Range(0, 4096));
  return [g] { return run_continuations(*g); };
}

}  // namespace tqm::compress
