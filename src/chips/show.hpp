// The catalogue and what was detected, as text for a terminal, as JSON, and as the reference page docs/chips.md.
#pragma once

#include <span>
#include <string>

#include "base/json.hpp"
#include "chips/capability.hpp"
#include "chips/detect.hpp"

namespace tqm::chips {

std::string list_text(std::span<const Chip> catalogue);
Json list_json(std::span<const Chip> catalogue);
std::string list_markdown(std::span<const Chip> catalogue);

std::string show_text(const Chip& chip);
Json show_json(const Chip& chip);

std::string detect_text(const Detection& detection);
Json detect_json(const Detection& detection);

std::string capability_text(const Capability& capability, NumberFormat format);
Json capability_json(const Capability& capability, NumberFormat format);

}  // namespace tqm::chips
