#include "port/emulate/cuda/runtime/race.hpp"

#include "port/emulate/cuda/runtime/block.hpp"

namespace tqm::port::cuda {
namespace {

constexpr unsigned kGenerations = 1u << 12;
// A reader's meeting may lie somewhat behind the writer's; far behind is the counter's turn.
constexpr unsigned kBehind = 64;

Conflict judge(const Touch& before, unsigned mask, const Block& block, const Thread& self, bool across_blocks) {
  if ((before.when & mask & 15u) == 0 || before.phase < launch_first_phase()) return Conflict::none;
  if (before.phase != block.phase) {
    const bool own_block = before.phase >= block.first_phase;
    return own_block || !across_blocks ? Conflict::none : Conflict::other_block;
  }
  if (before.thread == self.number) return Conflict::none;
  if (before.thread / 32 != self.number / 32) return Conflict::same_block;
  const unsigned since = (self.sync_generation - (before.when >> 4)) % kGenerations;
  return since == 0 || since > kGenerations - kBehind ? Conflict::same_warp : Conflict::none;
}

}  // namespace

Verdict touch(WordHistory& word, unsigned mask, bool write, bool across_blocks) {
  const Block& block = *current_block();
  const Thread& self = *current_thread();
  const Touch now{block.phase, static_cast<std::uint16_t>(self.number),
                  static_cast<std::uint16_t>((self.sync_generation % kGenerations) << 4 | mask)};
  Verdict verdict;
  verdict.conflict = judge(word.write, mask, block, self, across_blocks);
  if (verdict.conflict != Conflict::none) {
    verdict.write_before = true;
    verdict.other_thread = word.write.thread;
  } else if (write) {
    for (const Touch* before : {&word.read, &word.other_read}) {
      verdict.conflict = judge(*before, mask, block, self, across_blocks);
      if (verdict.conflict == Conflict::none) continue;
      verdict.other_thread = before->thread;
      break;
    }
  }
  if (write) {
    word.write = now;
  } else if (word.read.phase != now.phase || word.read.thread == now.thread) {
    word.read = now;
  } else {
    word.other_read = now;
  }
  return verdict;
}

}  // namespace tqm::port::cuda
