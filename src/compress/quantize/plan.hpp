// Which linear layers become what: the format asked for, with exceptions by name pattern. Pure: decided before any work
// starts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"

namespace tqm::compress {

struct PlanRequest {
  QuantSpec spec;                                 // of every linear layer of the decoder blocks
  std::vector<std::string> ignore;                // patterns: these stay as they are
  std::vector<std::pair<std::string, int>> bits;  // pattern, bits; the last that fits wins
};

// Canonical weight name → its format; a linear layer that is not in it stays plain. Embeddings, head and norms never
// are.
using Plan = std::map<std::string, QuantSpec>;

struct PlanResult {
  Plan plan;
  std::vector<std::string> warnings;  // what other engines will not take, e.g. q and k in different formats
};

// Refuses a pattern that fits no linear layer (usage), a width that the group does not divide (unsupported), and bits
// other than 3, 4 and 8; activations stay quantised only in layers of 8 bits.
Result<PlanResult> make_plan(const PlanRequest& request, const ModelConfig& config, const WeightSource& weights);

// "*down_proj*" against "model.layers.3.mlp.down_proj.weight": * any characters, ? one; a pattern without * may leave
// ".weight" and "model." away, or be the end of a name after a dot ("down_proj").
bool pattern_fits(std::string_view pattern, std::string_view name);

// What engines load as one matrix and want in one format: qkv, o, gate + up, down of a layer.
enum class UnitKind { qkv, o, gate_up, down };
struct Unit {
  int64_t layer = 0;
  UnitKind kind = UnitKind::qkv;
  std::vector<std::string> names;
  std::string label() const;  // "12.gate+up"
};
std::vector<Unit> units_of(const ModelConfig& config);

// Bits a quantised weight, scales and zero points included, over all linear layers of the blocks (plain ones count 16).
double average_bits(const Plan& plan, const ModelConfig& config, const WeightSource& weights);

}  // namespace tqm::compress
