#include "compress/quantize/blocks.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/sum.h>
#include <algorithm>
#include <c10/core/InferenceMode.h>
#include <cmath>
#include <cstdio>

#include "base/clock.hpp"
#include "compress/quantize/layer_file.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

std::string layer_file(int64_t layer) {
  char text[40];
  std::snprintf(text, sizeof text, "layer-%05lld.safetensors", static_cast<long long>(layer));
  return text;
}
std::string hidden_file(int64_t layer) {
  char text[40];
  std::snprintf(text, sizeof text, "hidden-%05lld.safetensors", static_cast<long long>(layer));
  return text;
}

Json to_json(const LinearRecord& record) {
  return {{"name", record.name},
          {"bits", record.spec.bits},
          {"group", record.spec.group},
          {"symmetric", record.spec.symmetric},
          {"quantize_activations", record.spec.quantize_activations},
          {"relative_error", record.relative_error},
          {"nearest_error", record.nearest_error},
          {"damping", record.damping},
          {"dead_columns", record.dead_columns},
          {"fell_back", record.fell_back}};
}

LinearRecord record_of(const Json& json) {
  LinearRecord record;
  record.name = json.value("name", "");
  record.spec = {json.value("bits", 8), json.value("group", 0), json.value("symmetric", true),
                 json.value("quantize_activations", false)};
  record.relative_error = json.value("relative_error", 0.0);
  record.nearest_error = json.value("nearest_error", 0.0);
  record.damping = json.value("damping", 0.0);
  record.dead_columns = json.value("dead_columns", int64_t{0});
  record.fell_back = json.value("fell_back", false);
  return record;
}

// |W − Ŵ|² / |W|².
double weight_error(const QuantTensor& tensor, const float* values) {
  double lost = 0, whole = 0;
  std::vector<float> row(static_cast<size_t>(tensor.columns));
  for (int64_t r = 0; r < tensor.rows; ++r) {
    tensor.dequantize_row(r, row.data());
    const float* line = values + r * tensor.columns;
    for (size_t c = 0; c < row.size(); ++c) {
      lost += (row[c] - line[c]) * (row[c] - line[c]);
      whole += line[c] * line[c];
    }
  }
  return whole > 0 ? lost / whole : 0;
}

using LayerTensors = std::vector<std::pair<std::string, QuantTensor>>;

struct Work {
  const Model& model;
  const Plan& plan;
  const BlocksOptions& options;
  task::CheckpointFolder& checkpoint;
  task::Session& session;
  std::vector<at::Tensor> hidden;  // a batch each: f32 [windows, length, hidden]

  std::optional<QuantSpec> planned(const std::string& name) const {
    auto it = plan.find(name);
    return it == plan.end() ? std::nullopt : std::optional(it->second);
  }

  Status start_hidden(const std::vector<std::vector<int32_t>>& windows) {
    const size_t length = windows[0].size();
    const size_t batch = std::max<size_t>(1, static_cast<size_t>(options.plain.rows_per_step) / length);
    for (size_t at = 0; at < windows.size(); at += batch) {
      std::vector<std::vector<int32_t>> some(
          windows.begin() + static_cast<int64_t>(at),
          windows.begin() + static_cast<int64_t>(std::min(at + batch, windows.size())));
      hidden.push_back(TRY(embed(model, some, options.plain)));
    }
    return {};
  }

  Status check_finite(int64_t layer) const {
    for (const at::Tensor& batch : hidden)
      if (!std::isfinite(batch.sum().item<double>()))
        return Error{ErrorKind::breakdown, "the activations are no longer numbers after block " + std::to_string(layer),
                     model.path.string(), "check the original model with evaluate; calibrate on other text"};
    return {};
  }

