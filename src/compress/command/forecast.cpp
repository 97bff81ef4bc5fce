#include "compress/command/forecast.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {

struct Needs {
  uint64_t memory = 0, codes = 0;              // bytes
  double quantise_flops = 0, judge_flops = 0;  // the latter for 50 rounds
};

Needs needs_of(const ModelConfig& c, const Plan& plan, int64_t calibration_tokens) {
  Needs needs;
  uint64_t block = 0;
  for (const std::string& name : linear_names(c, 0))
    block += static_cast<uint64_t>(tensor::element_count(shape_of(c, name))) * 4;
  for (const auto& [name, spec] : plan) needs.codes += static_cast<uint64_t>(tensor::element_count(shape_of(c, name)));
  const uint64_t head = static_cast<uint64_t>(c.vocab * c.hidden) * 4;
  const uint64_t hidden = static_cast<uint64_t>(calibration_tokens) *
                          static_cast<uint64_t>(c.hidden + std::max(c.intermediate, c.heads * c.head_dim)) * 4;
  needs.memory = 2 * block + std::max(head, hidden) + (uint64_t{300} << 20);
  const double parameters = static_cast<double>(block) / 4 * static_cast<double>(c.layers);
  needs.quantise_flops = 3 * parameters * static_cast<double>(calibration_tokens) * 2;
  needs.judge_flops = 2 * 50 * kVerdictWindow * 2 * (parameters + static_cast<double>(head) / 4);
  return needs;
}

std::string short_number(double value) {
  return fixed_text(value, value < 10 ? 2 : 1);
}

}  // namespace

WritePlan write_plan(const Plan& plan) {
  WritePlan write;
  write.quantised = plan;
  if (plan.empty()) write.plain_dtype = tensor::DType::f16;
  return write;
}

Result<Forecast> make_forecast(const RunOptions& options, const Model& original, const Plan& plan, const Texts& texts,
                               const Outcome& outcome) {
  const double bits = average_bits(plan, original.config, *original.weights);
  Json json = {{"model", outcome.model_name},
               {"opened_bytes", original.stored_bytes},
               {"bf16_bytes", outcome.bf16_bytes},
               {"format", options.format},
               {"average_bits", bits}};
  std::string text = "model      " + outcome.model_name + ", " + bytes_text(original.stored_bytes) + " as stored, " +
                     bytes_text(outcome.bf16_bytes) + " in bf16\n";
  text += "format     " + options.format + ", " + short_number(bits) + " bits a weight with scales\n";
  uint64_t written = 0;
  for (const std::string& form : options.write) {
    const FileForm* row = TRY(form_named(form));
    const uint64_t bytes = row->weight_bytes(original.config, write_plan(plan));
    written += bytes;
    json["writes"].push_back({{"form", form}, {"bytes", bytes}, {"engines", row->engines(write_plan(plan))}});
    text += "writes     " + form + ", " + bytes_text(bytes) + "; loads in " +
            join(row->engines(write_plan(plan)), ", ") + "\n";
  }
  const int64_t tokens = static_cast<int64_t>(texts.calibration.size()) * options.calibration_length;
  const Needs needs = needs_of(original.config, plan, tokens);
  text += "memory     about " + bytes_text(needs.memory) +
          ": two blocks in f32, the calibration's hidden states, the output layer\n";
  text += "disk       " + bytes_text(written + needs.codes) + " while it runs, " + bytes_text(written) + " kept\n";
  const double flops = TRY(tensor::measured_flops(options.device));
  text += "time       about " + duration_text(needs.quantise_flops / flops) + " to quantise, " +
          duration_text(needs.judge_flops / flops) + " for each 50 rounds of the verdict (50 to " +
          std::to_string(options.rounds) + "; scores of the original are kept), at " + short_number(flops / 1e9) +
          " GFLOP/s now\n";
  text += "text       " + texts.description + ": " + std::to_string(texts.calibration.size()) + " calibration, " +
          std::to_string(texts.repair.size()) + " repair, " + std::to_string(texts.verdict.size()) +
          " verdict windows\n";
  json["memory_bytes"] = needs.memory;
  json["disk_bytes"] = written + needs.codes;
  json["kept_bytes"] = written;
  json["quantise_seconds"] = needs.quantise_flops / flops;
  json["seconds_for_50_rounds"] = needs.judge_flops / flops;
  json["rounds"] = options.rounds;
  json["windows"] = {
      {"calibration", texts.calibration.size()}, {"repair", texts.repair.size()}, {"verdict", texts.verdict.size()}};
  json["warnings"] = outcome.warnings;
  return Forecast{std::move(text), std::move(json)};
}

}  // namespace tqm::compress
