#include "compress/quantize/plan.hpp"

#include <fnmatch.h>

#include "compress/quantize/round.hpp"

namespace tqm::compress {
namespace {

std::map<std::string, std::vector<int64_t>> shapes_of(const WeightSource& weights) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const TensorInfo& info : weights.tensors()) shapes[info.name] = info.shape;
  return shapes;
}

bool fits_whole(std::string_view pattern, std::string_view name) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

}  // namespace

bool pattern_fits(std::string_view pattern, std::string_view name) {
  if (fits_whole(pattern, name)) return true;
  if (name.ends_with(".weight")) name.remove_suffix(7);
  if (fits_whole(pattern, name)) return true;
  if (name.starts_with("model.") && fits_whole(pattern, name.substr(6))) return true;
  return name.ends_with("." + std::string(pattern));
}

std::string Unit::label() const {
  const char* kinds[] = {"qkv", "o", "gate+up", "down"};
  return std::to_string(layer) + "." + kinds[static_cast<size_t>(kind)];
}

std::vector<Unit> units_of(const ModelConfig& config) {
  std::vector<Unit> units;
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    std::vector<std::string> n = linear_names(config, layer);
    units.push_back({layer, UnitKind::qkv, {n[0], n[1], n[2]}});
    units.push_back({layer, UnitKind::o, {n[3]}});
    units.push_back({layer, UnitKind::gate_up, {n[4], n[5]}});
    units.push_back({layer, UnitKind::down, {n[6]}});
  }
  return units;
}

Result<PlanResult> make_plan(const PlanRequest& request, const ModelConfig& config, const WeightSource& weights) {
  for (const auto& [pattern, bits] : request.bits)
    if (bits != 3 && bits != 4 && bits != 8)
      return Error{ErrorKind::usage, std::to_string(bits) + " bits are not offered",
                   "--bits " + pattern + "=" + std::to_string(bits),
                   "use 8, 4 or 3; or --ignore to leave a layer as it is"};
  const auto shapes = shapes_of(weights);
  std::vector<bool> ignore_used(request.ignore.size()), bits_used(request.bits.size());
  PlanResult result;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    for (const std::string& name : linear_names(config, layer)) {
      QuantSpec spec = request.spec;
      for (size_t i = 0; i < request.bits.size(); ++i)
        if (pattern_fits(request.bits[i].first, name)) {
          spec.bits = request.bits[i].second;
          if (spec.bits != 8) spec.quantize_activations = false;
          bits_used[i] = true;
        }
      bool ignored = false;
      for (size_t i = 0; i < request.ignore.size(); ++i)
        if (pattern_fits(request.ignore[i], name)) ignored = ignore_used[i] = true;
      if (ignored) continue;
      auto shape = shapes.find(name);
      if (shape == shapes.end() || shape->second.size() != 2)
        return Error{ErrorKind::bad_input, "the model has no matrix of this name", name,
                     "check that the file is whole"};
      TRY(check_group(spec, shape->second[1], name));
      result.plan[name] = spec;
    }
  auto unused = [&](const std::string& flag, const std::string& pattern) {
    return Error{ErrorKind::usage, "no linear layer has a name that fits", flag + " " + pattern,
                 "names look like model.layers.0.self_attn.q_proj, …mlp.down_proj; patterns may hold * and ?"};
  };
  for (size_t i = 0; i < request.ignore.size(); ++i)
    if (!ignore_used[i]) return unused("--ignore", request.ignore[i]);
  for (size_t i = 0; i < request.bits.size(); ++i)
    if (!bits_used[i]) return unused("--bits", request.bits[i].first);
  if (result.plan.empty())
    return Error{ErrorKind::usage, "every linear layer is ignored, nothing is left to quantise", "--ignore",
                 "leave some out"};

  for (const Unit& unit : units_of(config)) {
    auto spec_of = [&](const std::string& name) -> std::optional<QuantSpec> {
      auto it = result.plan.find(name);
      return it == result.plan.end() ? std::nullopt : std::optional(it->second);
    };
    for (const std::string& name : unit.names)
      if (spec_of(name) != spec_of(unit.names[0])) {
        result.warnings.push_back("layer " + unit.label() +
                                  " mixes formats inside one fused matrix: vLLM refuses that, transformers loads it");
        break;
      }
  }
  return result;
}

double average_bits(const Plan& plan, const ModelConfig& config, const WeightSource& weights) {
  const auto shapes = shapes_of(weights);
  double bits = 0, count = 0;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    for (const std::string& name : linear_names(config, layer)) {
      auto shape = shapes.find(name);
      if (shape == shapes.end()) continue;
      const double n = static_cast<double>(tensor::element_count(shape->second));
      count += n;
      auto it = plan.find(name);
      if (it == plan.end()) {
        bits += 16 * n;
        continue;
      }
      const QuantSpec& spec = it->second;
      const double width = static_cast<double>(spec.group ? spec.group : shape->second[1]);
      bits += n * (spec.bits + (16.0 + (spec.symmetric ? 0 : spec.bits)) / width);
    }
  return count > 0 ? bits / count : 0;
}

}  // namespace tqm::compress
