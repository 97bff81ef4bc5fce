#include "port/verify/vector_share.hpp"

namespace tqm::port {

VectorShare vector_share(std::span<const CaseVerdict> cases) {
  VectorShare seen;
  double vector = 0, scalar = 0;
  for (const CaseVerdict& one : cases) {
    const auto bytes = [&](const char* counter) {
      const auto found = one.bang_counters.find(counter);
      return found == one.bang_counters.end() ? 0.0 : static_cast<double>(found->second);
    };
    seen.counted = seen.counted || !one.bang_counters.empty();
    vector += bytes("vector_bytes") + bytes("matrix_bytes") + bytes("dma_bytes");
    const double on_card = bytes("scalar_gdram_bytes");
    scalar += bytes("scalar_nram_bytes") + bytes("scalar_sram_bytes") + on_card;
    seen.scalar_gdram = seen.scalar_gdram || on_card > 0;
  }
  if (vector + scalar > 0) seen.share = vector / (vector + scalar);
  return seen;
}

char confirmed_tier(char tier, const VectorShare& seen) {
  if (!seen.counted || seen.share >= 0.95 || (tier != 'A' && tier != 'B')) return tier;
  return seen.scalar_gdram ? 'D' : 'C';
}

}  // namespace tqm::port
