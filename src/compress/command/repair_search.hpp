// How much of a model goes back to 8 bits: what each part costs and what mixes lose, on the repair windows alone.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "compress/command/outcome.hpp"
#include "compress/command/texts.hpp"
#include "compress/evaluate/baseline.hpp"
#include "compress/model/model.hpp"
#include "compress/quantize/plan.hpp"
#include "compress/quantize/repair.hpp"
#include "compress/runtime/plain_decoder.hpp"
#include "task/checkpoint.hpp"
#include "task/session.hpp"

namespace tqm::compress {

class RepairSearch {
 public:
  // The parts in order of what they gain a byte, and the losses of the mixes tried, are put into outcome. All must
  // outlive the search. windows: eight at least.
  static Result<RepairSearch> start(const Model& original, const Plan& plan, const Windows& windows,
                                    const PlainOptions& plain, const task::CheckpointFolder& checkpoint,
                                    Baseline& baseline, task::Session& session, Outcome& outcome);

  // The fewest parts whose mix loses at most target here, but more than the last time; all where none does.
  Result<RepairChoice> next(double target);
  // Nothing is left to put back after the last choice.
  bool exhausted() const { return last_ >= outcome_->gains.size(); }
  // For honesty: what one format for all, at the size of this mix, would have lost (no engine may load it).
  Status compare_uniform(const QuantSpec& spec, double mix_bits);

 private:
  RepairSearch(const Model& original, const Plan& plan, const PlainOptions& plain,
               const task::CheckpointFolder& checkpoint, task::Session& session, Outcome& outcome)
      : original_(&original),
        plan_(&plan),
        plain_(&plain),
        checkpoint_(&checkpoint),
        session_(&session),
        outcome_(&outcome) {}
  Result<double> loss_of(size_t count);
  Result<double> loss_beside_original(const Model& mixed);

  const Model* original_;
  const Plan* plan_;
  const PlainOptions* plain_;
  const task::CheckpointFolder* checkpoint_;
  task::Session* session_;
  Outcome* outcome_;
  Windows windows_;  // that choose how many
  double original_nll_ = 0;
  size_t last_ = 0;
};

}  // namespace tqm::compress
