// Faults planted in a translation, one a mutant, to see whether verification finds them.
//
// Each is a slip that a translator could make: a bound one off, a stride one off, a tail not cut, a sync left out, one
// operand for another, a mask turned round. A mutant compiles as a rule; one that can't be told from the original by
// any input is possible (a bound that nothing reaches), so survivors are listed for a person.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tqm::port {

enum class Slip : std::uint8_t { bound, stride, tail, sync, operand, mask };
std::string_view name(Slip slip);

struct Mutant {
  Slip slip = Slip::bound;
  int line = 0;               // of the whole text, from 1
  std::string before, after;  // that line, without indent
  std::string text;           // the whole text
};

// All of the lines first_line to last_line, by line and then by slip. Comments and preprocessor lines are left alone.
std::vector<Mutant> mutants(const std::string& text, int first_line, int last_line);

}  // namespace tqm::port
