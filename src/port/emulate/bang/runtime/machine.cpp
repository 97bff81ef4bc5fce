#include "port/emulate/bang/runtime/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

#include "port/emulate/bang/runtime/pipes.hpp"

namespace tqm_bang {

unsigned task_id, task_id_x, task_id_y, task_id_z, task_dim, task_dim_x, task_dim_y, task_dim_z;
unsigned cluster_id, cluster_dim, core_id, core_dim;

}  // namespace tqm_bang

namespace tqm::port::bang {

namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 20;
constexpr unsigned kMpu = 0x80;

Machine* the_machine = nullptr;

const char* core_name(const Core& core) {
  return core.mpu ? "the MPU" : "an IPU";
}

template <class T>
void put_in_order(std::vector<T>& things, Order order, std::mt19937_64& random) {
  if (order == Order::reverse) {
    std::reverse(things.begin(), things.end());
  } else if (order == Order::random) {
    std::shuffle(things.begin(), things.end(), random);
  }
}

}  // namespace

Machine& machine() {
  return *the_machine;
}
bool has_machine() {
  return the_machine != nullptr;
}
void set_machine(Machine* machine) {
  the_machine = machine;
}

Machine::Machine(const ChipFigures& chip, const Options& options)
    : options_(options), arena_(chip), random_(options.seed) {}

bool Machine::run(const Launch& launch) {
  launch_ = &launch;
  abandoned_ = false;
  const unsigned tasks = launch.x * launch.y * launch.z;
  const unsigned together = launch.clusters == 0 ? 1 : launch.clusters * cores_in_cluster();
  if (tasks == 0 || (launch.clusters != 0 && (launch.x % together != 0 || launch.clusters > arena_.chip().clusters))) {
    faults_.add(kTaskType, nullptr,
                "a Union" + std::to_string(launch.clusters) + " launch of " + std::to_string(launch.x) + " x " +
                    std::to_string(launch.y) + " x " + std::to_string(launch.z) + " tasks: x must be a multiple of " +
                    std::to_string(together) + ", on a chip of " + std::to_string(arena_.chip().clusters) +
                    " clusters");
    return false;
  }
  // Slots, and with them clocks, number the tasks of the whole launch, so that tasks that never meet are never ordered.
  for (const Region& region : arena_.gdram_buffers()) {
    arena_.clear_touches(region);
  }
  std::vector<unsigned> jobs(tasks / together);
  for (unsigned i = 0; i < jobs.size(); ++i) {
    jobs[i] = i;
  }
  put_in_order(jobs, options_.order, random_);
  for (const unsigned job : jobs) {
    if (!(launch.clusters == 0 ? run_block(launch, job) : run_union(launch, job * together))) {
      return false;
    }
  }
  return true;
}

void Machine::prepare(Core& core, const Launch& launch) {
  core.task_x = core.task_id % launch.x;
  core.task_y = core.task_id / launch.x % launch.y;
  core.task_z = core.task_id / (launch.x * launch.y);
  for (const Space space : {Space::nram, Space::wram, Space::ldram}) {
    arena_.reset(space, core.arena);
  }
  while (stacks_.size() <= core.arena) {
    void* memory =
        mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stacks_.push_back(memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory));
  }
  core.stack = stacks_[core.arena];
  getcontext(&core.context);
  core.context.uc_stack.ss_sp = core.stack;
  core.context.uc_stack.ss_size = kStackBytes;
  core.context.uc_link = &scheduler_;
  makecontext(&core.context, &Machine::enter, 0);
}

bool Machine::run_block(const Launch& launch, unsigned task) {
  cores_ = std::vector<Core>(1);
  Core& core = cores_[0];
  core.slot = core.first_slot = 1 + task % 65000;
  core.task_id = task;
  prepare(core, launch);
  core.clock.assign(1, 1);
  std::vector<Core*> all{&core};
  while (!abandoned_ && core.state != Core::State::done) {
    resume(core);
    if (core.state == Core::State::waiting) {
      core.state = Core::State::ready;  // every barrier is a local sync here
    }
  }
  return !abandoned_;
}

bool Machine::run_union(const Launch& launch, unsigned first_task) {
  const unsigned ipus = cores_in_cluster();
  cores_ = std::vector<Core>(launch.clusters * (ipus + 1));
  std::vector<Core*> order;
  for (unsigned i = 0; i < cores_.size(); ++i) {
    Core& core = cores_[i];
    const unsigned within = i % (ipus + 1);
    core.first_slot = 1 + first_task / ipus * (ipus + 1) % 65000;
    core.slot = core.first_slot + i;
    core.arena = i;
    core.cluster = i / (ipus + 1);
    core.mpu = within == ipus;
    core.core_id = core.mpu ? kMpu : within;
    // What taskId is on an MPU is not documented. Kernels that ran on cards without a guard need one that is in range
    // and, for some, a multiple of coreDim: that of the cluster's first IPU.
    core.task_id = first_task + core.cluster * ipus + (core.mpu ? 0 : within);
    prepare(core, launch);
    core.clock.assign(cores_.size(), 0);
    core.clock[i] = 1;
    order.push_back(&core);
  }
  cluster_variables_.clear();
  for (unsigned cluster = 0; cluster < launch.clusters; ++cluster) {
    arena_.reset(Space::sram, cluster);
  }
  put_in_order(order, options_.order, random_);
  while (!abandoned_) {
    bool ran = false;
    for (Core* core : order) {
      if (core->state == Core::State::ready) {
        resume(*core);
        ran = true;
        if (abandoned_) {
          return false;
        }
      }
    }
    if (!ran && !release(order)) {
      if (std::all_of(order.begin(), order.end(), [](Core* core) { return core->state == Core::State::done; })) {
        return true;
      }
      report_deadlock(order);
      return false;
    }
  }
  return false;
}

