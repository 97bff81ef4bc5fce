#include "port/emulate/cuda/runtime/block.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "base/random.hpp"
#include "port/emulate/cuda/runtime/export.hpp"
#include "port/emulate/cuda/runtime/fault.hpp"
#include "port/emulate/cuda/runtime/limits.hpp"
#include "port/emulate/cuda/runtime/options.hpp"
#include "port/emulate/cuda/runtime/shared.hpp"

namespace tqm::port::cuda {

// What device code reads as threadIdx and its like.
TQM_EXPORT Index3 threadIdx, blockIdx, blockDim, gridDim;
Index3 threadIdx, blockIdx, blockDim, gridDim;

namespace {

enum class Pause { ended, yielded, stepped, waits };

struct Running {
  const Image* image = nullptr;
  const KernelRow* kernel = nullptr;
  LaunchShape shape;
  void** arguments = nullptr;
  void* scheduler = nullptr;  // where the scheduler goes on
  Block* block = nullptr;
  Thread* thread = nullptr;
  bool ending = false;
  LaunchEnd end = LaunchEnd::done;
  Pause pause = Pause::waits;
  std::uint32_t next_phase = 1, first_phase = 1;
  std::uint64_t serial = 0;
  std::vector<std::unique_ptr<Block>> spare;
};

Running running;
Counters counted;

void back_to_scheduler(Pause pause) {
  running.pause = pause;
  tqm_cuda_switch(&running.thread->fiber.stack_pointer, running.scheduler);
}

void thread_entry() {
  running.kernel->call(running.arguments);
  running.thread->state = ThreadState::ended;
  back_to_scheduler(Pause::ended);
  __builtin_unreachable();
}

void make_ready(Block& block, unsigned thread) {
  block.threads[thread].state = ThreadState::ready;
  block.ready.push_back(thread);
}

int barrier_result(int kind, int yes, int all) {
  switch (kind) {
    case 1:
      return yes;
    case 2:
      return yes == all;
    case 3:
      return yes != 0;
    default:
      return 0;
  }
}

// Threads at different calls are a fault where those calls stand on different lines.
void check_barrier_sites(const Block& block) {
  std::uintptr_t first = 0;
  const Thread* first_thread = nullptr;
  for (const Thread& thread : block.threads) {
    if (thread.state != ThreadState::barrier) continue;
    if (first == 0) {
      first = thread.site;
      first_thread = &thread;
    } else if (thread.site != first) {
      if (fault_is_known("divergent-barrier", first)) return;
      const SourcePlace one = place_of(first);
      const SourcePlace other = place_of(thread.site);
      if (one.line == other.line && one.file == other.file) return;
      note_fault("divergent-barrier", first,
                 fmt::format("{} waits here while {} waits at line {}", thread_name(block, first_thread->number),
                             thread_name(block, thread.number), other.line));
      return;
    }
  }
}

// Ends the barrier where all threads that have not ended are there. The one that came last may be running.
bool try_barrier(Block& block) {
  if (block.at_barrier == 0 || block.at_barrier != block.alive) return false;
  check_barrier_sites(block);
  int yes = 0;
  for (const Thread& thread : block.threads)
    if (thread.state == ThreadState::barrier && thread.predicate != 0) ++yes;
  for (Thread& thread : block.threads) {
    if (thread.state != ThreadState::barrier) continue;
    thread.result =
        static_cast<unsigned long long>(barrier_result(block.barrier_kind, yes, static_cast<int>(block.at_barrier)));
    make_ready(block, thread.number);
  }
  block.at_barrier = 0;
  block.phase = running.next_phase++;
  ++counted.barriers;
  return true;
}

// One warp meeting
// -----------------------------------------------------------------------------------------------------

unsigned shuffle_source(const Meeting& m, unsigned lane) {
  const auto width = static_cast<unsigned>(m.width[lane]);
  const unsigned segment = lane / width * width;
  const unsigned by = m.how[lane] == 3 ? m.lane[lane] & 31 : m.lane[lane];
  switch (m.how[lane]) {
    case 0:
      return segment + by % width;
    case 1:
      return by > lane - segment ? lane : lane - by;
    case 2:
      return by >= width || lane + by >= segment + width ? lane : lane + by;
    default:
      // With a partner behind the own segment the own value comes back; one before it is read.
      return (lane ^ by) >= segment + width ? lane : (lane ^ by);
  }
}

unsigned long long reduced(const Meeting& m, int how) {
  bool first = true;
  unsigned r = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(m.arrived >> lane & 1)) continue;
    const auto v = static_cast<unsigned>(m.value[lane]);
    if (first) {
      r = v;
      first = false;
      continue;
    }
    const auto sr = static_cast<int>(r);
    const auto sv = static_cast<int>(v);
    switch (how) {
      case 0:
        r += v;
        break;
      case 1:
        r = std::min(r, v);
        break;
      case 2:
        r = std::max(r, v);
        break;
      case 3:
        r = static_cast<unsigned>(std::min(sr, sv));
        break;
      case 4:
        r = static_cast<unsigned>(std::max(sr, sv));
        break;
      case 5:
        r &= v;
        break;
      case 6:
        r |= v;
        break;
      default:
        r ^= v;
        break;
    }
  }
  return r;
}

