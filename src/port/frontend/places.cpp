#include "port/frontend/places.hpp"

#include <clang/Basic/SourceManager.h>

namespace tqm::port {
namespace {

// One name for a file, however the include directives led to it.
std::string plain_name(const char* name) {
  return std::filesystem::path(name).lexically_normal().string();
}

Place of_file(const clang::SourceManager& sources, clang::SourceLocation location) {
  const clang::PresumedLoc presumed = sources.getPresumedLoc(location, /*UseLineDirectives=*/false);
  if (presumed.isInvalid()) return {};
  return {plain_name(presumed.getFilename()), static_cast<int>(presumed.getLine()),
          static_cast<int>(presumed.getColumn())};
}

}  // namespace

Place place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
  return location.isInvalid() ? Place{} : of_file(sources, sources.getExpansionLoc(location));
}

Place spelled_place(const clang::SourceManager& sources, clang::SourceLocation location) {
  return location.isInvalid() ? Place{} : of_file(sources, sources.getSpellingLoc(location));
}

}  // namespace tqm::port
