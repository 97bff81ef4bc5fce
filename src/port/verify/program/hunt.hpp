// Does verification find faults? Mutants of the translation of one source, each checked like a translation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "port/mutate/mutants.hpp"
#include "port/verify/program/verify_path.hpp"

namespace tqm::port {

struct Hunted {
  std::string kernel;
  Mutant mutant;
  enum class End { caught, survived, no_program } end = End::caught;  // no_program: it does not compile
  std::string reason;                                                 // of what was caught
};

// `most` mutants of all kernels of the source that agree unchanged, chosen at random by the seed of the cases. `told`
// hears each as it is done.
Result<std::vector<Hunted>> hunt(const VerifyRequest& request, std::size_t most,
                                 const std::function<void(const Hunted&)>& told);

}  // namespace tqm::port