unsigned same_value(const Meeting& m, unsigned lane) {
  unsigned same = 0;
  for (unsigned other = 0; other < 32; ++other)
    if ((m.arrived >> other & 1) && m.value[other] == m.value[lane]) same |= 1u << other;
  return same;
}

unsigned long long meeting_result(const Meeting& m, unsigned lane, std::uintptr_t site) {
  switch (m.kind) {
    case MeetingKind::shuffle: {
      const unsigned source = shuffle_source(m, lane);
      if (m.arrived >> source & 1) return m.value[source];
      note_fault("wrong-mask", site,
                 fmt::format("lane {} reads lane {}, which is not active in mask {:#010x}", lane, source, m.mask));
      return 0xdeadbeefdeadbeefULL;
    }
    case MeetingKind::ballot: {
      unsigned yes = 0;
      for (unsigned other = 0; other < 32; ++other)
        if ((m.arrived >> other & 1) && m.value[other]) yes |= 1u << other;
      return yes;
    }
    case MeetingKind::match: {
      const unsigned same = same_value(m, lane);
      return m.how[lane] == 0 || same == m.arrived ? same : 0;
    }
    case MeetingKind::reduce:
      return reduced(m, m.how[lane]);
    case MeetingKind::sync:
      break;
  }
  return 0;
}

// Gives every lane its result and makes those that wait ready. The running one is not in the queue.
void complete(Block& block, unsigned warp_number, const Meeting& m) {
  Warp& warp = block.warps[warp_number];
  ++warp.generation;
  ++counted.warp_operations;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(m.arrived >> lane & 1)) continue;
    Thread& thread = block.threads[warp_number * 32 + lane];
    thread.result = meeting_result(m, lane, thread.site);
    thread.sync_generation = warp.generation;
    if (thread.state == ThreadState::meeting) make_ready(block, thread.number);
  }
}

// After a thread has ended: what waited for it alone goes on.
void settle_after_end(Block& block, const Thread& thread) {
  const unsigned warp_number = thread.number / 32;
  Warp& warp = block.warps[warp_number];
  warp.alive &= ~(1u << (thread.number % 32));
  --block.alive;
  for (std::size_t i = 0; i < warp.meetings.size();) {
    if ((warp.meetings[i].mask & warp.alive & ~warp.meetings[i].arrived) == 0) {
      const Meeting done = warp.meetings[i];
      warp.meetings.erase(warp.meetings.begin() + static_cast<std::ptrdiff_t>(i));
      complete(block, warp_number, done);
    } else {
      ++i;
    }
  }
  try_barrier(block);
}

// When nothing else goes on: the lanes of a warp that stand at the same __activemask are active together.
bool release_gathering(Block& block) {
  bool any = false;
  for (unsigned w = 0; w < block.warps.size(); ++w) {
    const unsigned first = w * 32;
    const unsigned last = std::min<unsigned>(first + 32, static_cast<unsigned>(block.threads.size()));
    for (unsigned t = first; t < last; ++t) {
      if (block.threads[t].state != ThreadState::gathering) continue;
      unsigned mask = 0;
      for (unsigned o = t; o < last; ++o)
        if (block.threads[o].state == ThreadState::gathering && block.threads[o].site == block.threads[t].site)
          mask |= 1u << (o - first);
      for (unsigned o = last; o-- > t;) {
        if (!(mask >> (o - first) & 1)) continue;
        block.threads[o].result = mask;
      }
      for (unsigned o = t; o < last; ++o)
        if (mask >> (o - first) & 1) make_ready(block, o);
      any = true;
    }
  }
  return any;
}

