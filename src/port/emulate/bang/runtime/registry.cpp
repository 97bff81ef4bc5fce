#include "port/emulate/bang/runtime/registry.hpp"

namespace tqm::port::bang {

Registry& registry() {
  static Registry the_registry;
  return the_registry;
}

}  // namespace tqm::port::bang

namespace tqm_bang {

using tqm::port::bang::registry;

Registration::Registration(const char* name, Thunk thunk, unsigned long parameters, const unsigned long* sizes) {
  registry().kernels[name] = {thunk, {sizes, sizes + parameters}};
}

Chip::Chip(unsigned long nram, unsigned long wram, unsigned long sram, unsigned clusters, unsigned cores_a_cluster,
           const char* header_folder) {
  registry().chip = {nram, wram, sram, clusters, cores_a_cluster};
  registry().header_folder = header_folder;
}

}  // namespace tqm_bang
