// The world around the service, in virtual time: hosts with shims on them, and a network between them and the service
// that loses, delays, doubles and reorders. It knows the truth (which process ran when, for how long), and so can say
// what the service's books should hold.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "fleet/operate/jobs.hpp"

namespace tqm::fleet {

enum class ShimState {
  claiming,  // asks for the attempt; nothing runs
  running,
  ending,  // the process has ended, the service does not know it yet
  gone,
};

// One shim and the process under it.
struct Shim {
  std::string holder, job;
  int64_t attempt = 0;
  size_t host = 0;
  ShimState state = ShimState::claiming;
  int64_t started_ms = 0;        // true time
  int64_t answered_ms = 0;       // when the last request that was answered had been sent
  int64_t sent_ms = -1'000'000;  // the last request
  int64_t ran_s = 0;             // whole seconds of the process
  int64_t acknowledged_s = 0;
  int64_t checkpoint_s = 0;
  int64_t paid_until_s = 0;
  int64_t work_s = 0;  // after which the process is done
  bool fails = false;  // it ends with an error instead
  bool stop = false;
  EndReason stop_reason = EndReason::stopped, end_reason = EndReason::done;
};

struct Host {
  std::string node_type;
  bool up = true;
  bool cut_off = false;  // from the service
  int64_t word_ms = -1;  // when the engine will say that it is down; -1: it has nothing to say
};

struct Message {
  enum Kind { claim, renew, end } kind = renew;
  size_t shim = 0;
  UseReport use;
  EndReason reason = EndReason::done;
  int64_t sent_ms = 0, arrives_ms = 0;
};

struct Answer {
  size_t shim = 0;
  Message::Kind kind = Message::renew;
  bool refused = false;  // conflict: not yours
  Permit permit;
  int64_t to = 0, sent_ms = 0, arrives_ms = 0;
};

class World {
 public:
  World(uint64_t seed, const std::vector<std::string>& node_types, size_t hosts);

  int64_t now_ms = 0;
  Random random;
  std::vector<Host> hosts;
  std::vector<Shim> shims;
  std::vector<Message> to_service;
  std::vector<Answer> to_shims;

  // Time passes for processes, fences and the network. Ticks of 250 ms.
  void advance(int64_t ms);
  // Messages that arrive now, in any order.
  std::vector<Message> take_arrived();
  void answer(const Answer& answer, bool lost);

  // The engine's side.
  void submit(const std::string& job, int64_t attempt, const std::string& node_type, int64_t nodes);
  void kill(const std::string& job, int64_t attempt);
  void stop(const std::string& job, int64_t attempt, EndReason reason);
  std::vector<EngineTask> tasks() const;
  std::map<std::string, int64_t> free_nodes() const;

  // Faults.
  void fail_host();
  void mend_host();
  void cut_off_host();

  // A job whose process runs twice at this moment; empty where there is none.
  std::string running_twice() const;

 private:
  void tick();
  bool live(const std::string& job, int64_t attempt) const;
  void run_shim(size_t index);
  void send(size_t index, Message::Kind kind);
  void receive(const Answer& answer);
  std::map<std::pair<std::string, int64_t>, std::vector<size_t>> placed_;  // hosts of a task that is not gone
  int64_t holders_ = 0;
};

}  // namespace tqm::fleet
