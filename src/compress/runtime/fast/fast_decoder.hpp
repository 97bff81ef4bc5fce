// The decoder on the CPU, for speed: weights packed for this CPU's kernels, a key-value cache for several sequences,
// prefill and decode. Its logits are compared with the plain path's (plain_decoder.hpp), on which verdicts stand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compress/model/model.hpp"

namespace tqm::compress {

struct FastOptions {
  int threads = 0;  // 0: as many as the process may use
  // "as-stored", or forced at load: "f32", "f16", "bf16", or round to nearest "w8a8", "int8", "int4" (group values a
  // scale; 0: a row).
  std::string weights = "as-stored";
  std::string head = "as-stored";  // the same for lm_head, and for the embeddings where they are tied to it
  int group = 32;
  std::string cache = "bf16";  // "f32", "bf16"
  int64_t max_context = 0;     // tokens a sequence can hold; 0: the model's own limit
  int64_t sequences = 1;       // slots of the cache
  int64_t prefill_rows = 512;  // tokens that pass through a layer together
  std::string isa;  // at most this instruction set (cpu_features.hpp); empty: TORQUETUM_ISA, else all there is
};

struct FastMemory {              // bytes
  uint64_t weights = 0;          // all that is held of the model
  uint64_t weights_a_token = 0;  // what decoding one token reads
  uint64_t kv_cache = 0;         // what the tokens read so far take
  uint64_t activations = 0;
};

struct SequenceToken {
  int64_t sequence = 0;
  int32_t token = 0;
};

class FastDecoder {
 public:
  static Result<FastDecoder> load(const Model& model, const FastOptions& options);
  FastDecoder(FastDecoder&&) noexcept;
  FastDecoder& operator=(FastDecoder&&) noexcept;
  ~FastDecoder();

  // Reads the tokens after those that the sequence holds; logits [vocab] after the last one.
  Result<std::vector<float>> prefill(int64_t sequence, const std::vector<int32_t>& tokens);
  // The same, with the logits after every token, [tokens][vocab].
  Result<std::vector<float>> prefill_all(int64_t sequence, const std::vector<int32_t>& tokens);
  // One token more for each of these sequences (each at most once), together; logits [given][vocab].
  Result<std::vector<float>> step(const std::vector<SequenceToken>& tokens);

  void forget(int64_t sequence);           // empties it
  int64_t length(int64_t sequence) const;  // tokens read so far
  int64_t vocab() const;
  int64_t max_context() const;
  int threads() const;
  FastMemory memory() const;
  // Which kernels run, for a report: "int4 avx512 (decode), int4 amx (prefill); head bf16 avx512".
  std::string kernels() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  FastDecoder();
};

}  // namespace tqm::compress
