// Repair: the units (qkv, o, gate + up, down: what engines load as one matrix) that cost the most go back from their
// few bits to 8. What a unit costs is measured, not summed up from its weights: the compressed model with that one unit
// put back reads the repair windows, and the fall of its divergence from the original, KL(original ‖ compressed) a
// token, is the unit's gain. KL is used for the order because its noise falls with the divergence itself, where a
// difference of losses needs tens of thousands of tokens; the loss of the mix as a whole is then measured as the
// verdict measures it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"
#include "compress/quantize/plan.hpp"
#include "compress/runtime/plain_decoder.hpp"
#include "task/session.hpp"

namespace tqm::compress {

struct UnitGain {
  Unit unit;
  double kl_gain = 0;        // nats a token
  double nll_gain = 0;       // nats a token, the same windows
  uint64_t added_bytes = 0;  // of weights and scales, going to 8 bits
};

// compressed: the model as quantised. restored(name): the weight at 8 bits. Only units below 8 bits in plan are tried.
// One forward pass over the blocks in all: every trial's hidden states go along with it (windows' tokens × hidden × 4
// bytes each).
Result<std::vector<UnitGain>> measure_units(const Model& original, const Model& compressed, const Plan& plan,
                                            const std::function<Result<QuantTensor>(const std::string&)>& restored,
                                            const std::vector<std::vector<int32_t>>& windows,
                                            const PlainOptions& options, task::Session& session);

// The plan with the first count units, by gain a byte, at 8 bits. Activations are quantised as before.
Plan raise_units(const Plan& plan, const std::vector<UnitGain>& by_gain, size_t count);
std::vector<UnitGain> order_by_gain(std::vector<UnitGain> gains);

// The fewest units whose mix loses at most target on the repair windows, by bisection over loss_of (count → measured
// loss); all of them where none does. At most tries measurements.
struct RepairChoice {
  size_t count = 0;
  double loss = 0;
  std::vector<std::pair<size_t, double>> tried;
};
Result<RepairChoice> choose_count(size_t units, double target, double loss_of_none,
                                  const std::function<Result<double>(size_t)>& loss_of, int tries = 6);

}  // namespace tqm::compress
