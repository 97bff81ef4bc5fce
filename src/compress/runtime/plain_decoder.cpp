#include "compress/runtime/plain_decoder.hpp"

#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/kl_div.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "compress/model/rope.hpp"
#include "compress/runtime/plain_block.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

using Windows = std::vector<std::vector<int32_t>>;

constexpr int64_t kLogitBytes = int64_t{64} << 20;  // of [rows, vocab] at a time

// Windows that go through a block together: of about one length, padded on the right to the longest.
struct Batch {
  std::vector<size_t> windows;  // indices, longest first
  int64_t length = 0;
  at::Tensor hidden;  // [windows, length, hidden]
};

std::vector<Batch> make_batches(const Windows& windows, int64_t rows_per_step) {
  std::vector<size_t> order(windows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return windows[a].size() > windows[b].size(); });
  std::vector<Batch> batches;
  for (const size_t index : order) {
    const auto length = static_cast<int64_t>(windows[index].size());
    if (length < 2) break;  // nothing to score
    const bool fits = !batches.empty() &&
                      static_cast<int64_t>(batches.back().windows.size() + 1) * batches.back().length <= rows_per_step;
    if (!fits) batches.push_back({{}, length, {}});
    batches.back().windows.push_back(index);
  }
  return batches;
}

Status check_tokens(const Model& model, const Windows& windows) {
  for (const auto& window : windows)
    for (const int32_t token : window)
      if (token < 0 || token >= model.config.vocab)
        return Error{
            ErrorKind::bad_input,
            "token id " + std::to_string(token) + " is outside the vocabulary of " + std::to_string(model.config.vocab),
            model.path.string(), "the tokenizer and the model must belong together"};
  return {};
}

// The embedding's rows for one batch, straight from the file's element type: the table is never whole in f32.
class Embedding {
 public:
  static Result<Embedding> load(const Model& model) {
    constexpr const char* kName = "model.embed_tokens.weight";
    Weight weight = TRY(model.weights->load(kName));
    tensor::HostTensor table =
        std::holds_alternative<QuantTensor>(weight) ? plain(weight) : std::get<tensor::HostTensor>(std::move(weight));
    if (table.shape != std::vector<int64_t>{model.config.vocab, model.config.hidden})
      return Error{ErrorKind::bad_input,
                   "the tensor is " + tensor::shape_text(table.shape) + ", the configuration asks for " +
                       tensor::shape_text({model.config.vocab, model.config.hidden}),
                   kName, "the weights and the configuration must belong together"};
    return Embedding(model, std::move(table), kName);
  }
  Embedding(Embedding&&) = default;
  Embedding& operator=(Embedding&&) = delete;
  ~Embedding() {
    if (weights_) weights_->release(name_);  // not where it was moved from
  }

  at::Tensor rows(const Windows& windows, const std::vector<size_t>& chosen, int64_t length, c10::Device device) const {
    const int64_t width = table_.shape[1];
    const size_t row_bytes = static_cast<size_t>(width) * tensor::size_of(table_.dtype);
    std::vector<float> values(chosen.size() * static_cast<size_t>(length * width));
    float* to = values.data();
    for (const size_t index : chosen) {
      const std::vector<int32_t>& window = windows[index];
      for (size_t i = 0; i < static_cast<size_t>(length); ++i, to += width)
        if (i < window.size())
          tensor::to_float(table_.dtype, table_.bytes.data() + static_cast<size_t>(window[i]) * row_bytes,
                           static_cast<size_t>(width), to);
    }
    return tensor::to_torch(
        tensor::HostTensor::of_floats({static_cast<int64_t>(chosen.size()), length, width}, std::move(values)), device);
  }

 private:
  Embedding(const Model& model, tensor::HostTensor table, std::string name)
      : weights_(model.weights), table_(std::move(table)), name_(std::move(name)) {}
  std::shared_ptr<WeightSource> weights_;
  tensor::HostTensor table_;
  std::string name_;
};

struct Head {
  at::Tensor norm, weight;
  double eps = 0;