  // Hessian, GPTQ and replacement of layers that share one input.
  void quantize_together(PlainBlock& block, const std::vector<std::string>& names, Hessian& hessian, LayerTensors& made,
                         std::vector<LinearRecord>& records) const {
    at::Tensor matrix;
    for (const std::string& name : names) {
      std::optional<QuantSpec> spec = planned(name);
      if (!spec) continue;
      if (!matrix.defined()) matrix = hessian.matrix().cpu();
      GptqResult result = gptq(*spec, block.weight(name).cpu().contiguous(), matrix, options.gptq);
      if (result.fell_back)
        session.warning(name + ": no damping made the calibration's second moments invertible; rounded to nearest");
      records.push_back({name, *spec, result.relative_error, result.nearest_error, result.damping, result.dead_columns,
                         result.fell_back});
      block.replace(name, result.tensor);
      made.emplace_back(name, std::move(result.tensor));
    }
  }

  bool any_planned(const std::vector<std::string>& names) const {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return planned(name).has_value(); });
  }

  // The block's four stages in turn over all batches; hidden goes from the block's input to its output.
  void gptq_block(PlainBlock& block, int64_t layer, LayerTensors& made, std::vector<LinearRecord>& records) {
    const std::vector<std::string> n = linear_names(model.config, layer);
    auto rows = [](const at::Tensor& t) { return t.reshape({-1, t.size(-1)}); };
    // A stage: what its layers read, seen by their Hessian; then they are quantised.
    auto stage = [&](const std::vector<std::string>& names, const auto& input_of) {
      std::unique_ptr<Hessian> hessian;
      const bool wanted = any_planned(names);
      for (size_t i = 0; i < hidden.size(); ++i) {
        at::Tensor input = input_of(i);
        if (!wanted) continue;
        if (!hessian) hessian = std::make_unique<Hessian>(input.size(-1));
        hessian->add(rows(input));
      }
      if (wanted) quantize_together(block, names, *hessian, made, records);
    };
    auto kept_or = [&](std::vector<at::Tensor>& kept, size_t i, const auto& make) {
      if (kept[i].defined()) return kept[i];
      at::Tensor made_now = make();
      if (static_cast<uint64_t>(made_now.numel()) * 4 * hidden.size() <= options.scratch_bytes) kept[i] = made_now;
      return made_now;
    };
    std::vector<at::Tensor> context(hidden.size()), gated(hidden.size());
    auto context_of = [&](size_t i) {
      return kept_or(context, i, [&] { return block.attention_context(block.attention_input(hidden[i])); });
    };
    auto gated_of = [&](size_t i) {
      return kept_or(gated, i, [&] { return block.mlp_gated(block.mlp_input(hidden[i])); });
    };
    stage({n[0], n[1], n[2]}, [&](size_t i) { return block.attention_input(hidden[i]); });
    stage({n[3]}, context_of);
    for (size_t i = 0; i < hidden.size(); ++i) {
      hidden[i] = block.add_attention(hidden[i], context_of(i));
      context[i] = at::Tensor();
    }
    stage({n[4], n[5]}, [&](size_t i) { return block.mlp_input(hidden[i]); });
    stage({n[6]}, gated_of);
    for (size_t i = 0; i < hidden.size(); ++i) {
      hidden[i] = block.add_mlp(hidden[i], gated_of(i));
      gated[i] = at::Tensor();
    }
  }

  Status rtn_layer(int64_t layer, LayerTensors& made, std::vector<LinearRecord>& records) const {
    for (const std::string& name : linear_names(model.config, layer)) {
      std::optional<QuantSpec> spec = planned(name);
      if (!spec) continue;
      Weight weight = TRY(model.weights->load(name));
      tensor::HostTensor values = plain(weight);
      QuantTensor tensor =
          round_to_nearest(*spec, values.f32(), values.shape[0], values.shape[1], options.gptq.scale_rule);
      const double error = weight_error(tensor, values.f32());
      records.push_back({name, *spec, error, error, 0, 0, false});
      made.emplace_back(name, std::move(tensor));
      model.weights->release(name);
    }
    return {};
  }

  // A block as an earlier run left it: its quantised weights in place.
  Status pass_again(int64_t layer) {
    PlainBlock block = TRY(PlainBlock::load(model, layer, options.plain));
    for (const std::string& name : linear_names(model.config, layer)) {
      if (!planned(name)) continue;
      QuantTensor tensor = TRY(load_quantized(checkpoint, name, layer));
      TRY(tensor::guard("block " + std::to_string(layer), [&] { block.replace(name, tensor); }));
    }
    return tensor::guard("block " + std::to_string(layer), [&] {
      for (at::Tensor& batch : hidden) batch = block.forward(batch);
    });
  }
};

}  // namespace

