#include "compress/runtime/fast/fast_decoder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/cpu_features.hpp"
#include "base/team.hpp"
#include "compress/model/rope.hpp"
#include "compress/runtime/fast/kv_cache.hpp"
#include "compress/runtime/fast/linear_kernels.hpp"
#include "compress/runtime/fast/packed_linear.hpp"
#include "compress/runtime/fast/prepared_input.hpp"
#include "compress/runtime/fast/vector_ops.hpp"

namespace tqm::compress {

using namespace fast;
using tensor::HostTensor;

namespace {

size_t size(int64_t value) {
  return static_cast<size_t>(value);
}
int64_t padded(int64_t value) {
  return (value + kPanel - 1) / kPanel * kPanel;
}

struct Layer {
  PackedLinear q, k, v, o, gate, up, down;
  std::vector<float> input_norm, post_norm, q_norm, k_norm;
};

// A token that passes through the layers: of which sequence, at which position.
struct Row {
  int64_t sequence = 0, position = 0;
  int32_t token = 0;
  bool wanted = false;  // its logits are asked for
};

// A row's input of a phase is made by each member for itself while rows are few, so that no barrier stands between.
constexpr int64_t kFewRows = 4;

// How a weight is to be held: as stored, or another kind.
struct Wish {
  std::optional<Kind> kind;  // none: as stored
  int64_t group = 0;
};

Result<Wish> wish_of(const std::string& word, int group, const char* option) {
  if (word == "as-stored") return Wish{};
  const auto kind = kind_named(word);
  if (!kind) {
    return Error{ErrorKind::usage, "\"" + word + "\" is no form of weights", option,
                 "use as-stored, f32, f16, bf16, w8a8, int8 or int4"};
  }
  return Wish{kind, group};
}

class Loader {
 public:
  Loader(const Model& model, Wish wish) : model_(model), wish_(wish) {}

  Result<PackedLinear> linear(const std::string& name, int64_t outputs, int64_t columns, bool biased,
                              const Wish& wish) const {
    std::vector<float> bias;
    if (biased) bias = TRY(vector(name.substr(0, name.rfind('.')) + ".bias", outputs));
    if (!wish.kind) {
      const auto blocks = TRY(model_.weights->load_blocks(name));
      if (blocks) {
        TRY(check_shape(name, {blocks->codes.rows, blocks->codes.columns}, {outputs, columns}));
        model_.weights->release(name);
        return pack_blocks(*blocks, bias);
      }
    }
    const Weight weight = TRY(model_.weights->load(name));
    const auto* quantized = std::get_if<QuantTensor>(&weight);
    TRY(check_shape(
        name,
        quantized ? std::vector<int64_t>{quantized->rows, quantized->columns} : std::get<HostTensor>(weight).shape,
        {outputs, columns}));
    if (quantized && quantized->spec.quantize_activations && kind_of(weight) != Kind::w8a8) {
      return Error{ErrorKind::unsupported,
                   "products of quantised activations are known with 8 bits, one scale a row and no zero points only",
                   name, "use the plain runtime for this model"};
    }
    if (!wish.kind) {
      PackedLinear packed = pack_linear(weight, bias);
      model_.weights->release(name);
      return packed;
    }
    auto packed = pack_linear_as(weight, *wish.kind, wish.group, bias);
    model_.weights->release(name);
    if (!packed) {
      Error error = std::move(packed).error();
      error.where = name;
      return error;
    }
    return packed;
  }
  Result<PackedLinear> linear(const std::string& name, int64_t outputs, int64_t columns, bool biased) const {
    return linear(name, outputs, columns, biased, wish_);
  }
  Result<std::vector<float>> vector(const std::string& name, int64_t count) const {
    const HostTensor tensor = plain(TRY(model_.weights->load(name)));
    TRY(check_shape(name, tensor.shape, {count}));
    model_.weights->release(name);
    return tensor.floats();
  }

