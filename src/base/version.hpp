// The version of Torquetum, set once in the root CMakeLists.txt.
#pragma once

#include <string_view>

namespace tqm {

std::string_view version();

}  // namespace tqm
