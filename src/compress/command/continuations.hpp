// The same beginnings continued greedily by original and result: what a person reads beside the figures. Each model in
// a process of its own, so that the run's memory does not grow with the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"
#include "task/session.hpp"

namespace tqm::compress {

// A prompt's tokens as the model wants to begin.
std::vector<int32_t> prompt_tokens(const Model& model, const std::string& prompt);

// One text a prompt, by this program's own hidden command `continuations`. tokenizer: of a llama2.c file, else empty.
Result<std::vector<std::string>> continue_in_child(const std::filesystem::path& model,
                                                   const std::filesystem::path& tokenizer,
                                                   const std::vector<std::string>& prompts, int threads,
                                                   const task::Session& session);

// What the child does. A prompt that leaves no room in the model's context is continued by nothing.
Result<std::vector<std::string>> continue_prompts(const Model& model, const std::vector<std::string>& prompts,
                                                  int threads);

}  // namespace tqm::compress