  static Result<Head> load(const Model& model, c10::Device device) {
    const ModelConfig& config = model.config;
    Head head;
    head.eps = config.rms_norm_eps;
    head.norm = TRY(load_plain(model, "model.norm.weight", {config.hidden}, device));
    head.weight = TRY(load_plain(model, config.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight",
                                 {config.vocab, config.hidden}, device));
    return head;
  }
  at::Tensor logits(const at::Tensor& rows) const { return at::linear(rms_norm(rows, norm, eps), weight); }
};

// Leaves the last block's output in each batch.
Status run_blocks(const Model& model, const Windows& windows, std::vector<Batch>& batches, const PlainOptions& options,
                  c10::Device device, const BlockProgress& progress, int64_t done, int64_t total) {
  TRY(check_tokens(model, windows));
  {
    const Embedding embedding = TRY(Embedding::load(model));
    for (Batch& batch : batches)
      TRY(tensor::guard("embedding the tokens",
                        [&] { batch.hidden = embedding.rows(windows, batch.windows, batch.length, device); }));
  }
  for (int64_t layer = 0; layer < model.config.layers; ++layer) {
    if (progress) TRY(progress(done + layer, total));
    const PlainBlock block = TRY(PlainBlock::load(model, layer, options));
    for (Batch& batch : batches)
      TRY(tensor::guard("block " + std::to_string(layer), [&] { batch.hidden = block.forward(batch.hidden); }));
  }
  return {};
}

// What the head gives for some rows of one batch, on the host.
struct ScoredRows {
  tensor::HostTensor nll, argmax;
  void copy_to(const std::vector<int32_t>& window, int64_t from, int64_t count, int64_t row, WindowScore& score) const {
    const float* losses = nll.f32() + row;
    const auto* best = reinterpret_cast<const int64_t*>(argmax.bytes.data()) + row;
    for (int64_t i = 0; i < count; ++i) {
      score.nll.push_back(losses[i]);
      score.argmax.push_back(static_cast<int32_t>(best[i]));
      score.top1.push_back(best[i] == window[static_cast<size_t>(from + i + 1)] ? 1 : 0);
    }
  }
};

ScoredRows score_rows(const at::Tensor& logits, const at::Tensor& log_probabilities, const at::Tensor& targets) {
  return {tensor::to_host(log_probabilities.gather(-1, targets.unsqueeze(-1)).squeeze(-1).neg()),
          tensor::to_host(logits.argmax(-1))};
}

// A run of one window's rows: row `from` of the window is scored against token from + 1.
struct Slice {
  size_t place = 0;  // in the batch
  int64_t from = 0, count = 0;
};

// Cuts a batch's scored rows into pieces of at most max_rows.
std::vector<std::vector<Slice>> make_pieces(const Windows& windows, const Batch& batch, int64_t max_rows) {
  std::vector<std::vector<Slice>> pieces;
  int64_t room = 0;
  for (size_t place = 0; place < batch.windows.size(); ++place) {
    const auto rows = static_cast<int64_t>(windows[batch.windows[place]].size()) - 1;
    for (int64_t from = 0; from < rows;) {
      if (room == 0) {
        pieces.emplace_back();
        room = max_rows;
      }
      const int64_t count = std::min(room, rows - from);
      pieces.back().push_back({place, from, count});
      from += count;
      room -= count;
    }
  }
  return pieces;
}

at::Tensor rows_of(const Batch& batch, const std::vector<Slice>& piece) {
  std::vector<at::Tensor> rows;
  for (const Slice& slice : piece)
    rows.push_back(batch.hidden[static_cast<int64_t>(slice.place)].narrow(0, slice.from, slice.count));
  return rows.size() == 1 ? rows[0] : at::cat(rows);
}

at::Tensor targets_of(const Windows& windows, const Batch& batch, const std::vector<Slice>& piece, c10::Device device) {
  std::vector<int64_t> targets;
  for (const Slice& slice : piece) {
    const auto first = windows[batch.windows[slice.place]].begin() + slice.from + 1;
    targets.insert(targets.end(), first, first + slice.count);
  }
  std::byte* data = nullptr;
  const auto host = tensor::HostTensor::zeros(tensor::DType::i64, {static_cast<int64_t>(targets.size())}, &data);
  std::memcpy(data, targets.data(), targets.size() * sizeof(int64_t));
  return tensor::to_torch(host, device);
}