 private:
  static Status check_shape(const std::string& name, const std::vector<int64_t>& shape,
                            const std::vector<int64_t>& wanted) {
    if (shape == wanted) return {};
    return Error{
        ErrorKind::bad_input,
        "the tensor is " + tensor::shape_text(shape) + ", the configuration asks for " + tensor::shape_text(wanted),
        name, "the weights and the configuration must belong together"};
  }
  const Model& model_;
  Wish wish_;
};

Result<Layer> load_layer(const Loader& load, const ModelConfig& config, int64_t index) {
  const std::vector<std::string> names = linear_names(config, index);
  const int64_t q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim;
  const std::string prefix = "model.layers." + std::to_string(index) + ".";
  Layer layer;
  layer.q = TRY(load.linear(names[0], q, config.hidden, config.qkv_bias));
  layer.k = TRY(load.linear(names[1], kv, config.hidden, config.qkv_bias));
  layer.v = TRY(load.linear(names[2], kv, config.hidden, config.qkv_bias));
  layer.o = TRY(load.linear(names[3], config.hidden, q, config.o_bias));
  layer.gate = TRY(load.linear(names[4], config.intermediate, config.hidden, config.mlp_bias));
  layer.up = TRY(load.linear(names[5], config.intermediate, config.hidden, config.mlp_bias));
  layer.down = TRY(load.linear(names[6], config.hidden, config.intermediate, config.mlp_bias));
  layer.input_norm = TRY(load.vector(prefix + "input_layernorm.weight", config.hidden));
  layer.post_norm = TRY(load.vector(prefix + "post_attention_layernorm.weight", config.hidden));
  if (config.qk_norm) {
    layer.q_norm = TRY(load.vector(prefix + "self_attn.q_norm.weight", config.head_dim));
    layer.k_norm = TRY(load.vector(prefix + "self_attn.k_norm.weight", config.head_dim));
  }
  return layer;
}

const VectorOps& ops_for(const CpuFeatures& features) {
#if defined(__x86_64__)
  if (features.avx512) return avx512::kVectorOps;
  if (features.avx2) return avx2::kVectorOps;
#endif
  (void)features;
  return generic::kVectorOps;
}

std::vector<int64_t> chunks_of(std::initializer_list<const PackedLinear*> linears) {
  std::vector<int64_t> chunks;
  for (const PackedLinear* linear : linears) {
    if (linear->kind == Kind::int8 || linear->kind == Kind::int4) chunks.push_back(linear->chunk);
  }
  return chunks;
}

void append(std::vector<int64_t>& to, const std::vector<int64_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

struct FastDecoder::Parts {
  ModelConfig config;
  Arena weights;  // outlives what looks into it
  CpuFeatures features;
  const VectorOps* ops = nullptr;
  std::unique_ptr<Team> team;
  std::vector<Layer> layers;
  std::optional<PackedLinear> embeddings;  // none: the head's
  PackedLinear lm_head;
  std::vector<float> final_norm;
  std::unique_ptr<KvCache> cache;
  std::vector<float> cosine, sine;  // [position][head_dim / 2]
  int64_t max_context = 0, prefill_rows = 0;

  // Scratch for most_rows rows.
  int64_t most_rows = 0;
  Buffer hidden, qkv, mixed, gate, up, logits;
  struct Inputs {
    PreparedInput hidden, mixed, wide;  // of widths hidden, heads × head_dim, intermediate
  };
  Inputs shared;
  std::vector<Inputs> own;     // a member's, for few rows
  std::vector<Buffer> scores;  // a member's

  int64_t queries() const { return config.heads * config.head_dim; }
  int64_t keys() const { return config.kv_heads * config.head_dim; }
  int64_t qkv_stride() const { return padded(queries()) + 2 * padded(keys()); }

  void allocate();
  std::vector<float> forward(const std::vector<Row>& rows);
  void forward_member(int member, const std::vector<Row>& rows, const std::vector<int64_t>& wanted);
  void attention(int member, const std::vector<Row>& rows, int64_t layer);
  void place_keys(int member, const std::vector<Row>& rows, int64_t index, const Layer& layer);
  // Prepares rows as the linears want them and gives the prepared input, whoever made it.
  template <class Fill>
  PreparedInput& prepare(int member, int64_t rows, PreparedInput Inputs::* which,
                         std::initializer_list<const PackedLinear*> linears, Fill fill);
  void run(const PackedLinear& linear, const PreparedInput& input, int64_t rows, int64_t first, int64_t last,
           const OutputView& out) const;
  Result<std::vector<float>> read(int64_t sequence, const std::vector<int32_t>& tokens, bool all);
  Status check_token(int32_t token) const;
};

void FastDecoder::Parts::allocate() {
  most_rows = std::max(prefill_rows, cache->sequences());
  std::vector<int64_t> hidden_chunks = chunks_of({&lm_head}), mixed_chunks, wide_chunks;
  for (const Layer& layer : layers) {
    append(hidden_chunks, chunks_of({&layer.q, &layer.k, &layer.v, &layer.gate, &layer.up}));
    append(mixed_chunks, chunks_of({&layer.o}));
    append(wide_chunks, chunks_of({&layer.down}));
  }
  const auto inputs = [&](int64_t rows) {
    return Inputs{PreparedInput(rows, config.hidden, hidden_chunks), PreparedInput(rows, queries(), mixed_chunks),
                  PreparedInput(rows, config.intermediate, wide_chunks)};
  };
  shared = inputs(most_rows);
  for (int member = 0; member < team->size(); ++member) {
    own.push_back(inputs(kFewRows));
    scores.emplace_back(size(AttentionCall::kMostRows * padded(max_context)) * sizeof(float));
  }
  const auto floats = [&](int64_t width) { return Buffer(size(most_rows * width) * sizeof(float)); };
  hidden = floats(padded(config.hidden));
  qkv = floats(qkv_stride());
  mixed = floats(queries());
  gate = floats(padded(config.intermediate));
  up = floats(padded(config.intermediate));

  const std::vector<float> frequencies = rope_inverse_frequencies(config);
  for (int64_t position = 0; position < max_context; ++position) {
    for (const float frequency : frequencies) {
      const float angle = static_cast<float>(position) * frequency;
      cosine.push_back(std::cos(angle));
      sine.push_back(std::sin(angle));
    }
  }
}

void FastDecoder::Parts::run(const PackedLinear& linear, const PreparedInput& input, int64_t rows, int64_t first,
                             int64_t last, const OutputView& out) const {
  if (first >= last) return;
  choose_kernel(linear.kind, rows, features).run(linear.view(), input.view(rows, linear.chunk), first, last, out);
}

template <class Fill>
PreparedInput& FastDecoder::Parts::prepare(int member, int64_t rows, PreparedInput Inputs::* which,
                                           std::initializer_list<const PackedLinear*> linears, Fill fill) {
  InputKinds kinds;
  for (const PackedLinear* linear : linears) kinds.add(choose_kernel(linear->kind, rows, features).input);
  const bool few = rows <= kFewRows;
  PreparedInput& input = few ? own[size(member)].*which : shared.*which;
  const auto [first, last] = few ? std::pair<int64_t, int64_t>{0, rows} : team->share(member, rows);
  for (int64_t row = first; row < last; ++row) input.prepare(row, fill(row, input.row_floats(row)), *ops, kinds);
  if (!few) team->barrier();
  return input;
}

// Norms and turns q and k in place, and puts k and v into the cache.
void FastDecoder::Parts::place_keys(int member, const std::vector<Row>& rows, int64_t index, const Layer& layer) {
  const int64_t count = static_cast<int64_t>(rows.size()), head_dim = config.head_dim, half = head_dim / 2;
  const int64_t units = config.heads + config.kv_heads;
  const auto epsilon = static_cast<float>(config.rms_norm_eps);
  const auto [first, last] = team->share(member, count * units);
  for (int64_t unit = first; unit < last; ++unit) {
    const Row& row = rows[size(unit / units)];
    const int64_t head = unit % units;
    const bool query = head < config.heads;
    float* base = qkv.as<float>() + unit / units * qkv_stride();
    float* x = query ? base + head * head_dim : base + padded(queries()) + (head - config.heads) * head_dim;
    const std::vector<float>& norm = query ? layer.q_norm : layer.k_norm;
    if (!norm.empty()) ops->rms_norm(x, norm.data(), epsilon, head_dim, x);
    ops->rope(x, cosine.data() + row.position * half, sine.data() + row.position * half, half);
    if (!query) {
      const int64_t kv_head = head - config.heads;
      cache->put(row.sequence, index, kv_head, row.position, x,
                 base + padded(queries()) + padded(keys()) + kv_head * head_dim);
    }
  }
}

// Units of work are up to eight rows of one sequence and head: consecutive tokens in a prefill, or the heads that share
// a key-value head for a single token.
void FastDecoder::Parts::attention(int member, const std::vector<Row>& rows, int64_t layer) {
  const int64_t count = static_cast<int64_t>(rows.size()), head_dim = config.head_dim;
  const int64_t shared_by = config.heads / config.kv_heads;
  AttentionCall call{};
  call.half = cache->half();
  call.head_dim = head_dim;
  call.value_stride = cache->value_stride();
  call.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
  call.scores = scores[size(member)].as<float>();
  call.score_stride = padded(max_context);
  const auto put = [&](int64_t row, int64_t head) {
    call.q[call.rows] = qkv.as<float>() + row * qkv_stride() + head * head_dim;
    call.out[call.rows] = mixed.as<float>() + row * queries() + head * head_dim;
    call.lengths[call.rows] = rows[size(row)].position + 1;
    ++call.rows;
  };
  const auto attend = [&](int64_t sequence, int64_t kv_head) {
    call.keys = cache->keys(sequence, layer, kv_head);
    call.values = cache->values(sequence, layer, kv_head);
    ops->attend(call);
    call.rows = 0;
  };
  int64_t unit = 0;
  for (int64_t row = 0; row < count;) {
    int64_t end = row + 1;
    while (end < count && end - row < AttentionCall::kMostRows && rows[size(end)].sequence == rows[size(row)].sequence)
      ++end;
    // Heads that share keys go together where that leaves work for every member.
    const bool plenty = count * config.kv_heads >= 4 * team->size();
    const int64_t heads_a_unit = plenty ? AttentionCall::kMostRows / (end - row) : 1;
    for (int64_t head = 0; head < config.heads;) {
      const int64_t kv_head = head / shared_by;
      const int64_t last = std::min({head + heads_a_unit, (kv_head + 1) * shared_by, config.heads});
      if (unit++ % team->size() == member) {
        for (int64_t h = head; h < last; ++h) {
          for (int64_t r = row; r < end; ++r) put(r, h);
        }
        attend(rows[size(row)].sequence, kv_head);
      }
      head = last;
    }
    row = end;
  }
}

void FastDecoder::Parts::forward_member(int member, const std::vector<Row>& rows, const std::vector<int64_t>& wanted) {
  const int64_t count = static_cast<int64_t>(rows.size()), stride = padded(config.hidden),
                wide = padded(config.intermediate);
  const auto epsilon = static_cast<float>(config.rms_norm_eps);
  const PackedLinear& table = embeddings ? *embeddings : lm_head;
  float* x = hidden.as<float>();

  const auto [first_row, last_row] = team->share(member, count);
  for (int64_t row = first_row; row < last_row; ++row) table.row(rows[size(row)].token, x + row * stride);
  team->barrier();

  for (int64_t index = 0; index < config.layers; ++index) {
    const Layer& layer = layers[size(index)];
    const auto normed = [&](const std::vector<float>& weight) {
      return [&, this](int64_t row, float* to) {
        ops->rms_norm(x + row * stride, weight.data(), epsilon, config.hidden, to);
        return to;
      };
    };
    {
      const PreparedInput& in =
          prepare(member, count, &Inputs::hidden, {&layer.q, &layer.k, &layer.v}, normed(layer.input_norm));
      const int64_t qp = layer.q.panels(), kp = layer.k.panels();
      const auto [first, last] = team->share(member, qp + 2 * kp, 2);
      int64_t begin = 0;
      float* y = qkv.as<float>();
      for (const PackedLinear* linear : {&layer.q, &layer.k, &layer.v}) {
        const int64_t panels = linear->panels();
        run(*linear, in, count, std::clamp(first - begin, int64_t{0}, panels),
            std::clamp(last - begin, int64_t{0}, panels), {y, qkv_stride(), false});
        begin += panels;
        y += panels * kPanel;
      }
    }
    team->barrier();
    place_keys(member, rows, index, layer);
    team->barrier();
    attention(member, rows, index);
    team->barrier();
    {
      const PreparedInput& in = prepare(member, count, &Inputs::mixed, {&layer.o},
                                        [&](int64_t row, float*) { return mixed.as<float>() + row * queries(); });
      const auto [first, last] = team->share(member, layer.o.panels(), 2);
      run(layer.o, in, count, first, last, {x, stride, true});
    }
    team->barrier();
    {
      const PreparedInput& in =
          prepare(member, count, &Inputs::hidden, {&layer.gate, &layer.up}, normed(layer.post_norm));
      const auto [first, last] = team->share(member, layer.gate.panels(), 2);
      run(layer.gate, in, count, first, last, {gate.as<float>(), wide, false});
      run(layer.up, in, count, first, last, {up.as<float>(), wide, false});
      for (int64_t row = 0; row < count; ++row) {
        const int64_t at = row * wide + first * kPanel;
        ops->silu_times(gate.as<float>() + at, up.as<float>() + at, (last - first) * kPanel);
      }
    }
    team->barrier();
    {
      const PreparedInput& in = prepare(member, count, &Inputs::wide, {&layer.down},
                                        [&](int64_t row, float*) { return gate.as<float>() + row * wide; });
      const auto [first, last] = team->share(member, layer.down.panels(), 2);
      run(layer.down, in, count, first, last, {x, stride, true});
    }
    team->barrier();
  }

  const int64_t asked = static_cast<int64_t>(wanted.size());
  if (asked == 0) return;
  const PreparedInput& in = prepare(member, asked, &Inputs::hidden, {&lm_head}, [&](int64_t row, float* to) {
    ops->rms_norm(x + wanted[size(row)] * stride, final_norm.data(), epsilon, config.hidden, to);
    return to;
  });
  const auto [first, last] = team->share(member, lm_head.panels(), 2);
  run(lm_head, in, asked, first, last, {logits.as<float>(), lm_head.panels() * kPanel, false});
}

std::vector<float> FastDecoder::Parts::forward(const std::vector<Row>& rows) {
  std::vector<int64_t> wanted;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].wanted) wanted.push_back(static_cast<int64_t>(row));
  }
  const int64_t stride = lm_head.panels() * kPanel;
  const size_t needed = wanted.size() * size(stride) * sizeof(float);
  if (logits.bytes() < needed) logits = Buffer(needed);
  team->run([&](int member) { forward_member(member, rows, wanted); });
  for (const Row& row : rows) cache->advance(row.sequence);
  std::vector<float> out;
  out.reserve(wanted.size() * size(config.vocab));
  for (size_t row = 0; row < wanted.size(); ++row) {
    const float* from = logits.as<float>() + row * size(stride);
    out.insert(out.end(), from, from + config.vocab);
  }
  return out;
}

