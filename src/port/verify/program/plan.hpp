// How a translated kernel is to be checked, read off what the emitter says of it.
#pragma once

#include "chips/chip.hpp"
#include "port/emit/emitter.hpp"
#include "port/verify/check_case.hpp"

namespace tqm::port {

CheckPlan plan_of(const emit::EmittedKernel& kernel, const chips::Chip& chip, const SideBounds& bounds);

// Its double is float: it is judged against the original in float.
bool is_demoted(const emit::EmittedKernel& kernel);

}  // namespace tqm::port
