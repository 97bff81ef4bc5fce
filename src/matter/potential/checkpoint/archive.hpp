// The members of a ZIP archive that stores them as they are, which is all that torch.save makes.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "base/result.hpp"

namespace tqm::matter {

// Name to content, the folder that all members stand in taken off ("data.pkl", "data/0"). Views into bytes.
Result<std::map<std::string, std::span<const std::byte>>> stored_members(std::span<const std::byte> bytes,
                                                                         const std::string& where);

}  // namespace tqm::matter