Status FastDecoder::Parts::check_token(int32_t token) const {
  if (token >= 0 && token < config.vocab) return {};
  return Error{ErrorKind::bad_input,
               "token " + std::to_string(token) + " is outside the vocabulary of " + std::to_string(config.vocab), "",
               "the tokenizer and the model must belong together"};
}

Result<std::vector<float>> FastDecoder::Parts::read(int64_t sequence, const std::vector<int32_t>& tokens, bool all) {
  ASSERT(sequence >= 0 && sequence < cache->sequences());
  if (tokens.empty()) return Error{ErrorKind::bad_input, "there are no tokens to read", "", "give at least one token"};
  const int64_t begin = cache->length(sequence), count = static_cast<int64_t>(tokens.size());
  if (begin + count > max_context) {
    return Error{ErrorKind::bad_input,
                 std::to_string(begin + count) + " tokens do not fit into a context of " + std::to_string(max_context),
                 "", "shorten the prompt or ask for a longer context"};
  }
  for (const int32_t token : tokens) TRY(check_token(token));
  std::vector<float> result;
  for (int64_t at = 0; at < count; at += prefill_rows) {
    std::vector<Row> rows;
    for (int64_t i = at; i < std::min(count, at + prefill_rows); ++i) {
      rows.push_back({sequence, begin + i, tokens[size(i)], all || i == count - 1});
    }
    const std::vector<float> part = forward(rows);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

FastDecoder::FastDecoder() = default;
FastDecoder::FastDecoder(FastDecoder&&) noexcept = default;
FastDecoder& FastDecoder::operator=(FastDecoder&&) noexcept = default;
FastDecoder::~FastDecoder() = default;

Result<FastDecoder> FastDecoder::load(const Model& model, const FastOptions& options) {
  const Wish weights = TRY(wish_of(options.weights, options.group, "weights"));
  const Wish head = TRY(wish_of(options.head, options.group, "head"));
  if (options.cache != "f32" && options.cache != "bf16") {
    return Error{ErrorKind::usage, "\"" + options.cache + "\" is no form of the key-value cache", "cache",
                 "use f32 or bf16"};
  }
  FastDecoder decoder;
  decoder.parts_ = std::make_unique<Parts>();
  Parts& parts = *decoder.parts_;
  parts.config = model.config;
  const ModelConfig& config = parts.config;
  parts.features = options.isa.empty() ? TRY(usable_features()) : TRY(features_up_to(options.isa));
  parts.ops = &ops_for(parts.features);
  if (options.max_context > config.max_position) {
    return Error{ErrorKind::usage,
                 "the model reads " + std::to_string(config.max_position) + " tokens at most, not " +
                     std::to_string(options.max_context),
                 "--max-context", "choose a shorter context"};
  }
  parts.max_context = options.max_context > 0 ? options.max_context : config.max_position;
  parts.prefill_rows = std::max<int64_t>(1, std::min(options.prefill_rows, parts.max_context));

  const Loader load(model, weights);
  for (int64_t index = 0; index < config.layers; ++index) {
    Layer layer = TRY(load_layer(load, config, index));
    for (PackedLinear* linear : {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
      linear->settle(parts.weights);
    }
    parts.layers.push_back(std::move(layer));
  }
  parts.final_norm = TRY(load.vector("model.norm.weight", config.hidden));
  const std::string embeddings = "model.embed_tokens.weight";
  if (config.tied_embeddings) {
    parts.lm_head = TRY(load.linear(embeddings, config.vocab, config.hidden, false, head));
  } else {
    parts.lm_head = TRY(load.linear("lm_head.weight", config.vocab, config.hidden, false, head));
    parts.embeddings = TRY(load.linear(embeddings, config.vocab, config.hidden, false, Wish{}));
  }
  parts.team = std::make_unique<Team>(options.threads);
  parts.cache =
      std::make_unique<KvCache>(KvCache::Shape{std::max<int64_t>(1, options.sequences), config.layers, config.kv_heads,
                                               config.head_dim, parts.max_context, options.cache == "bf16"});
  parts.allocate();
  return decoder;
}

Result<std::vector<float>> FastDecoder::prefill(int64_t sequence, const std::vector<int32_t>& tokens) {
  return parts_->read(sequence, tokens, false);
}

Result<std::vector<float>> FastDecoder::prefill_all(int64_t sequence, const std::vector<int32_t>& tokens) {
  return parts_->read(sequence, tokens, true);
}

Result<std::vector<float>> FastDecoder::step(const std::vector<SequenceToken>& tokens) {
  std::vector<Row> rows;
  std::set<int64_t> seen;
  for (const SequenceToken& next : tokens) {
    ASSERT(next.sequence >= 0 && next.sequence < parts_->cache->sequences() && seen.insert(next.sequence).second);
    TRY(parts_->check_token(next.token));
    const int64_t position = length(next.sequence);
    if (position >= parts_->max_context) {
      return Error{ErrorKind::bad_input, "the context of " + std::to_string(parts_->max_context) + " tokens is full",
                   "", "end the generation or ask for a longer context"};
    }
    rows.push_back({next.sequence, position, next.token, true});
  }
  if (rows.empty()) return std::vector<float>{};
  return parts_->forward(rows);
}

void FastDecoder::forget(int64_t sequence) {
  parts_->cache->forget(sequence);
}
int64_t FastDecoder::length(int64_t sequence) const {
  return parts_->cache->length(sequence);
}
int64_t FastDecoder::vocab() const {
  return parts_->config.vocab;
}
int64_t FastDecoder::max_context() const {
  return parts_->max_context;
}
int FastDecoder::threads() const {
  return parts_->team->size();
}

FastMemory FastDecoder::memory() const {
  const Parts& p = *parts_;
  FastMemory memory;
  for (const Layer& layer : p.layers) {
    for (const PackedLinear* linear : {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
      memory.weights_a_token += linear->bytes();
    }
    for (const auto* norm : {&layer.input_norm, &layer.post_norm, &layer.q_norm, &layer.k_norm}) {
      memory.weights_a_token += norm->size() * sizeof(float);
    }
  }
  memory.weights_a_token += p.lm_head.bytes() + p.final_norm.size() * sizeof(float);
  memory.weights = memory.weights_a_token + (p.embeddings ? p.embeddings->bytes() : 0);
  memory.kv_cache = p.cache->used_bytes();
  for (const Buffer* buffer : {&p.hidden, &p.qkv, &p.mixed, &p.gate, &p.up, &p.logits})
    memory.activations += buffer->bytes();
  const auto inputs = [&](const Parts::Inputs& held) {
    memory.activations += held.hidden.bytes() + held.mixed.bytes() + held.wide.bytes();
  };
  inputs(p.shared);
  for (const Parts::Inputs& held : p.own) inputs(held);
  for (const Buffer& scores : p.scores) memory.activations += scores.bytes();
  return memory;
}

std::string FastDecoder::kernels() const {
  const Parts& p = *parts_;
  std::set<std::string> decode, prefill;
  for (const Layer& layer : p.layers) {
    for (const PackedLinear* linear : {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
      decode.emplace(choose_kernel(linear->kind, 1, p.features).name);
      prefill.emplace(choose_kernel(linear->kind, p.prefill_rows, p.features).name);
    }
  }
  std::string text;
  for (const std::string& kernel : decode) text += (text.empty() ? "" : " + ") + kernel;
  text += " (decode), ";
  std::string many;
  for (const std::string& kernel : prefill) many += (many.empty() ? "" : " + ") + kernel;
  return text + many + " (prefill); head " + std::string(choose_kernel(p.lm_head.kind, 1, p.features).name);
}

}  // namespace tqm::compress
