#include "matter/potential/nep/zbl_radius.hpp"

#include <cmath>
#include <iterator>

namespace tqm::matter::nep {
namespace {

// pm
constexpr int kRadii[] = {32,  46,  120, 94,  77,  75,  71,  63,  64,  67,  140, 125, 113, 104, 110, 102, 99,  96,  176,
                          154, 133, 122, 121, 110, 107, 104, 100, 99,  101, 109, 112, 109, 115, 110, 114, 117, 189, 167,
                          147, 139, 132, 124, 115, 113, 113, 108, 115, 123, 128, 126, 126, 123, 132, 131, 209, 176, 162,
                          147, 158, 157, 156, 155, 151, 152, 151, 150, 149, 149, 148, 153, 146, 137, 131, 123, 118, 116,
                          111, 112, 113, 132, 130, 130, 136, 131, 138, 142, 201, 181, 167, 158, 152, 153, 154, 155};

}  // namespace

double zbl_radius(int number) {
  if (number < 1 || number > static_cast<int>(std::size(kRadii))) return 1.5;
  const double radius = kRadii[number - 1] / 75.0, digits = radius < 1 ? 1e6 : 1e5;
  return std::round(radius * digits) / digits;
}

}  // namespace tqm::matter::nep
