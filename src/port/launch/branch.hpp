// Conditions of a kernel, and which of their outcomes a run saw.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tqm::port {

// Where an outcome leads.
enum class Outcome : std::uint8_t {
  code,   // to statements that nothing else leads to
  empty,  // on, past statements: an if without else, the end of a loop
  never,  // to a trap or a failed assert, or nowhere: the compiler has shown that no input takes it
};

struct Branch {
  std::size_t id = 0;  // the same in every run of one side
  std::string file;
  int line = 0, column = 0;
  bool label = false;                                          // of a switch: true is that the value goes there
  std::array<Outcome, 2> leads{Outcome::code, Outcome::code};  // false, true
  std::array<bool, 2> seen{false, false};
};

}  // namespace tqm::port