std::string lanes_text(unsigned mask) {
  return fmt::format("{:#010x}", mask);
}

// Nothing can go on: say who waits for whom.
void report_deadlock(Block& block) {
  for (unsigned w = 0; w < block.warps.size(); ++w) {
    for (const Meeting& m : block.warps[w].meetings) {
      const unsigned missing = m.mask & block.warps[w].alive & ~m.arrived;
      const unsigned waiting = static_cast<unsigned>(__builtin_ctz(m.arrived));
      const unsigned absent = static_cast<unsigned>(__builtin_ctz(missing ? missing : 1));
      const Thread& other = block.threads[std::min<std::size_t>(w * 32 + absent, block.threads.size() - 1)];
      note_fault("wrong-mask", block.threads[w * 32 + waiting].site,
                 fmt::format("lanes {} of warp {} in {} wait for lanes {} of their mask, which wait at line {}",
                             lanes_text(m.arrived), w, thread_name(block, w * 32 + waiting), lanes_text(missing),
                             place_of(other.site).line));
      return;
    }
  }
  for (const Thread& thread : block.threads)
    if (thread.state == ThreadState::barrier) {
      note_fault(
          "divergent-barrier", thread.site,
          fmt::format("{} waits for threads of its block that wait elsewhere", thread_name(block, thread.number)));
      return;
    }
  note_fault("deadlock", 0, "no thread can go on");
}

// Blocks
// ----------------------------------------------------------------------------------------------------------------

std::unique_ptr<Block> make_block(std::uint64_t number, bool first) {
  std::unique_ptr<Block> block;
  if (running.spare.empty()) {
    block = std::make_unique<Block>();
  } else {
    block = std::move(running.spare.back());
    running.spare.pop_back();
  }
  const Index3 size = running.shape.block;
  const unsigned threads = size.x * size.y * size.z;
  block->number = number;
  const Index3 grid = running.shape.grid;
  block->index = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                  static_cast<unsigned>(number / grid.x / grid.y)};
  block->threads.resize(threads);
  unsigned t = 0;
  for (unsigned z = 0; z < size.z; ++z)
    for (unsigned y = 0; y < size.y; ++y)
      for (unsigned x = 0; x < size.x; ++x, ++t) {
        Thread& thread = block->threads[t];
        thread.index = {x, y, z};
        thread.number = t;
        thread.state = ThreadState::fresh;
        thread.sync_generation = 0;
      }
  block->warps.resize((threads + 31) / 32);
  for (unsigned w = 0; w < block->warps.size(); ++w) {
    const unsigned lanes = std::min(32u, threads - w * 32);
    block->warps[w].alive = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    block->warps[w].generation = 0;
    block->warps[w].meetings.clear();
  }
  block->ready.clear();
  block->next_fresh = 0;
  block->alive = threads;
  block->at_barrier = block->at_grid = 0;
  block->first_phase = block->phase = running.next_phase++;
  SharedMemory::get().begin_block(first);
  return block;
}

void enter(Block& block, unsigned number) {
  Thread& thread = block.threads[number];
  if (thread.state == ThreadState::fresh) {
    prepare(thread.fiber, thread_entry);
    ++counted.threads;
  }
  thread.state = ThreadState::running;
  running.thread = &thread;
  threadIdx = thread.index;
  tqm_cuda_switch(&running.scheduler, thread.fiber.stack_pointer);
  if (running.pause == Pause::ended) {
    give_back(thread.fiber);
    settle_after_end(block, thread);
  }
}

// The thread that begins now, of those that have not.
unsigned begin_next(Block& block) {
  const unsigned place = block.next_fresh++;
  return options().threads_last_first ? static_cast<unsigned>(block.threads.size()) - 1 - place : place;
}

enum class BlockEnd { finished, stalled, broken };