int64_t rows_a_piece(const ModelConfig& config, int64_t tables) {
  return std::max(int64_t{1}, kLogitBytes / (tables * config.vocab * static_cast<int64_t>(sizeof(float))));
}

void collect(const Windows& windows, const Batch& batch, const std::vector<Slice>& piece, const ScoredRows& scored,
             std::vector<WindowScore>& scores) {
  int64_t row = 0;
  for (const Slice& slice : piece) {
    const size_t index = batch.windows[slice.place];
    scored.copy_to(windows[index], slice.from, slice.count, row, scores[index]);
    row += slice.count;
  }
}

// KL(p ‖ q) of each row, to its window's score.
void collect_kl(const Batch& batch, const std::vector<Slice>& piece, const at::Tensor& log_p, const at::Tensor& log_q,
                std::vector<WindowScore>& scores) {
  const auto kl = tensor::to_host(at::kl_div(log_q, log_p, at::Reduction::None, true).sum(-1)).floats();
  auto next = kl.begin();
  for (const Slice& slice : piece) {
    auto& to = scores[batch.windows[slice.place]].kl;
    to.insert(to.end(), next, next + slice.count);
    next += slice.count;
  }
}

Status check_finite(const Model& model, const std::vector<WindowScore>& scores) {
  for (size_t i = 0; i < scores.size(); ++i)
    for (const float nll : scores[i].nll)
      if (!std::isfinite(nll))
        return Error{ErrorKind::breakdown, "the model's loss on window " + std::to_string(i) + " is not a number",
                     model.path.string(), "its weights or their scales are broken: compare with the original"};
  return {};
}

}  // namespace

struct PlainBlock::Parts {
  DecoderBlock block;
  c10::Device device;
  int64_t rows_per_step;
};

PlainBlock::PlainBlock() = default;
PlainBlock::PlainBlock(PlainBlock&&) noexcept = default;
PlainBlock& PlainBlock::operator=(PlainBlock&&) noexcept = default;
PlainBlock::~PlainBlock() = default;

Result<PlainBlock> PlainBlock::load(const Model& model, int64_t layer, const PlainOptions& options) {
  const c10::Device device = TRY(tensor::open_device(options.device));
  DecoderBlock loaded = TRY(DecoderBlock::load(model, layer, device));
  PlainBlock block;
  block.parts_ = std::make_unique<Parts>(Parts{std::move(loaded), device, options.rows_per_step});
  return block;
}

at::Tensor PlainBlock::forward(const at::Tensor& hidden, const LinearTap& tap) const {
  const DecoderBlock& block = parts_->block;
  const int64_t windows = hidden.size(0), length = hidden.size(1);
  const RopeTable rope = make_rope_table(rope_inverse_frequencies(block.config), length, parts_->device);
  const int64_t step = std::max(int64_t{1}, parts_->rows_per_step / std::max(int64_t{1}, length));
  if (step >= windows) return block.forward(hidden, rope, nullptr, tap);
  at::Tensor out = at::empty_like(hidden);
  for (int64_t from = 0; from < windows; from += step) {
    const int64_t count = std::min(step, windows - from);
    out.narrow(0, from, count).copy_(block.forward(hidden.narrow(0, from, count), rope, nullptr, tap));
  }
  return out;
}

at::Tensor PlainBlock::attention_input(const at::Tensor& hidden) const {
  return parts_->block.attention_input(hidden);
}

at::Tensor PlainBlock::attention_context(const at::Tensor& input) const {
  const RopeTable rope = make_rope_table(rope_inverse_frequencies(parts_->block.config), input.size(1), parts_->device);
  return parts_->block.attention_context(input, rope, nullptr, {});
}

at::Tensor PlainBlock::add_attention(const at::Tensor& hidden, const at::Tensor& context) const {
  return parts_->block.add_attention(hidden, context, {});
}

at::Tensor PlainBlock::mlp_input(const at::Tensor& hidden) const {
  return parts_->block.mlp_input(hidden);
}

