#include "base/version.hpp"

namespace tqm {

std::string_view version() {
  return TQM_VERSION;
}

}  // namespace tqm
