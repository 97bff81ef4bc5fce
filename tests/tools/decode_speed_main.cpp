// decode_speed MODEL [key=value …]: the fast runtime's speed (or, with text=FILE, its likelihood of the first windows
// of a text) as one line of JSON, for bench/decode, which runs it in turn with another program.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <utility>

#include "base/file.hpp"
#include "compress/runtime/fast/speed.hpp"

namespace tqm::compress {
namespace {

class Words {
 public:
  Words(int count, char** words) {
    for (int i = 2; i < count; ++i) {
      const std::string word = words[i];
      const size_t equals = std::min(word.find('='), word.size());
      given_[word.substr(0, equals)] = word.substr(std::min(equals + 1, word.size()));
    }
  }
  std::string text(const char* key, std::string otherwise) const {
    const auto found = given_.find(key);
    return found == given_.end() ? std::move(otherwise) : found->second;
  }
  int64_t number(const char* key, int64_t otherwise) const {
    return std::atoll(text(key, std::to_string(otherwise)).c_str());
  }

 private:
  std::map<std::string, std::string> given_;
};

// Mean negative log-likelihood of every token but the first of each window, no BOS.
Result<Json> likelihood(const Model& model, const FastOptions& with, const std::string& file, int64_t context,
                        int64_t windows) {
  const std::string text = TRY(read_file(file));
  const std::vector<int32_t> ids = model.tokenizer->encode(text, {});
  FastOptions options = with;
  options.max_context = context;
  FastDecoder decoder = TRY(FastDecoder::load(model, options));
  double sum = 0;
  int64_t scored = 0;
  const int64_t vocab = decoder.vocab();
  for (int64_t window = 0; window < windows && (window + 1) * context <= static_cast<int64_t>(ids.size()); ++window) {
    const std::vector<int32_t> tokens(ids.begin() + window * context, ids.begin() + (window + 1) * context);
    decoder.forget(0);
    const std::vector<float> logits = TRY(decoder.prefill_all(0, tokens));
    for (size_t i = 0; i + 1 < tokens.size(); ++i, ++scored) {
      const float* row = logits.data() + i * static_cast<size_t>(vocab);
      double total = 0;
      for (int64_t token = 0; token < vocab; ++token) total += std::exp(static_cast<double>(row[token]));
      sum += std::log(total) - static_cast<double>(row[tokens[i + 1]]);
    }
  }
  if (scored == 0) return Error{ErrorKind::bad_input, "the text is shorter than one window", file, "give a longer one"};
  return Json{{"tokens", scored}, {"nll_per_token", sum / static_cast<double>(scored)}, {"kernels", decoder.kernels()}};
}

Result<Json> run(const std::string& path, const Words& words) {
  FastOptions with;
  with.weights = words.text("weights", with.weights);
  with.head = words.text("head", with.head);
  with.cache = words.text("cache", with.cache);
  with.isa = words.text("isa", with.isa);
  with.group = static_cast<int>(words.number("group", with.group));
  with.threads = static_cast<int>(words.number("threads", with.threads));
  with.prefill_rows = words.number("rows", with.prefill_rows);
  const std::string text = words.text("text", "");
  OpenOptions open;
  open.need_tokenizer = !text.empty();
  const Model model = TRY(open_model(path, open));
  if (!text.empty()) return likelihood(model, with, text, words.number("context", 256), words.number("windows", 1));
  SpeedOptions options;
  options.decoder = with;
  options.prompt = words.number("prompt", options.prompt);
  options.decode = words.number("decode", options.decode);
  options.repeats = words.number("repeats", options.repeats);
  return to_json(TRY(measure_speed(model, options)));
}

}  // namespace
}  // namespace tqm::compress

int main(int count, char** words) {
  if (count < 2) {
    std::cerr
        << "decode_speed MODEL [weights=bf16] [head=int8] [group=32] [cache=bf16] [threads=2] [rows=512] [isa=avx2]\n"
           "  [prompt=512] [decode=128] [repeats=1] | text=FILE [context=256] [windows=1]\n";
    return 1;
  }
  const auto result = tqm::compress::run(words[1], tqm::compress::Words(count, words));
  if (!result) {
    std::cerr << result.error().message() << "\n";
    return 1;
  }
  std::cout << tqm::dump_json(*result, -1) << std::endl;
  return 0;
}
