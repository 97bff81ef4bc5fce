// Can this chip work with this number format? One pure function, which compress's gate, port's advice and the tables
// all ask.
#pragma once

#include <string>
#include <vector>

#include "chips/chip.hpp"

namespace tqm::chips {

enum class Answer {
  computes,     // in the format itself
  only_stores,  // weights in the format, unpacked to another one to compute
  refuses,
};

std::string_view name(Answer answer);  // "computes", "only stores", "refuses"

struct Capability {
  Answer answer = Answer::refuses;
  std::string reason;                       // one sentence
  std::optional<NumberFormat> computes_in;  // the format itself, or the one that stored weights are unpacked to
  std::vector<NumberFormat> nearest;        // where refused: those that do work, best first, at most three
};

Capability capability(const Chip& chip, NumberFormat format);

}  // namespace tqm::chips
