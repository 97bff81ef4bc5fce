// A grid on the CPU. Each thread of a block is a fiber that runs until it waits or ends; a thread that never waits
// costs one call, and its stack goes to the next. What waits, waits in one of these:
//   barrier   for all threads of the block that have not ended
//   meeting   for the lanes of a mask that have not ended
//   gathering (__activemask) until no other lane of the warp can go on: then those at one place are active together
//   grid      for all threads of the grid
// Nothing else runs at the same time, so what a thread does between two waits is one step for all others.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "port/emulate/cuda/runtime/fiber.hpp"
#include "port/emulate/cuda/runtime/image.hpp"

namespace tqm::port::cuda {

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};

enum class ThreadState : unsigned char { fresh, ready, running, barrier, meeting, gathering, grid, ended };

struct Thread {
  Fiber fiber;
  Index3 index;
  unsigned number = 0;  // in the block
  ThreadState state = ThreadState::fresh;
  std::uintptr_t site = 0;        // where it waits
  int predicate = 0;              // what it brought to a barrier
  unsigned long long result = 0;  // what the wait gave
  unsigned sync_generation = 0;   // the last warp meeting that it took part in
};

enum class MeetingKind : unsigned char { sync, shuffle, ballot, match, reduce };

// Lanes that wait for each other, by mask.
struct Meeting {
  unsigned mask = 0, arrived = 0;
  MeetingKind kind = MeetingKind::sync;
  std::array<unsigned long long, 32> value{};
  std::array<int, 32> how{};
  std::array<unsigned, 32> lane{};
  std::array<int, 32> width{};
};

struct Warp {
  unsigned alive = 0;
  unsigned generation = 0;
  std::vector<Meeting> meetings;
};

struct Block {
  Index3 index;
  std::uint64_t number = 0;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::deque<unsigned> ready;
  unsigned next_fresh = 0;
  unsigned alive = 0, at_barrier = 0, at_grid = 0;
  int barrier_kind = 0;
  std::uint32_t first_phase = 0, phase = 0;  // of the race detector: unique to the block and its barriers passed
  std::vector<unsigned char> shared_image, shared_marks;  // its shared memory while another block runs
};

struct LaunchShape {
  Index3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
};

enum class LaunchEnd { done, illegal_address, failed, asserted, timed_out };

// Runs a kernel's grid to its end or to a fault that ends it. With `only_blocks` nonzero only so many blocks.
LaunchEnd run_grid(const Image& image, const KernelRow& kernel, const LaunchShape& shape, void** arguments,
                   std::uint64_t most_blocks);

// The thread that runs now; none outside a launch.
Thread* current_thread();
Block* current_block();
Warp* current_warp();
const LaunchShape& current_shape();
const Image* current_image();
std::uint64_t launch_serial();
std::uint32_t launch_first_phase();
std::string thread_name(const Block& block, unsigned thread);

// Called by a thread: lets others go on until what it waits for is there.
void wait_at_barrier(std::uintptr_t site, int kind, int predicate);
void wait_for_grid(std::uintptr_t site);
unsigned long long meet(std::uintptr_t site, MeetingKind kind, unsigned mask, unsigned long long value, int how,
                        unsigned lane, int width);
unsigned gather(std::uintptr_t site);
void yield_thread();
void step_thread();                           // the others of the block take their step, too, then this one
[[noreturn]] void end_launch(LaunchEnd why);  // from a thread

struct Counters {
  std::uint64_t launches = 0, blocks = 0, threads = 0, barriers = 0, warp_operations = 0;
  std::uint64_t global_loads = 0, global_stores = 0, shared_loads = 0, shared_stores = 0, atomics = 0;
  std::uint64_t approximate_calls = 0;  // of functions that a card need not round rightly
};
Counters& counters();

}  // namespace tqm::port::cuda
