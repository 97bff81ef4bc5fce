// What a run will take and give, worked out before it is started: --dry-run.
#pragma once

#include <string>

#include "base/json.hpp"
#include "base/result.hpp"
#include "compress/command/outcome.hpp"
#include "compress/command/run.hpp"
#include "compress/command/texts.hpp"
#include "compress/format/format.hpp"
#include "compress/model/model.hpp"
#include "compress/quantize/plan.hpp"

namespace tqm::compress {

struct Forecast {
  std::string text;  // for a terminal
  Json json;
};

// outcome: the model's name and sizes and the warnings so far. Times a small multiplication on options.device.
Result<Forecast> make_forecast(const RunOptions& options, const Model& original, const Plan& plan, const Texts& texts,
                               const Outcome& outcome);

// What is written for a mix of formats; an empty one writes f16.
WritePlan write_plan(const Plan& plan);

}  // namespace tqm::compress
