#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/file.hpp"
#include "base/json.hpp"
#include "compress/command/commands.hpp"
#include "compress/runtime/fast/generate.hpp"
#include "compress/runtime/fast/speed.hpp"
#include "task/cli/cli.hpp"
#include "task/session.hpp"

namespace tqm::compress {
namespace {

struct Given {
  std::filesystem::path model, tokenizer;
  std::string prompt, system;
  std::vector<std::string> stop;
  bool chat = false, json = false, bos = false;
  GenerateOptions generation;
  FastOptions fast;
  SpeedOptions speed;
};

std::string token_text(const Tokenizer& tokenizer, int32_t id) {
  return id >= 0 ? tokenizer.token_bytes(id) : "";
}

Result<int> run_generate(const Given& given) {
  if (!given.system.empty() && !given.chat)
    return Error{ErrorKind::usage, "a system message belongs to a chat", "--system", "give --chat too"};
  auto session = TRY(task::Session::start({.quiet = true, .json = given.json}));
  const Model model = TRY(open_model(given.model, {given.tokenizer, true}));
  std::vector<int32_t> ids;
  if (given.chat) {
    if (model.chat_template.empty())
      return Error{ErrorKind::unsupported, "the model has no chat template", given.model.string(), "leave --chat away"};
    std::vector<ChatMessage> messages;
    if (!given.system.empty()) messages.push_back({"system", given.system});
    messages.push_back({"user", given.prompt});
    const int32_t eos = model.tokenizer->stop_ids().empty() ? -1 : model.tokenizer->stop_ids().front();
    const std::string text =
        TRY(render_chat(model.chat_template, messages, true, token_text(*model.tokenizer, model.tokenizer->bos()),
                        token_text(*model.tokenizer, eos)));
    ids = model.tokenizer->encode(text, {.parse_special = true});
  } else {
    ids = model.tokenizer->encode(given.prompt, {.bos = given.bos || model.tokenizer->adds_bos()});
  }
  if (ids.empty()) return Error{ErrorKind::usage, "the prompt is empty", "--prompt", "say something to continue"};
  FastOptions fast = given.fast;
  if (fast.max_context == 0)
    fast.max_context =
        std::min(model.config.max_position, static_cast<int64_t>(ids.size()) + given.generation.max_tokens);
  FastDecoder decoder = TRY(FastDecoder::load(model, fast));
  GenerateOptions options = given.generation;
  options.stop_strings = given.stop;
  Generated generated = TRY(generate(decoder, 0, ids, *model.tokenizer, options, [&](std::string_view piece) {
    if (!given.json) std::cout << piece << std::flush;
    return !session.stop_requested();
  }));
  if (given.json)
    std::cout << dump_json(Json{{"text", generated.text},
                                {"tokens", generated.tokens},
                                {"reason", std::string(name(generated.reason))}})
              << "\n";
  else
    std::cout << "\n";
  return 0;
}

Result<int> run_speed(const Given& given) {
  const Model model = TRY(open_model(given.model, {given.tokenizer, false}));
  SpeedOptions options = given.speed;
  options.decoder = given.fast;
  const Speed speed = TRY(measure_speed(model, options));
  if (given.json) {
    std::cout << dump_json(to_json(speed)) << "\n";
    return 0;
  }
  std::printf(
      "prompt   %.1f tokens/s, first token after %.1f ms\nwriting  %.1f tokens/s; a token %.2f ms (p50), %.2f (p95), "
      "%.2f (p99)\n",
      speed.prefill_tokens_per_s, speed.first_token_ms, speed.decode_tokens_per_s, speed.token_p50_ms,
      speed.token_p95_ms, speed.token_p99_ms);
  std::printf("memory   %.1f MB weights, %.1f MB above the empty process\nkernels  %s\n",
              static_cast<double>(speed.memory.weights) / 1e6, static_cast<double>(speed.peak_above_empty_bytes) / 1e6,
              speed.kernels.c_str());
  return 0;
}

void add_decoder_options(CLI::App* sub, Given& g) {
  sub->add_option("MODEL", g.model, "a Hugging Face folder, a GGUF file, or a llama2.c file")->required();
  sub->add_option("--tokenizer", g.tokenizer, "for llama2.c files");
  sub->add_option("--weights", g.fast.weights, "as-stored, f32, f16, bf16, w8a8, int8 or int4")->capture_default_str();
  sub->add_option("--head", g.fast.head, "the same for the output layer")->capture_default_str();
  sub->add_option("--threads", g.fast.threads, "0: as many as there are")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  sub->add_option("--max-context", g.fast.max_context, "tokens that the cache holds (default: as many as are needed)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
  sub->add_flag("--json", g.json, "JSON on standard output");
}

}  // namespace

Action add_generate(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("generate", "Continue a prompt, or answer in the model's chat form");
  auto g = std::make_shared<Given>();
  add_decoder_options(sub, *g);
  sub->add_option("--prompt", g->prompt, "text to continue, or to answer")->required();
  sub->add_flag("--chat", g->chat, "through the model's chat template");
  sub->add_option("--system", g->system, "the chat's system message");
  sub->add_flag("--bos", g->bos, "begin with BOS");
  sub->add_option("--tokens", g->generation.max_tokens, "at most")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  sub->add_option("--stop", g->stop, "end before this text; may be given again")->allow_extra_args(false);
  SamplingOptions& s = g->generation.sampling;
  sub->add_option("--temperature", s.temperature, "0: always the likeliest")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  sub->add_option("--top-k", s.top_k, "choose among this many of the likeliest tokens; 0: all")->capture_default_str();
  sub->add_option("--top-p", s.top_p, "choose among the likeliest that together have this probability")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  sub->add_option("--min-p", s.min_p, "leave out what is less likely than this share of the likeliest")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  sub->add_option("--repetition-penalty", s.repetition_penalty, "divides the logits of tokens that were there; 1: none")
      ->capture_default_str();
  sub->add_option("--seed", s.seed, "of the sampling: same seed, same text")
      ->check(task::cli::whole_number())
      ->capture_default_str();
  sub->footer("Example:\n  torquetum compress generate SmolLM2.gguf --chat --prompt 'What is a torquetum?'");
  return [g] { return run_generate(*g); };
}

Action add_speed(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("speed", "Memory, throughput and latency of one model on this machine");
  auto g = std::make_shared<Given>();
  add_decoder_options(sub, *g);
  sub->add_option("--prompt", g->speed.prompt, "tokens read")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  sub->add_option("--decode", g->speed.decode, "tokens written")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  sub->add_option("--repeats", g->speed.repeats, "measure this often, take the best")
      ->check(CLI::Range(int64_t{1}, int64_t{1000}))
      ->capture_default_str();
  return [g] { return run_speed(*g); };
}

}  // namespace tqm::compress