at::Tensor PlainBlock::mlp_gated(const at::Tensor& input) const {
  return parts_->block.mlp_gated(input, {});
}

at::Tensor PlainBlock::add_mlp(const at::Tensor& hidden, const at::Tensor& gated) const {
  return parts_->block.add_mlp(hidden, gated, {});
}

namespace {
template <class Block>
auto& linear_named(Block& block, const std::string& name) {
  const auto found =
      std::find_if(block.linear.begin(), block.linear.end(), [&](const Linear& linear) { return linear.name == name; });
  ASSERT(found != block.linear.end());
  return *found;
}
}  // namespace

void PlainBlock::replace(const std::string& name, const Weight& weight) {
  Linear& linear = linear_named(parts_->block, name);
  const at::Tensor replacement = tensor::to_torch(plain(weight), parts_->device);
  ASSERT(replacement.sizes() == linear.weight.sizes());
  linear.weight = replacement;
  const auto* quantized = std::get_if<QuantTensor>(&weight);
  linear.quantize_activations = quantized && quantized->spec.quantize_activations;
}

at::Tensor PlainBlock::weight(const std::string& name) const {
  return linear_named(parts_->block, name).weight;
}

Result<at::Tensor> embed(const Model& model, const Windows& windows, const PlainOptions& options) {
  const c10::Device device = TRY(tensor::open_device(options.device));
  TRY(check_tokens(model, windows));
  const Embedding embedding = TRY(Embedding::load(model));
  std::vector<size_t> all(windows.size());
  std::iota(all.begin(), all.end(), size_t{0});
  size_t longest = 0;
  for (const auto& window : windows) longest = std::max(longest, window.size());
  at::Tensor rows;
  TRY(tensor::guard("embedding the tokens",
                    [&] { rows = embedding.rows(windows, all, static_cast<int64_t>(longest), device); }));
  return rows;
}

Result<std::vector<WindowScore>> score_windows(const Model& model, const Windows& windows, const PlainOptions& options,
                                               const BlockProgress& progress) {
  const c10::Device device = TRY(tensor::open_device(options.device));
  const int64_t layers = model.config.layers;
  std::vector<Batch> batches = make_batches(windows, options.rows_per_step);
  TRY(run_blocks(model, windows, batches, options, device, progress, 0, layers));
  const Head head = TRY(Head::load(model, device));
  std::vector<WindowScore> scores(windows.size());
  for (Batch& batch : batches) {
    for (const auto& piece : make_pieces(windows, batch, rows_a_piece(model.config, 2)))
      TRY(tensor::guard("the head", [&] {
        const at::Tensor logits = head.logits(rows_of(batch, piece));
        collect(windows, batch, piece,
                score_rows(logits, at::log_softmax(logits, -1), targets_of(windows, batch, piece, device)), scores);
      }));
    batch.hidden.reset();
  }
  TRY(check_finite(model, scores));
  if (progress) TRY(progress(layers, layers));
  return scores;
}

Result<PairScores> score_windows_pair(const Model& original, const Model& compressed, const Windows& windows,
                                      const PlainOptions& options, const BlockProgress& progress) {
  if (original.config.vocab != compressed.config.vocab)
    return Error{ErrorKind::bad_input,
                 "the models have different vocabularies: " + std::to_string(original.config.vocab) + " and " +
                     std::to_string(compressed.config.vocab) + " tokens",
                 compressed.path.string(), "compare a model with the one it was made from"};
  const c10::Device device = TRY(tensor::open_device(options.device));
  const int64_t total = original.config.layers + compressed.config.layers;
  std::vector<Batch> first = make_batches(windows, options.rows_per_step), second = first;
  TRY(run_blocks(original, windows, first, options, device, progress, 0, total));
  TRY(run_blocks(compressed, windows, second, options, device, progress, original.config.layers, total));
  const Head original_head = TRY(Head::load(original, device));
  const Head compressed_head = TRY(Head::load(compressed, device));
  PairScores scores{std::vector<WindowScore>(windows.size()), std::vector<WindowScore>(windows.size())};
  for (size_t b = 0; b < first.size(); ++b) {
    for (const auto& piece : make_pieces(windows, first[b], rows_a_piece(original.config, 5)))
      TRY(tensor::guard("the heads", [&] {
        const at::Tensor targets = targets_of(windows, first[b], piece, device);
        const at::Tensor p = original_head.logits(rows_of(first[b], piece));
        const at::Tensor q = compressed_head.logits(rows_of(second[b], piece));
        const at::Tensor log_p = at::log_softmax(p, -1), log_q = at::log_softmax(q, -1);
        collect(windows, first[b], piece, score_rows(p, log_p, targets), scores.original);
        collect(windows, second[b], piece, score_rows(q, log_q, targets), scores.compressed);
        collect_kl(first[b], piece, log_p, log_q, scores.compressed);
      }));
    first[b].hidden.reset();
    second[b].hidden.reset();
  }
  TRY(check_finite(original, scores.original));
  TRY(check_finite(compressed, scores.compressed));
  if (progress) TRY(progress(total, total));
  return scores;
}

