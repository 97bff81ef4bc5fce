// One core of the machine while it runs a kernel: who it is, its variables, its pipes.
//
// A core has four pipes. Scalars run in program order. Vector and matrix calls run on the compute pipe; copies that
// touch memory off the chip on the io pipe, copies on the chip on the move pipe. A plain call takes its turn among all
// of them; an _async copy runs beside the others until a __sync that waits for its pipe. Two rules follow, and a broken
// one is a missing sync: nobody may touch what a copy in flight writes, nor write what it reads, except a later copy
// of the same pipe; and an _async copy may not touch what a vector call has touched since the compute pipe was last
// waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <tqm_bang.h>
#include <ucontext.h>
#include <vector>

namespace tqm::port::bang {

enum class Pipe : std::uint8_t { io, move };

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool write = false;
  const void* place = nullptr;

  bool meets(std::uintptr_t from, std::uintptr_t to) const { return begin < to && from < end; }
};

// A copy that was issued and has not been waited for.
struct Pending {
  Pipe pipe = Pipe::io;
  int direction = 0;
  const void* place = nullptr;
  std::vector<Range> ranges;
  std::function<void()> run;
  bool done = false;  // its bytes have moved; it stays listed until it is waited for
};

struct Wait {
  tqm_bang::Sync what = tqm_bang::Sync::all;
  const char* call = "";
  const void* place = nullptr;
};

struct Core {
  unsigned slot = 0;        // number of the core, or of the task in Block, within the launch; counted from 1
  unsigned first_slot = 1;  // of the job: cores of other jobs are never heard of
  unsigned arena = 0;       // whose NRAM, WRAM and LDRAM
  unsigned cluster = 0;     // whose SRAM
  unsigned core_id = 0;
  bool mpu = false;
  unsigned task_id = 0;
  unsigned task_x = 0, task_y = 0, task_z = 0;

  std::map<const void*, void*> variables;  // by control block
  std::deque<std::unique_ptr<Pending>> pending;
  std::vector<Range> computed;       // touched by vector calls since the compute pipe was waited for
  std::vector<std::uint32_t> clock;  // of every slot of the job, as far as this core has heard of it

  enum class State { ready, waiting, done } state = State::ready;
  Wait wait;
  ucontext_t context{};
  std::byte* stack = nullptr;
};

}  // namespace tqm::port::bang
