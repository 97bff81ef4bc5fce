// The pass over the decoder blocks: each block's linear layers are quantised in the order they run, each on the inputs
// that the layers already quantised before it give ("true sequential"), in one forward pass in all. One block and the
// calibration tokens' hidden states are in memory, whatever the number of blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"
#include "compress/quantize/gptq.hpp"
#include "compress/quantize/plan.hpp"
#include "compress/runtime/plain_decoder.hpp"
#include "task/checkpoint.hpp"
#include "task/session.hpp"

namespace tqm::compress {

enum class Method { rtn, gptq };

struct BlocksOptions {
  Method method = Method::gptq;
  GptqOptions gptq;  // its scale_rule serves round to nearest too
  PlainOptions plain;
  double hidden_interval_seconds =
      60;  // how often the hidden states join the checkpoint; between, they are worked out again
  uint64_t scratch_bytes = uint64_t{2} << 30;  // a stage's outputs are kept up to this, beyond it computed twice
};

// What happened to one linear layer.
struct LinearRecord {
  std::string name;
  QuantSpec spec;
  double relative_error =
      0;  // of the layer's output on the calibration inputs (GPTQ), of its weights (round to nearest)
  double nearest_error = 0;  // round to nearest on the same grid
  double damping = 0;
  int64_t dead_columns = 0;
  bool fell_back = false;
};

// Quantises what the plan names, block by block, committing each to the checkpoint; goes on after the last one
// committed. The bytes are the same whether it was stopped or not, at one thread count. windows: calibration tokens,
// all of one length; may be empty for rtn. Errors: stopped; breakdown (an activation is not a number); what the readers
// say.
Result<std::vector<LinearRecord>> quantize_blocks(const Model& model, const Plan& plan,
                                                  const std::vector<std::vector<int32_t>>& windows,
                                                  const BlocksOptions& options, task::CheckpointFolder& checkpoint,
                                                  task::Session& session);

// A weight as the checkpoint holds it after quantize_blocks (the plan names it).
Result<QuantTensor> load_quantized(const task::CheckpointFolder& checkpoint, const std::string& name, int64_t layer);

}  // namespace tqm::compress
