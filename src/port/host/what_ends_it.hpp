// Clang ends its process where a source is too much for it, and nobody's other sources should go with it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "port/emit/emitter.hpp"
#include "port/frontend/parse.hpp"

namespace tqm::port {

// Translates the source in a process of its own, bounded in time and memory, and throws the result away. What ended
// that process, for a person; none where it came to its end, with a translation or with an error, so that this one may
// do the same. It forks: not for a program with threads.
std::optional<std::string> what_ends_it(const std::filesystem::path& source, const ParseOptions& parsing,
                                        const emit::Emitter& emitter);

}  // namespace tqm::port