// Runs until all threads have ended, or all that could go on only wait for another block.
BlockEnd run_block(Block& block) {
  running.block = &block;
  blockIdx = block.index;
  std::size_t fruitless = 0;
  while (block.alive > 0) {
    unsigned next = 0;
    if (!block.ready.empty()) {
      next = block.ready.front();
      block.ready.pop_front();
    } else if (block.next_fresh < block.threads.size()) {
      next = begin_next(block);
    } else if (release_gathering(block)) {
      continue;
    } else if (block.at_grid > 0 && block.at_grid == block.alive) {
      return BlockEnd::stalled;
    } else {
      report_deadlock(block);
      running.end = LaunchEnd::failed;
      return BlockEnd::broken;
    }
    enter(block, next);
    if (running.ending || time_is_up()) {
      if (!running.ending) running.end = LaunchEnd::timed_out;
      return BlockEnd::broken;
    }
    // A spinning thread lets those go first that have not begun; then the block waits for others.
    if (running.pause != Pause::stepped) fruitless = running.pause == Pause::yielded ? fruitless + 1 : 0;
    if (fruitless > 4 * block.ready.size() + 64 && block.next_fresh == block.threads.size()) return BlockEnd::stalled;
    const bool goes_on = running.pause == Pause::yielded || running.pause == Pause::stepped;
    if (goes_on && block.next_fresh < block.threads.size()) {
      block.ready.push_front(begin_next(block));
    }
  }
  return BlockEnd::finished;
}

void drop(Block& block) {
  for (Thread& thread : block.threads)
    if (thread.state != ThreadState::fresh && thread.state != ThreadState::ended) give_back(thread.fiber);
}

void release_grid(std::vector<std::unique_ptr<Block>>& resident) {
  for (auto& block : resident) {
    for (Thread& thread : block->threads)
      if (thread.state == ThreadState::grid) make_ready(*block, thread.number);
    block->at_grid = 0;
    block->phase = running.next_phase++;
  }
}

bool all_at_grid(const std::vector<std::unique_ptr<Block>>& resident) {
  return std::all_of(resident.begin(), resident.end(),
                     [](const auto& block) { return block->at_grid > 0 && block->at_grid == block->alive; });
}

// Blocks that wait for others take turns until all have ended.
bool finish_resident(std::vector<std::unique_ptr<Block>>& resident) {
  std::size_t rounds_without_end = 0;
  while (!resident.empty()) {
    if (all_at_grid(resident)) release_grid(resident);
    const std::size_t before = resident.size();
    for (std::size_t i = 0; i < resident.size();) {
      Block& block = *resident[i];
      if (block.at_grid > 0 && block.at_grid == block.alive) {
        ++i;
        continue;
      }
      SharedMemory::get().load(block.shared_image, block.shared_marks);
      const BlockEnd end = run_block(block);
      if (end == BlockEnd::broken) return false;
      if (end == BlockEnd::finished) {
        running.spare.push_back(std::move(resident[i]));
        resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        SharedMemory::get().save(block.shared_image, block.shared_marks);
        ++i;
      }
    }
    rounds_without_end = resident.size() < before || all_at_grid(resident) ? 0 : rounds_without_end + 1;
    if (rounds_without_end > 100000) {
      note_fault("deadlock", 0, fmt::format("{} blocks wait for each other", resident.size()));
      running.end = LaunchEnd::failed;
      return false;
    }
  }
  return true;
}

// The order of blocks: the i-th that runs. Random: i·a + b over the grid, a without a common divisor with its size.
class Order {
 public:
  explicit Order(std::uint64_t size) : size_(size), kind_(options().order) {
    if (kind_ != BlockOrder::random || size < 2) return;
    Random random(options().seed);
    do {
      step_ = random.below(size - 1) + 1;
    } while (std::gcd(step_, size) != 1);
    start_ = random.below(size);
  }
  std::uint64_t at(std::uint64_t i) const {
    if (kind_ == BlockOrder::reverse) return size_ - 1 - i;
    if (kind_ == BlockOrder::random)
      return static_cast<std::uint64_t>((static_cast<unsigned __int128>(i) * step_ + start_) % size_);
    return i;
  }

 private:
  std::uint64_t size_, step_ = 1, start_ = 0;
  BlockOrder kind_;
};

}  // namespace

LaunchEnd run_grid(const Image& image, const KernelRow& kernel, const LaunchShape& shape, void** arguments,
                   std::uint64_t most_blocks) {
  running.image = &image;
  running.kernel = &kernel;
  running.shape = shape;
  running.arguments = arguments;
  running.ending = false;
  running.end = LaunchEnd::done;
  running.first_phase = running.next_phase;
  ++running.serial;
  blockDim = shape.block;
  gridDim = shape.grid;
  ++counted.launches;
  SharedMemory::get().begin_launch(image, shape.dynamic_shared_bytes);
  const std::uint64_t total = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  const std::uint64_t wanted = most_blocks == 0 ? total : std::min(total, most_blocks);
  const Order order(total);
  std::vector<std::unique_ptr<Block>> resident;
  bool broken = false;
  for (std::uint64_t i = 0; i < wanted && !broken; ++i) {
    std::unique_ptr<Block> block = make_block(order.at(i), i == 0);
    ++counted.blocks;
    const BlockEnd end = run_block(*block);
    if (end == BlockEnd::stalled) SharedMemory::get().save(block->shared_image, block->shared_marks);
    if (end == BlockEnd::broken) drop(*block);
    broken = end == BlockEnd::broken;
    (end == BlockEnd::stalled ? resident : running.spare).push_back(std::move(block));
  }
  if (!broken) finish_resident(resident);
  for (auto& block : resident) drop(*block);
  running.block = nullptr;
  running.thread = nullptr;
  return running.end;
}

