// Incremental decoding on the plain path: every block stays on the device, keys and values of past tokens are kept. The
// reference that the fast kernels are compared with, and the way to generate on devices other than the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "compress/runtime/plain_decoder.hpp"

namespace tqm::compress {

class PlainGenerator {
 public:
  static Result<PlainGenerator> load(const Model& model, const PlainOptions& options);
  PlainGenerator(PlainGenerator&&) noexcept;
  PlainGenerator& operator=(PlainGenerator&&) noexcept;
  ~PlainGenerator();
  // Forgets what came before, reads the tokens, gives the logits [vocab] after the last one.
  Result<std::vector<float>> prefill(const std::vector<int32_t>& tokens);
  // One token more.
  Result<std::vector<float>> step(int32_t token);
  int64_t position() const;      // tokens read so far
  uint64_t cache_bytes() const;  // keys and values, as allocated

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  PlainGenerator();
};

}  // namespace tqm::compress