void Machine::set_variables(const Core& core, const Launch& launch) {
  tqm_bang::task_id = core.task_id;
  tqm_bang::task_id_x = core.task_x;
  tqm_bang::task_id_y = core.task_y;
  tqm_bang::task_id_z = core.task_z;
  tqm_bang::task_dim = launch.x * launch.y * launch.z;
  tqm_bang::task_dim_x = launch.x;
  tqm_bang::task_dim_y = launch.y;
  tqm_bang::task_dim_z = launch.z;
  tqm_bang::cluster_id = core.cluster;
  tqm_bang::cluster_dim = launch.clusters;
  tqm_bang::core_id = core.core_id;
  tqm_bang::core_dim = launch.clusters == 0 ? 1 : cores_in_cluster();
}

void Machine::resume(Core& core) {
  core_ = &core;
  set_variables(core, *launch_);
  swapcontext(&scheduler_, &core.context);
  core_ = nullptr;
}

void Machine::enter() {
  Machine& self = machine();
  Core& core = *self.core_;
  self.launch_->body(self.launch_->closure);
  wait_for_pipes(core, true, true, true);
  core.state = Core::State::done;
  swapcontext(&core.context, &self.scheduler_);
}

void Machine::catch_traps() {
  static std::byte stack[64 << 10];  // a kernel may have run out of its own
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_sigaction = &Machine::trapped;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGTRAP}) {
    sigaction(signal, &action, nullptr);
  }
}

// Where a core runs, the core ends here: its stack is left as it is, and nobody comes back to it. Elsewhere the fault
// is ours, and the process ends as it would have.
void Machine::trapped(int signal, siginfo_t*, void* context) {
  if (!has_machine() || machine().core_ == nullptr) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  const auto at = static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  machine().faults_.add(
      kTrap, reinterpret_cast<const void*>(at + 1),
      signal == SIGFPE ? "an integer is divided by zero" : "the kernel reaches memory or code that is not there");
  machine().abandoned_ = true;
  machine().core_->state = Core::State::done;
  setcontext(&machine().scheduler_);
}

void Machine::abandon() {
  abandoned_ = true;
  core_->state = Core::State::done;
  swapcontext(&core_->context, &scheduler_);
  std::abort();  // nobody resumes an abandoned core
}

void Machine::fatal(const char* kind, const void* place, std::string text) {
  faults_.add(kind, place, std::move(text));
  abandon();
}

void Machine::wait(const Wait& wait) {
  core_->wait = wait;
  core_->state = Core::State::waiting;
  swapcontext(&core_->context, &scheduler_);
}

bool Machine::on_stack(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  return core_ != nullptr && byte >= core_->stack && byte < core_->stack + kStackBytes;
}

// All of them wait there: they go on, and know of all that each did before.
bool Machine::meet(const std::vector<Core*>& members, tqm_bang::Sync what) {
  for (const Core* core : members) {
    if (core->state != Core::State::waiting || core->wait.what != what) {
      return false;
    }
  }
  std::vector<std::uint32_t> clock(members.front()->clock.size(), 0);
  for (const Core* core : members) {
    for (std::size_t i = 0; i < clock.size(); ++i) {
      clock[i] = std::max(clock[i], core->clock[i]);
    }
  }
  for (Core* core : members) {
    core->clock = clock;
    ++core->clock[core->slot - core->first_slot];
    core->state = Core::State::ready;
  }
  return !members.empty();
}

bool Machine::release(std::vector<Core*>& cores) {
  using tqm_bang::Sync;
  std::vector<Core*> ipus, mpus;
  std::map<unsigned, std::vector<Core*>> clusters, cluster_ipus;
  for (Core* core : cores) {
    (core->mpu ? mpus : ipus).push_back(core);
    clusters[core->cluster].push_back(core);
    if (!core->mpu) {
      cluster_ipus[core->cluster].push_back(core);
    }
  }
  bool met = meet(cores, Sync::union_all);
  met = (!met && meet(ipus, Sync::union_ipu)) || met;
  met = meet(mpus, Sync::union_mpu) || met;
  for (const auto& [cluster, members] : clusters) {
    met = meet(members, Sync::cluster) || met;
  }
  for (const auto& [cluster, members] : cluster_ipus) {
    met = meet(members, Sync::cluster_ipu) || met;
  }
  return met;
}

void Machine::report_deadlock(const std::vector<Core*>& cores) {
  const auto waiting =
      std::find_if(cores.begin(), cores.end(), [](const Core* core) { return core->state == Core::State::waiting; });
  const Core& first = **waiting;
  std::string text =
      std::string(core_name(first)) + " of cluster " + std::to_string(first.cluster) + " waits at " + first.wait.call;
  const auto other = std::find_if(cores.begin(), cores.end(), [&](const Core* core) {
    return core->state == Core::State::done || core->wait.place != first.wait.place;
  });
  if (other != cores.end()) {
    const Core& missing = **other;
    const std::string who = (missing.mpu == first.mpu ? std::string("another core") : std::string(core_name(missing)));
    text += missing.state == Core::State::done
                ? " for " + who + ", which has returned: " +
                      (first.wait.what == tqm_bang::Sync::cluster || first.wait.what == tqm_bang::Sync::union_all
                           ? "this barrier counts the IPUs and the MPU"
                           : "this barrier counts all of its cores")
                : " while " + who + " waits at " + missing.wait.call + " (" + faults_.at(missing.wait.place) + ")";
  }
  faults_.add(kBarrier, first.wait.place, text);
}

}  // namespace tqm::port::bang
