#include "port/emulate/bang/runtime/pipes.hpp"

#include <algorithm>

#include "port/emulate/bang/runtime/machine.hpp"

namespace tqm::port::bang {

namespace {

constexpr std::size_t kMaxComputed =
    512;  // ranges kept, the newest: a forgotten one is a fault not found, never a false one

void mark(const Pending& copy) {
  Arena& arena = machine().arena();
  for (const Range& range : copy.ranges) {
    if (arena.holds(reinterpret_cast<void*>(range.begin))) {
      std::uint8_t* flags = arena.flags(reinterpret_cast<void*>(range.begin));
      for (std::uintptr_t i = 0; i < range.end - range.begin; ++i) {
        flags[i] = static_cast<std::uint8_t>(flags[i] | (range.write ? kPendingWrite : kPendingRead));
      }
    }
  }
}

void unmark(const Pending& copy) {
  Arena& arena = machine().arena();
  for (const Range& range : copy.ranges) {
    if (arena.holds(reinterpret_cast<void*>(range.begin))) {
      std::uint8_t* flags = arena.flags(reinterpret_cast<void*>(range.begin));
      for (std::uintptr_t i = 0; i < range.end - range.begin; ++i) {
        flags[i] = static_cast<std::uint8_t>(flags[i] & ~(kPendingWrite | kPendingRead));
      }
    }
  }
}

template <class Due>
void finish(Core& core, Due due) {
  bool removed = false;
  for (auto& copy : core.pending) {
    if (due(*copy)) {
      if (!copy->done) {
        copy->run();
      }
      unmark(*copy);
      copy.reset();
      removed = true;
    }
  }
  if (!removed) {
    return;
  }
  std::erase(core.pending, nullptr);
  for (const auto& copy : core.pending) {  // flags that a finished one shared with it
    mark(*copy);
  }
}

}  // namespace

Pipe pipe_of(int direction) {
  switch (direction) {  // in the order of mluMemcpyDirection_t
    case 8:             // NRAM2NRAM
    case 9:             // NRAM2WRAM
    case 10:            // WRAM2NRAM
    case 15:            // SRAM2NRAM
    case 16:            // NRAM2SRAM
    case 17:            // SRAM2WRAM
    case 18:            // WRAM2SRAM
    case 23:            // SRAM2SRAM
      return Pipe::move;
    default:
      return Pipe::io;
  }
}

void check_in_flight(Core& core, const Range& range, const char* call, const Pipe* own) {
  for (const auto& copy : core.pending) {
    if (own != nullptr && *own == copy->pipe) {
      continue;
    }
    for (const Range& other : copy->ranges) {
      if ((other.write || range.write) && other.meets(range.begin, range.end)) {
        Faults& faults = machine().faults();
        faults.add(kMissingSync, range.place,
                   std::string(call) + (range.write ? " writes" : " reads") + " what the asynchronous copy of " +
                       faults.at(copy->place) + (other.write ? " writes" : " reads") + ", with no " +
                       (copy->pipe == Pipe::io ? "__sync_io" : "__sync_move") + " or __sync between");
        return;
      }
    }
  }
}

void issue(Core& core, std::unique_ptr<Pending> copy) {
  Faults& faults = machine().faults();
  for (const Range& range : copy->ranges) {
    check_in_flight(core, range, "an asynchronous copy", &copy->pipe);
    for (const Range& touched : core.computed) {
      if ((touched.write || range.write) && touched.meets(range.begin, range.end)) {
        faults.add(kMissingSync, copy->place,
                   std::string("an asynchronous copy ") + (range.write ? "writes" : "reads") +
                       " what the vector call of " + faults.at(touched.place) + (touched.write ? " writes" : " reads") +
                       ", with no __sync_compute or __sync between");
        break;
      }
    }
  }
  if (machine().options().schedule == Schedule::eager) {
    copy->run();
    copy->done = true;
  }
  mark(*copy);
  core.pending.push_back(std::move(copy));
}

void wait_for_pipes(Core& core, bool io, bool move, bool compute) {
  finish(core, [&](const Pending& copy) { return copy.pipe == Pipe::io ? io : move; });
  if (compute) {
    core.computed.clear();
  }
}

void wait_for_direction(Core& core, int direction) {
  // GDRAM and LDRAM are one for the waiting calls.
  const auto same = [](int a) {
    switch (a) {
      case 2:  // LDRAM2NRAM
        return 0;
      case 3:  // NRAM2LDRAM
        return 1;
      case 6:  // LDRAM2WRAM
        return 4;
      case 7:  // WRAM2LDRAM
        return 5;
      case 13:  // LDRAM2SRAM
        return 11;
      case 14:  // SRAM2LDRAM
        return 12;
      default:
        return a;
    }
  };
  finish(core, [&](const Pending& copy) { return same(copy.direction) == same(direction); });
}

void let_pipes_run(Core& core) {
  if (machine().options().schedule != Schedule::random || core.pending.empty()) {
    return;
  }
  bool held[2] = {false, false};  // a pipe keeps its order
  for (const auto& copy : core.pending) {
    bool& hold = held[static_cast<int>(copy->pipe)];
    if (!copy->done && !hold && machine().random()() % 2 == 0) {
      copy->run();
      copy->done = true;
    } else if (!copy->done) {
      hold = true;
    }
  }
}

void note_compute(Core& core, const Range& range) {
  for (Range& known : core.computed) {  // loops touch the same ranges again and again
    if (known.begin == range.begin && known.end == range.end && known.write == range.write) {
      known.place = range.place;
      return;
    }
  }
  if (core.computed.size() == kMaxComputed) {
    core.computed.erase(core.computed.begin());
  }
  core.computed.push_back(range);
}

}  // namespace tqm::port::bang
