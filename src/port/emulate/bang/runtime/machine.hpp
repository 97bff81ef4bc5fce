// The machine: it runs a launch, core by core, and holds what the calls of a running kernel need.
//
// Each core of a union job is a fiber; all run on one thread, one at a time, and change only where a core waits at a
// barrier or ends. Block tasks run one after the other. The order of cores and tasks is an option, because a program
// that needs one order is wrong.
#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "port/emulate/bang/runtime/arena.hpp"
#include "port/emulate/bang/runtime/core.hpp"
#include "port/emulate/bang/runtime/fault.hpp"

namespace tqm::port::bang {

enum class Order { forward, reverse, random };
enum class Schedule { eager, latest, random };  // when copies in flight move their bytes
enum class Precision { exact, worst };          // of approximate functions

struct Options {
  Order order = Order::forward;
  Schedule schedule = Schedule::eager;
  Precision precision = Precision::exact;
  unsigned poison = 1;
  std::uint64_t seed = 1;
  std::uint64_t max_tasks = 0;  // 0: no bound
};

struct Launch {
  unsigned x = 1, y = 1, z = 1;
  unsigned clusters = 0;  // 0: Block, else 1, 2, 4, 8
  void (*body)(void*) = nullptr;
  void* closure = nullptr;
};

class Machine {
 public:
  Machine(const ChipFigures& chip, const Options& options);

  // Runs it to its end, or to a fault that it can't go on from (false).
  bool run(const Launch& launch);

  Arena& arena() { return arena_; }
  Faults& faults() { return faults_; }
  const Options& options() const { return options_; }
  std::map<std::string, std::uint64_t>& counters() { return counters_; }
  std::unordered_map<const char*, std::uint64_t>& calls() { return calls_; }
  std::mt19937_64& random() { return random_; }
  std::uint8_t poison() const { return options_.poison == 1 ? 0xff : 0x7f; }

  Core* core() { return core_; }  // that runs now; null outside a kernel
  [[noreturn]] void abandon();    // gives the launch up: from a kernel's fiber alone
  [[noreturn]] void fatal(const char* kind, const void* place, std::string text);

  // While it lives, a kernel that divides an integer by zero or jumps astray is a fault and not the process's end.
  void catch_traps();

  // Waits in a barrier; returns when all are there.
  void wait(const Wait& wait);
  std::map<const void*, void*>& cluster_variables(unsigned cluster) { return cluster_variables_[cluster]; }
  unsigned cores_in_cluster() const { return arena_.chip().cores_a_cluster; }
  bool on_stack(const void* address) const;

 private:
  static void enter();
  static void trapped(int signal, siginfo_t* info, void* context);
  bool run_union(const Launch& launch, unsigned first_task);
  bool run_block(const Launch& launch, unsigned task);
  void prepare(Core& core, const Launch& launch);
  void resume(Core& core);
  bool release(std::vector<Core*>& cores);
  bool meet(const std::vector<Core*>& members, tqm_bang::Sync what);
  void report_deadlock(const std::vector<Core*>& cores);
  void set_variables(const Core& core, const Launch& launch);

  Options options_;
  Arena arena_;
  Faults faults_;
  std::map<std::string, std::uint64_t> counters_;
  std::unordered_map<const char*, std::uint64_t> calls_;  // by name, whose text is a literal
  std::mt19937_64 random_;
  std::vector<Core> cores_;
  std::vector<std::byte*> stacks_;
  std::map<unsigned, std::map<const void*, void*>> cluster_variables_;
  Core* core_ = nullptr;
  const Launch* launch_ = nullptr;
  ucontext_t scheduler_{};
  bool abandoned_ = false;
};

// The one machine of a side; the calls of a kernel have no other way to it.
Machine& machine();
bool has_machine();
void set_machine(Machine* machine);

}  // namespace tqm::port::bang
