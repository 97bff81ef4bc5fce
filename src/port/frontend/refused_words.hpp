// Why a line that Clang could not make sense of would be refused if it could: a texture, a copy pipeline, an exception,
// a launch. Its name and number say more to a user than that something is unknown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tqm::port {

struct RefusedWord {
  int number = 0;
  std::string reason;
};

// The first such word of the line.
std::optional<RefusedWord> refused_word(std::string_view line);

}  // namespace tqm::port