Thread* current_thread() {
  return running.thread;
}
Block* current_block() {
  return running.block;
}
Warp* current_warp() {
  return &running.block->warps[running.thread->number / 32];
}
const LaunchShape& current_shape() {
  return running.shape;
}
const Image* current_image() {
  return running.image;
}
std::uint64_t launch_serial() {
  return running.serial;
}
std::uint32_t launch_first_phase() {
  return running.first_phase;
}
Counters& counters() {
  return counted;
}

std::string thread_name(const Block& block, unsigned thread) {
  const Index3& b = block.index;
  const Index3& t = block.threads[thread].index;
  return fmt::format("thread ({},{},{}) of block ({},{},{})", t.x, t.y, t.z, b.x, b.y, b.z);
}

void wait_at_barrier(std::uintptr_t site, int kind, int predicate) {
  Block& block = *running.block;
  Thread& self = *running.thread;
  self.site = site;
  self.predicate = predicate;
  self.state = ThreadState::barrier;
  block.barrier_kind = kind;
  ++block.at_barrier;
  if (block.at_barrier == block.alive) try_barrier(block);  // puts this one into the queue as well, in its turn
  back_to_scheduler(Pause::waits);
}

void wait_for_grid(std::uintptr_t site) {
  running.thread->site = site;
  running.thread->state = ThreadState::grid;
  ++running.block->at_grid;
  back_to_scheduler(Pause::waits);
}

unsigned long long meet(std::uintptr_t site, MeetingKind kind, unsigned mask, unsigned long long value, int how,
                        unsigned lane, int width) {
  Block& block = *running.block;
  Thread& self = *running.thread;
  const unsigned warp_number = self.number / 32;
  Warp& warp = block.warps[warp_number];
  const unsigned own = self.number % 32;
  self.site = site;
  if (!(mask >> own & 1)) {
    note_fault(
        "wrong-mask", site,
        fmt::format("lane {} in {} is not in its own mask {:#010x}", own, thread_name(block, self.number), mask));
    mask |= 1u << own;
  }
  auto found = std::find_if(warp.meetings.begin(), warp.meetings.end(),
                            [&](const Meeting& m) { return m.mask == mask && !(m.arrived >> own & 1); });
  if (found == warp.meetings.end()) {
    warp.meetings.emplace_back();
    found = std::prev(warp.meetings.end());
    found->mask = mask;
    found->kind = kind;
  } else if (found->kind != kind) {
    note_fault("divergent-warp", site,
               fmt::format("{} meets lanes that came for another operation", thread_name(block, self.number)));
  }
  found->arrived |= 1u << own;
  found->value[own] = value;
  found->how[own] = how;
  found->lane[own] = lane;
  found->width[own] = width;
  if ((mask & warp.alive & ~found->arrived) == 0) {
    const Meeting done = *found;
    warp.meetings.erase(found);
    complete(block, warp_number, done);
    return self.result;
  }
  self.state = ThreadState::meeting;
  back_to_scheduler(Pause::waits);
  return self.result;
}

unsigned gather(std::uintptr_t site) {
  running.thread->site = site;
  running.thread->state = ThreadState::gathering;
  back_to_scheduler(Pause::waits);
  return static_cast<unsigned>(running.thread->result);
}

void yield_thread() {
  make_ready(*running.block, running.thread->number);
  back_to_scheduler(Pause::yielded);
}

void step_thread() {
  make_ready(*running.block, running.thread->number);
  back_to_scheduler(Pause::stepped);
}

void end_launch(LaunchEnd why) {
  running.ending = true;
  running.end = why;
  back_to_scheduler(Pause::waits);
  __builtin_unreachable();
}

}  // namespace tqm::port::cuda
