// What the original scored, computed once: each window's losses are kept on disk by the model's fingerprint and the
// window's tokens, so that every later comparison with the same original finds them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/model/model.hpp"
#include "compress/runtime/plain_decoder.hpp"

namespace tqm::compress {

class Baseline {
 public:
  // folder: where the scores are kept, made if missing; empty: nothing is kept. A damaged file counts as none.
  static Result<Baseline> open(const Model& original, const std::filesystem::path& folder, const PlainOptions& options);

  // One score a window, in the windows' order; those not known yet are computed and kept. Errors as score_windows.
  Result<std::vector<WindowScore>> scores(const std::vector<std::vector<int32_t>>& windows,
                                          const BlockProgress& progress = {});

  int64_t known() const { return static_cast<int64_t>(kept_.size()); }
  // Why scores could not be kept; empty while they are. It ends no work: they are computed again.
  const std::string& trouble() const { return trouble_; }
  int64_t computed() const { return computed_; }  // windows scored by this object

 private:
  Baseline(const Model& original, PlainOptions options) : original_(&original), options_(std::move(options)) {}
  Status save() const;

  const Model* original_;
  PlainOptions options_;
  std::filesystem::path file_;
  std::string trouble_;
  std::map<uint64_t, WindowScore> kept_;  // by the hash of the window's tokens
  int64_t computed_ = 0;
};

// What tells one model from another, whatever else lies in its folder: its file, or the folder's weights and
// configuration, each by size, time and sampled hash.
Result<Json> model_identity(const Model& model);

// $XDG_CACHE_HOME/torquetum/scores, else ~/.cache/torquetum/scores.
std::filesystem::path default_baseline_folder();

}  // namespace tqm::compress
