// Races by the word: who wrote each 4-byte word last and who read it, and at which barrier count (phase) and warp
// meeting (generation). Two accesses of different threads, one of them a write that changes something, are a race where
// they are in the same phase and no meeting of their warp lies between.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tqm::port::cuda {

struct Touch {
  std::uint32_t phase = 0;
  std::uint16_t thread = 0;
  std::uint16_t when = 0;  // generation in the upper 12 bits, bytes of the word in the lower 4
};
struct WordHistory {
  Touch write, read, other_read;
};

enum class Conflict { none, same_warp, same_block, other_block };

// Compares an access of the running thread with the word's history and notes it there. `write_before` is set where the
// conflict is with a write (else with a read).
struct Verdict {
  Conflict conflict = Conflict::none;
  bool write_before = false;
  unsigned other_thread = 0;
};
Verdict touch(WordHistory& word, unsigned byte_mask, bool write, bool across_blocks);

}  // namespace tqm::port::cuda
