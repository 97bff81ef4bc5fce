// Shell completion: a script for each shell that asks the program itself which words may follow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tqm::front {

Result<std::string> completion_script(std::string_view shell);  // bash, zsh, fish

// The front's own words for a command line whose last word is half typed: see cli::complete for those below.
std::vector<std::string> complete_own(const std::vector<std::string>& typed);

}  // namespace tqm::front
