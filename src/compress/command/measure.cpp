#include "compress/command/measure.hpp"

#include <algorithm>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "task/children.hpp"

namespace tqm::compress {
namespace {

Result<Json> one(const std::filesystem::path& model, const std::filesystem::path& tokenizer, const std::string& weights,
                 int threads) {
  // This very program, even where its file has been replaced meanwhile.
  const std::string self = "/proc/" + std::to_string(::getpid()) + "/exe";
  const TemporaryFolder folder = TRY(TemporaryFolder::make("torquetum-speed"));
  task::ChildSpec spec;
  spec.command = {self,       "speed", model.string(), "--json", "--prompt",  "256",
                  "--decode", "64",    "--weights",    weights,  "--threads", std::to_string(threads)};
  if (!tokenizer.empty()) spec.command.insert(spec.command.end(), {"--tokenizer", tokenizer.string()});
  spec.unset_environment = task::kTaskVariables;
  spec.stdout_file = folder.path() / "out";
  spec.stderr_file = folder.path() / "err";
  auto child = TRY(task::Child::start(spec));
  const task::ChildExit ended = child.wait();
  if (ended.code != 0) {
    Result<std::string> said = read_file(spec.stderr_file, 1 << 16);
    return Error{ErrorKind::breakdown, "measuring the model's speed failed, " + task::exit_text(ended), model.string(),
                 said ? std::string(trim(*said)) : ""};
  }
  return read_json(spec.stdout_file);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Speed medians(const std::vector<Json>& runs) {
  auto of = [&](const char* key) {
    std::vector<double> values;
    for (const Json& run : runs) values.push_back(run.value(key, 0.0));
    return median(values);
  };
  Speed speed;
  speed.prefill_tokens_per_s = of("prefill_tokens_per_s");
  speed.decode_tokens_per_s = of("decode_tokens_per_s");
  speed.first_token_ms = of("first_token_ms");
  speed.token_p50_ms = of("token_p50_ms");
  speed.token_p95_ms = of("token_p95_ms");
  speed.token_p99_ms = of("token_p99_ms");
  speed.peak_above_empty_bytes = static_cast<uint64_t>(of("peak_above_empty_bytes"));
  speed.memory.weights = runs[0].value("weights_bytes", uint64_t{0});
  speed.memory.weights_a_token = runs[0].value("weights_bytes_a_token", uint64_t{0});
  speed.memory.kv_cache = runs[0].value("kv_cache_bytes", uint64_t{0});
  speed.memory.activations = runs[0].value("activations_bytes", uint64_t{0});
  speed.kernels = runs[0].value("kernels", "");
  speed.threads = runs[0].value("threads", 0);
  return speed;
}

}  // namespace

Result<SideBySide> measure_side_by_side(const std::filesystem::path& original, const std::filesystem::path& tokenizer,
                                        const std::filesystem::path& compressed, const std::string& original_weights,
                                        int threads, int rounds, task::Session& session) {
  std::vector<Json> first, second;
  for (int i = 0; i < rounds; ++i) {
    TRY(session.check_stop());
    session.progress("measure memory and speed", i, rounds, "rounds");
    first.push_back(TRY(one(original, tokenizer, original_weights, threads)));
    second.push_back(TRY(one(compressed, {}, "as-stored", threads)));
  }
  return SideBySide{medians(first), medians(second), rounds};
}

}  // namespace tqm::compress
