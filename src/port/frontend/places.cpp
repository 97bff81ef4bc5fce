#include "port/frontend/places.hpp"

#include <clang/Basic/SourceManager.h>

namespace tqm::port {

Place place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
  if (location.isInvalid()) return {};
  const clang::PresumedLoc presumed =
      sources.getPresumedLoc(sources.getExpansionLoc(location), /*UseLineDirectives=*/false);
  if (presumed.isInvalid()) return {};
  return {presumed.getFilename(), static_cast<int>(presumed.getLine()), static_cast<int>(presumed.getColumn())};
}

}  // namespace tqm::port
