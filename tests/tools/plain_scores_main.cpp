// Developers' tool: the plain decoder's figures on given token ids, for comparison with other programs.
//   plain_scores MODEL TOKENS.json [--threads N] [--rows N] [--device NAME] [--each token]
// TOKENS.json holds {"windows": [[id, …], …]}, and where it holds "logits" as well ([window][token][vocab]), the
// largest difference between those and ours is printed. Output: {"tokens", "nll_per_token", "top1", "seconds",
// "logit_difference"}, and with --each token also "nll" and "argmax", [window][scored token].
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "compress/model/model.hpp"
#include "compress/runtime/plain_decoder.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

Result<double> logit_difference(const Model& model, const std::vector<std::vector<int32_t>>& windows,
                                const Json& wanted, const PlainOptions& options) {
  double worst = 0;
  for (size_t w = 0; w < windows.size(); ++w) {
    const tensor::HostTensor got = TRY(logits(model, windows[w], options));
    const auto vocab = static_cast<size_t>(got.shape[1]);
    for (size_t t = 0; t < windows[w].size(); ++t)
      for (size_t c = 0; c < vocab; ++c) {
        const double difference =
            std::abs(wanted[w][t][c].get<double>() - static_cast<double>(got.f32()[t * vocab + c]));
        if (std::isnan(difference))
          return Error{ErrorKind::breakdown, "a logit is not a number", model.path.string(), ""};
        worst = std::max(worst, difference);
      }
  }
  return worst;
}

Result<Json> run(const std::vector<std::string>& words) {
  PlainOptions options;
  int threads = 0;
  bool each = false;
  for (size_t i = 2; i + 1 < words.size(); i += 2) {
    if (words[i] == "--threads") threads = std::atoi(words[i + 1].c_str());
    if (words[i] == "--rows") options.rows_per_step = std::atoll(words[i + 1].c_str());
    if (words[i] == "--device") options.device = words[i + 1];
    if (words[i] == "--each") each = words[i + 1] == "token";
  }
  tensor::set_threads(threads);
  const Json tokens = TRY(read_json(words[1]));
  const auto windows = tokens.at("windows").get<std::vector<std::vector<int32_t>>>();
  OpenOptions open;
  open.need_tokenizer = false;
  const Model model = TRY(open_model(words[0], open));

  const auto start = std::chrono::steady_clock::now();
  const auto scores = TRY(score_windows(model, windows, options));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double total = 0, right = 0;
  int64_t count = 0;
  for (const WindowScore& score : scores)
    for (size_t i = 0; i < score.nll.size(); ++i) {
      total += static_cast<double>(score.nll[i]);
      right += score.top1[i];
      ++count;
    }
  Json result{{"tokens", count},
              {"nll_per_token", total / static_cast<double>(count)},
              {"top1", right / static_cast<double>(count)},
              {"seconds", seconds}};
  if (each)
    for (const WindowScore& score : scores) {
      result["nll"].push_back(score.nll);
      result["argmax"].push_back(score.argmax);
    }
  if (tokens.contains("logits"))
    result["logit_difference"] = TRY(logit_difference(model, windows, tokens["logits"], options));
  return result;
}

}  // namespace
}  // namespace tqm::compress

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) {
    std::cerr << "usage: plain_scores MODEL TOKENS.json [--threads N] [--rows N] [--device NAME] [--each token]\n";
    return 1;
  }
  const auto result = tqm::compress::run(words);
  if (!result) {
    std::cerr << result.error().message() << "\n";
    return tqm::exit_code(result.error().kind);
  }
  std::cout << tqm::dump_json(*result, -1) << "\n";
  return 0;
}