struct PlainHead::Parts {
  Model model;
  Head head;
  c10::Device device;
};

PlainHead::PlainHead() = default;
PlainHead::PlainHead(PlainHead&&) noexcept = default;
PlainHead& PlainHead::operator=(PlainHead&&) noexcept = default;
PlainHead::~PlainHead() = default;

Result<PlainHead> PlainHead::load(const Model& model, const PlainOptions& options) {
  const c10::Device device = TRY(tensor::open_device(options.device));
  Head loaded = TRY(Head::load(model, device));
  PlainHead head;
  head.parts_ = std::make_unique<Parts>(Parts{model, std::move(loaded), device});
  return head;
}

Result<std::vector<std::vector<WindowScore>>> PlainHead::scores(const std::vector<at::Tensor>& hidden,
                                                                const at::Tensor& reference, const Windows& windows,
                                                                const BlockProgress& progress) const {
  Batch batch{std::vector<size_t>(windows.size()), reference.size(1), reference};
  std::iota(batch.windows.begin(), batch.windows.end(), size_t{0});
  std::vector<std::vector<WindowScore>> scores(hidden.size(), std::vector<WindowScore>(windows.size()));
  const auto pieces = make_pieces(windows, batch, rows_a_piece(parts_->model.config, 5));
  for (size_t p = 0; p < pieces.size(); ++p) {
    if (progress) TRY(progress(static_cast<int64_t>(p), static_cast<int64_t>(pieces.size())));
    TRY(tensor::guard("the head", [&] {
      const at::Tensor targets = targets_of(windows, batch, pieces[p], parts_->device);
      batch.hidden = reference;
      const at::Tensor log_p = at::log_softmax(parts_->head.logits(rows_of(batch, pieces[p])), -1);
      for (size_t i = 0; i < hidden.size(); ++i) {
        batch.hidden = hidden[i];
        const at::Tensor q = parts_->head.logits(rows_of(batch, pieces[p]));
        const at::Tensor log_q = at::log_softmax(q, -1);
        collect(windows, batch, pieces[p], score_rows(q, log_q, targets), scores[i]);
        collect_kl(batch, pieces[p], log_p, log_q, scores[i]);
      }
    }));
  }
  for (const auto& each : scores) TRY(check_finite(parts_->model, each));
  return scores;
}

Result<tensor::HostTensor> logits(const Model& model, const std::vector<int32_t>& window, const PlainOptions& options) {
  const c10::Device device = TRY(tensor::open_device(options.device));
  const auto length = static_cast<int64_t>(window.size());
  std::vector<Batch> batches{{{0}, length, {}}};
  if (window.empty()) return tensor::HostTensor::of_floats({0, model.config.vocab}, {});
  TRY(run_blocks(model, {window}, batches, options, device, {}, 0, model.config.layers));
  const Head head = TRY(Head::load(model, device));
  tensor::HostTensor result;
  TRY(tensor::guard("the head", [&] { result = tensor::to_host(head.logits(batches[0].hidden[0])); }));
  return result;
}

}  // namespace tqm::compress
