// The functions that bring all lanes of a vector down to one number.
#pragma once

#include <set>
#include <string>

namespace tqm::port::emit {

bool is_lane_total(const std::string& name);
std::string lane_total_text(const std::set<std::string>& names);

}  // namespace tqm::port::emit
