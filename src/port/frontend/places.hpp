// Where something stands, as a person reads it: what a macro gave stands where the macro was used.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include "port/frontend/parse.hpp"

namespace clang {
class SourceManager;
}

namespace tqm::port {

Place place_of(const clang::SourceManager& sources, clang::SourceLocation location);

// Where the characters themselves stand: what a macro gave stands in the macro's text.
Place spelled_place(const clang::SourceManager& sources, clang::SourceLocation location);

}  // namespace tqm::port
