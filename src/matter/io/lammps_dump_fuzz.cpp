// Any bytes in this form: refused, or structures that are whole and can be written and read again.
#include <cstddef>
#include <cstdint>

#include "matter/io/lammps.hpp"
#include "matter/io/read_any.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tqm::matter::read_any(tqm::matter::read_lammps_dump, data, size);
  return 0;
}
