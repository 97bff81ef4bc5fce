// What is to be expected of a kernel before it is translated: its tier with the reason, and what is left for a person.
// A guess from what the source uses; the tier that counts is computed from the code that the translation gives.
#pragma once

#include <string>
#include <vector>

#include "port/diagnostics/diagnostics.hpp"
#include "port/frontend/program.hpp"

namespace tqm::port {

enum class Tier {
  a,     // an idiom: reduction, softmax, normalisation, matrix product, transpose
  b,     // vector code
  c,     // scalar code on on-chip memory
  d,     // scalar code on the card's memory
  none,  // refused, or there is nothing to translate
};
std::string_view name(Tier tier);  // "A" to "D", "none"

struct Expectation {
  Tier tier = Tier::none;
  std::string reason;
  std::vector<Diagnostic> diagnostics;  // by line
};

// by_words: the facts are words of the source, not Clang's.
Expectation expect(const Kernel& kernel, bool by_words);

}  // namespace tqm::port
