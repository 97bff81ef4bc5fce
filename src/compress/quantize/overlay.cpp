#include "compress/quantize/overlay.hpp"

#include <charconv>

#include "compress/quantize/blocks.hpp"
#include "compress/quantize/round.hpp"

namespace tqm::compress {
namespace {

class Overlay : public WeightSource {
 public:
  Overlay(std::shared_ptr<WeightSource> under, Replacement replacement)
      : under_(std::move(under)), replacement_(std::move(replacement)) {}
  const std::vector<TensorInfo>& tensors() const override { return under_->tensors(); }
  bool has(const std::string& name) const override { return under_->has(name); }
  Result<Weight> load(const std::string& name) const override {
    std::optional<Weight> other = TRY(replacement_(name));
    if (other) return std::move(*other);
    return under_->load(name);
  }
  void release(const std::string& name) const override { under_->release(name); }

 private:
  std::shared_ptr<WeightSource> under_;
  Replacement replacement_;
};

}  // namespace

Model overlay(const Model& original, Replacement replacement) {
  Model model = original;
  model.weights = std::make_shared<Overlay>(original.weights, std::move(replacement));
  return model;
}

int64_t layer_of(const std::string& name) {
  constexpr std::string_view kPrefix = "model.layers.";
  if (!name.starts_with(kPrefix)) return -1;
  int64_t layer = -1;
  const char* end = name.data() + name.size();
  auto [at, code] = std::from_chars(name.data() + kPrefix.size(), end, layer);
  return code == std::errc() && at != end && *at == '.' ? layer : -1;
}

Result<QuantTensor> rounded(const Model& original, const std::string& name, const QuantSpec& spec) {
  Weight weight = TRY(original.weights->load(name));
  tensor::HostTensor values = plain(weight);
  QuantTensor tensor = round_to_nearest(spec, values.f32(), values.shape[0], values.shape[1], ScaleRule::mse);
  original.weights->release(name);
  return tensor;
}

Replacement quantized_weights(const Model& original, const Plan& made, const Plan& wanted,
                              const task::CheckpointFolder& checkpoint) {
  return [&original, made, wanted, &checkpoint](const std::string& name) -> Result<std::optional<Weight>> {
    auto want = wanted.find(name);
    if (want == wanted.end()) return std::optional<Weight>();
    auto have = made.find(name);
    if (have != made.end() && have->second == want->second) {
      QuantTensor tensor = TRY(load_quantized(checkpoint, name, layer_of(name)));
      return std::optional<Weight>(std::move(tensor));
    }
    QuantTensor tensor = TRY(rounded(original, name, want->second));
    return std::optional<Weight>(std::move(tensor));
  };
}

}  // namespace tqm::compress
