#include "compress/quantize/repair.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <algorithm>
#include <c10/core/InferenceMode.h>
#include <map>
#include <set>

#include "compress/quantize/overlay.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

uint64_t bytes_of(const QuantSpec& spec, int64_t rows, int64_t columns) {
  const int64_t groups = spec.group ? columns / spec.group : 1;
  return static_cast<uint64_t>((rows * columns * spec.bits + rows * groups * (16 + (spec.symmetric ? 0 : spec.bits))) /
                               8);
}

QuantSpec raised(QuantSpec spec) {
  spec.bits = 8;
  return spec;
}

struct Trial {
  Unit unit;
  at::Tensor hidden;
  uint64_t added_bytes = 0;
};

}  // namespace

Result<std::vector<UnitGain>> measure_units(const Model& original, const Model& compressed, const Plan& plan,
                                            const std::function<Result<QuantTensor>(const std::string&)>& restored,
                                            const std::vector<std::vector<int32_t>>& windows,
                                            const PlainOptions& options, task::Session& session) {
  c10::InferenceMode no_gradients;
  const ModelConfig& config = original.config;
  std::map<int64_t, std::vector<Unit>> by_layer;
  for (Unit& unit : units_of(config))
    if (std::any_of(unit.names.begin(), unit.names.end(), [&](const std::string& name) {
          auto it = plan.find(name);
          return it != plan.end() && it->second.bits < 8;
        }))
      by_layer[unit.layer].push_back(std::move(unit));

  at::Tensor base = TRY(embed(original, windows, options));
  at::Tensor reference = base;
  std::vector<Trial> trials;
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    TRY(session.check_stop());
    session.progress("measure what each part costs", layer, config.layers, "blocks");
    const std::string where = "block " + std::to_string(layer);
    {
      PlainBlock block = TRY(PlainBlock::load(original, layer, options));
      TRY(tensor::guard(where, [&] { reference = block.forward(reference); }));
    }
    PlainBlock block = TRY(PlainBlock::load(compressed, layer, options));
    TRY(tensor::guard(where, [&] {
      for (Trial& trial : trials) trial.hidden = block.forward(trial.hidden);
    }));
    for (const Unit& unit : by_layer[layer]) {
      Trial trial{unit, {}, 0};
      for (const std::string& name : unit.names) {
        auto it = plan.find(name);
        if (it == plan.end()) continue;
        QuantTensor tensor = TRY(restored(name));
        trial.added_bytes +=
            bytes_of(tensor.spec, tensor.rows, tensor.columns) - bytes_of(it->second, tensor.rows, tensor.columns);
        TRY(tensor::guard(where, [&] { block.replace(name, tensor); }));
      }
      TRY(tensor::guard(where, [&] { trial.hidden = block.forward(base); }));
      trials.push_back(std::move(trial));
      for (const std::string& name : unit.names) {
        if (!plan.contains(name)) continue;
        Weight weight = TRY(compressed.weights->load(name));
        TRY(tensor::guard(where, [&] { block.replace(name, weight); }));
      }
    }
    TRY(tensor::guard(where, [&] { base = block.forward(base); }));
  }

  PlainHead head = TRY(PlainHead::load(original, options));
  std::vector<at::Tensor> hidden{base};
  for (Trial& trial : trials) hidden.push_back(std::move(trial.hidden));
  const auto scores = TRY(head.scores(hidden, reference, windows, [&](int64_t done, int64_t total) -> Status {
    session.progress("compare with the original", done, total, "pieces");
    return session.check_stop();
  }));
  auto mean_of = [](const std::vector<WindowScore>& all) {
    double kl = 0, nll = 0, count = 0;
    for (const WindowScore& score : all)
      for (size_t i = 0; i < score.nll.size(); ++i) {
        kl += score.kl[i];
        nll += score.nll[i];
        ++count;
      }
    return std::pair(kl / count, nll / count);
  };
  const auto [base_kl, base_nll] = mean_of(scores[0]);
  std::vector<UnitGain> gains;
  for (size_t i = 0; i < trials.size(); ++i) {
    const auto [kl, nll] = mean_of(scores[i + 1]);
    gains.push_back({std::move(trials[i].unit), base_kl - kl, base_nll - nll, trials[i].added_bytes});
  }
  return gains;
}

std::vector<UnitGain> order_by_gain(std::vector<UnitGain> gains) {
  std::stable_sort(gains.begin(), gains.end(), [](const UnitGain& a, const UnitGain& b) {
    return a.kl_gain / static_cast<double>(std::max<uint64_t>(1, a.added_bytes)) >
           b.kl_gain / static_cast<double>(std::max<uint64_t>(1, b.added_bytes));
  });
  return gains;
}

Plan raise_units(const Plan& plan, const std::vector<UnitGain>& by_gain, size_t count) {
  Plan mixed = plan;
  for (size_t i = 0; i < count && i < by_gain.size(); ++i)
    for (const std::string& name : by_gain[i].unit.names)
      if (auto it = mixed.find(name); it != mixed.end()) it->second = raised(it->second);
  return mixed;
}

Result<RepairChoice> choose_count(size_t units, double target, double loss_of_none,
                                  const std::function<Result<double>(size_t)>& loss_of, int tries) {
  RepairChoice choice{units, 0, {{0, loss_of_none}}};
  size_t low = 0, high = units;  // low loses too much; high is thought to be enough
  bool high_measured = false;
  double high_loss = 0;
  for (int i = 0; i < tries && high - low > 1; ++i) {
    const size_t middle = low + (high - low) / 2;
    const double loss = TRY(loss_of(middle));
    choice.tried.emplace_back(middle, loss);
    if (loss <= target) {
      high = middle;
      high_loss = loss;
      high_measured = true;
    } else {
      low = middle;
    }
  }
  if (!high_measured) {
    high_loss = TRY(loss_of(high));
    choice.tried.emplace_back(high, high_loss);
  }
  choice.count = high;
  choice.loss = high_loss;
  return choice;
}

}  // namespace tqm::compress