Result<QuantTensor> load_quantized(const task::CheckpointFolder& checkpoint, const std::string& name, int64_t layer) {
  return read_layer_tensor(checkpoint.path(layer_file(layer)), name);
}

Result<std::vector<LinearRecord>> quantize_blocks(const Model& model, const Plan& plan,
                                                  const std::vector<std::vector<int32_t>>& windows,
                                                  const BlocksOptions& options, task::CheckpointFolder& checkpoint,
                                                  task::Session& session) {
  c10::InferenceMode no_gradients;
  Work work{model, plan, options, checkpoint, session, {}};
  const int64_t layers = model.config.layers;
  const Clock& clock = system_clock();
  Json state = checkpoint.state().is_object() ? checkpoint.state() : Json::object();
  int64_t done = state.value("layers_done", int64_t{0});
  std::vector<LinearRecord> records;
  for (const Json& record : state.value("records", Json::array())) records.push_back(record_of(record));
  if (done >= layers) return records;

  std::string kept_hidden = state.value("hidden_file", "");
  if (options.method == Method::gptq) {
    if (windows.empty())
      return Error{ErrorKind::usage, "GPTQ needs calibration text", "--calibration",
                   "name a text file, or use --method rtn"};
    int64_t from = 0;
    if (!kept_hidden.empty()) {
      from = state.value("hidden_layer", int64_t{0});
      work.hidden = TRY(read_hidden(checkpoint.path(kept_hidden), options.plain.device));
    } else {
      TRY(work.start_hidden(windows));
    }
    for (int64_t layer = from; layer < done; ++layer) {
      TRY(session.check_stop());
      session.progress("going on: calibration tokens through finished blocks", layer - from, done - from, "blocks");
      TRY(work.pass_again(layer));
    }
  }

  int64_t hidden_saved_ns = clock.monotonic_ns();
  for (int64_t layer = done; layer < layers; ++layer) {
    TRY(session.check_stop());
    session.progress("quantise", layer, layers, "blocks");
    LayerTensors made;
    if (options.method == Method::rtn) {
      TRY(work.rtn_layer(layer, made, records));
    } else {
      PlainBlock block = TRY(PlainBlock::load(model, layer, options.plain));
      TRY(tensor::guard("block " + std::to_string(layer), [&] { work.gptq_block(block, layer, made, records); }));
      TRY(work.check_finite(layer));
    }
    std::vector<std::string> add{layer_file(layer)}, drop;
    TRY(write_layer(checkpoint.path(layer_file(layer)), made));
    if (options.method == Method::gptq && layer + 1 < layers &&
        seconds_between(hidden_saved_ns, clock.monotonic_ns()) >= options.hidden_interval_seconds) {
      const std::string name = hidden_file(layer + 1);
      TRY(write_hidden(checkpoint.path(name), work.hidden));
      if (!kept_hidden.empty()) drop.push_back(kept_hidden);
      kept_hidden = name;
      add.push_back(name);
      state["hidden_file"] = name;
      state["hidden_layer"] = layer + 1;
      hidden_saved_ns = clock.monotonic_ns();
    }
    if (layer + 1 == layers && !kept_hidden.empty()) {
      drop.push_back(kept_hidden);
      state.erase("hidden_file");
      state.erase("hidden_layer");
    }
    state["layers_done"] = layer + 1;
    state["records"] = Json::array();
    for (const LinearRecord& record : records) state["records"].push_back(to_json(record));
    TRY(checkpoint.commit(add, state, drop));
  }
  session.progress("quantise", layers, layers, "blocks");
  return records;
}

}  // namespace tqm::compress
