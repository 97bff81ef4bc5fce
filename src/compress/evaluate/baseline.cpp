#include "compress/evaluate/baseline.hpp"

#include <cstdlib>
#include <cstring>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "task/checkpoint.hpp"

namespace tqm::compress {
namespace {

constexpr std::string_view kMagic = "tqm-scores-1\n";

uint64_t key_of(const std::vector<int32_t>& window) {
  return xxh3({reinterpret_cast<const char*>(window.data()), window.size() * sizeof(int32_t)});
}

template <class T>
void put(std::string& to, const T* values, size_t count) {
  to.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Reads forward through bytes; false past the end.
struct Reader {
  std::string_view rest;
  template <class T>
  bool get(T* values, size_t count) {
    if (rest.size() / sizeof(T) < count) return false;
    std::memcpy(values, rest.data(), count * sizeof(T));
    rest.remove_prefix(count * sizeof(T));
    return true;
  }
};

// A window: key, scored tokens n, n losses, n arg maxes, n hits.
std::map<uint64_t, WindowScore> parse(std::string_view text) {
  if (text.size() < kMagic.size() + 8 || !text.starts_with(kMagic)) return {};
  std::string_view body = text.substr(kMagic.size(), text.size() - kMagic.size() - 8);
  uint64_t checksum = 0;
  std::memcpy(&checksum, text.data() + text.size() - 8, 8);
  if (xxh3(body) != checksum) return {};
  std::map<uint64_t, WindowScore> scores;
  Reader reader{body};
  uint64_t key = 0;
  uint32_t n = 0;
  while (reader.get(&key, 1) && reader.get(&n, 1)) {
    if (n > reader.rest.size()) return {};
    WindowScore score;
    score.nll.resize(n);
    score.argmax.resize(n);
    score.top1.resize(n);
    if (!reader.get(score.nll.data(), n) || !reader.get(score.argmax.data(), n) || !reader.get(score.top1.data(), n))
      return {};
    scores.emplace(key, std::move(score));
  }
  return scores;
}

}  // namespace

Result<Json> model_identity(const Model& model) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::is_directory(model.path, code)) return task::sampled_fingerprint(model.path);
  Json files = Json::object();
  for (fs::directory_iterator entry(model.path, code), end; !code && entry != end; entry.increment(code)) {
    const fs::path path = entry->path();
    if (path.extension() == ".safetensors" || path.extension() == ".json")
      if (fs::is_regular_file(path, code)) files[path.filename().string()] = TRY(task::sampled_fingerprint(path));
  }
  if (code) return system_error("can't read the folder", model.path, code.value());
  return files;
}

std::filesystem::path default_baseline_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return std::filesystem::path(cache) / "torquetum" / "scores";
  const char* home = std::getenv("HOME");
  return home && *home ? std::filesystem::path(home) / ".cache" / "torquetum" / "scores" : std::filesystem::path();
}

Result<Baseline> Baseline::open(const Model& original, const std::filesystem::path& folder,
                                const PlainOptions& options) {
  Baseline baseline(original, options);
  if (folder.empty()) return baseline;
  const Json identity = TRY(model_identity(original));
  TRY(make_folders(folder));
  const std::string name =
      original.path.filename().string() + "-" + sha256_hex(dump_json(identity) + options.device).substr(0, 16);
  baseline.file_ = folder / (name + ".scores");
  if (std::filesystem::exists(baseline.file_)) {
    std::string text = TRY(read_file(baseline.file_));
    baseline.kept_ = parse(text);
  }
  return baseline;
}

Status Baseline::save() const {
  if (file_.empty()) return {};
  std::string body;
  for (const auto& [key, score] : kept_) {
    const uint32_t n = static_cast<uint32_t>(score.nll.size());
    put(body, &key, 1);
    put(body, &n, 1);
    put(body, score.nll.data(), n);
    put(body, score.argmax.data(), n);
    put(body, score.top1.data(), n);
  }
  const uint64_t checksum = xxh3(body);
  std::string text(kMagic);
  text += body;
  put(text, &checksum, 1);
  return write_file_atomic(file_, text);
}

Result<std::vector<WindowScore>> Baseline::scores(const std::vector<std::vector<int32_t>>& windows,
                                                  const BlockProgress& progress) {
  std::vector<std::vector<int32_t>> missing;
  for (const auto& window : windows)
    if (!kept_.contains(key_of(window))) missing.push_back(window);
  if (!missing.empty()) {
    std::vector<WindowScore> fresh = TRY(score_windows(*original_, missing, options_, progress));
    for (size_t i = 0; i < missing.size(); ++i) kept_.insert_or_assign(key_of(missing[i]), std::move(fresh[i]));
    computed_ += static_cast<int64_t>(missing.size());
    if (const Status saved = save(); !saved) {
      trouble_ = saved.error().message();
      file_.clear();
    }
  }
  std::vector<WindowScore> scores;
  for (const auto& window : windows) scores.push_back(kept_.at(key_of(window)));
  return scores;
}

}  // namespace tqm::compress
