// The comment line of extended XYZ: key=value, key="a value with blanks", key={…} or [[…], […]], and bare keys, which
// are true.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tqm::matter {

// In the order of the line. A bare key has the value "T". What has no = after quotes is a bare key too: nothing is
// refused here.
std::vector<std::pair<std::string, std::string>> key_values_of(std::string_view line);
// The value as it must be written: quoted where it has blanks, quotes, = or is empty.
std::string quoted_value(std::string_view value);

}  // namespace tqm::matter
