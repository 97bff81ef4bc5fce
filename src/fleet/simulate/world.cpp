#include "fleet/simulate/world.hpp"

#include <algorithm>

namespace tqm::fleet {
namespace {
constexpr int64_t kTickMs = 250;
constexpr int64_t kRenewMs = 1000;
}  // namespace

World::World(uint64_t seed, const std::vector<std::string>& node_types, size_t count) : random(seed) {
  for (size_t i = 0; i < count; ++i) {
    Host host;
    host.node_type = node_types[i % node_types.size()];
    hosts.push_back(std::move(host));
  }
}

void World::advance(int64_t ms) {
  for (const int64_t until = now_ms + ms; now_ms < until;) {
    now_ms += kTickMs;
    tick();
  }
}

void World::tick() {
  std::vector<Answer> arrived;
  std::erase_if(to_shims, [&](const Answer& answer) {
    if (answer.arrives_ms > now_ms) return false;
    arrived.push_back(answer);
    return true;
  });
  random.shuffle(arrived);
  for (const Answer& answer : arrived) receive(answer);
  for (size_t i = 0; i < shims.size(); ++i)
    if (shims[i].state != ShimState::gone) run_shim(i);
}

void World::run_shim(size_t index) {
  Shim& shim = shims[index];
  if (shim.state == ShimState::running) {
    if (now_ms > shim.answered_ms + kFenceMs) {  // fenced: killed without saving
      shim.state = ShimState::gone;
      return;
    }
    shim.ran_s = std::min((now_ms - shim.started_ms) / 1000, shim.paid_until_s);
    const bool done = shim.ran_s >= shim.work_s, out = shim.ran_s >= shim.paid_until_s;
    if (!done && random.below(8) == 0) shim.checkpoint_s = shim.ran_s;
    if (done || out || shim.stop) {
      if (done) shim.ran_s = shim.work_s;
      shim.end_reason = done ? (shim.fails ? EndReason::failed : EndReason::done) : shim.stop_reason;
      if (!done) shim.checkpoint_s = shim.ran_s;
      shim.state = ShimState::ending;
      shim.sent_ms = now_ms - kRenewMs;
    }
  }
  if (shim.state == ShimState::ending && now_ms > shim.answered_ms + 20 * kFenceMs) {
    shim.state = ShimState::gone;  // nobody listens any more
    return;
  }
  if (now_ms - shim.sent_ms < kRenewMs) return;
  shim.sent_ms = now_ms;
  send(index, shim.state == ShimState::claiming  ? Message::claim
              : shim.state == ShimState::running ? Message::renew
                                                 : Message::end);
}

void World::send(size_t index, Message::Kind kind) {
  const Shim& shim = shims[index];
  if (hosts[shim.host].cut_off) return;
  Message message;
  message.kind = kind;
  message.shim = index;
  message.use = {shim.attempt, shim.acknowledged_s, shim.ran_s, shim.checkpoint_s};
  message.reason = shim.end_reason;
  message.sent_ms = now_ms;
  const uint64_t copies = random.below(20) == 0 ? 0 : random.below(10) == 0 ? 2 : 1;
  for (uint64_t copy = 0; copy < copies; ++copy) {
    message.arrives_ms = now_ms + static_cast<int64_t>(random.below(random.below(20) == 0 ? 9000 : 600));
    to_service.push_back(message);
  }
}

std::vector<Message> World::take_arrived() {
  std::vector<Message> arrived;
  std::erase_if(to_service, [&](const Message& message) {
    if (message.arrives_ms > now_ms) return false;
    arrived.push_back(message);
    return true;
  });
  random.shuffle(arrived);
  return arrived;
}

void World::answer(const Answer& answer, bool lost) {
  if (lost || hosts[shims[answer.shim].host].cut_off || random.below(20) == 0) return;
  Answer delayed = answer;
  delayed.arrives_ms = now_ms + static_cast<int64_t>(random.below(random.below(20) == 0 ? 7000 : 500));
  to_shims.push_back(delayed);
}

void World::receive(const Answer& answer) {
  Shim& shim = shims[answer.shim];
  if (shim.state == ShimState::gone || hosts[shim.host].cut_off) return;
  if (answer.refused) {
    shim.state = ShimState::gone;
    return;
  }
  if (answer.kind == Message::end) {
    if (shim.state == ShimState::ending) shim.state = ShimState::gone;
    return;
  }
  shim.acknowledged_s = std::max(shim.acknowledged_s, answer.to);
  shim.paid_until_s = std::max(shim.paid_until_s, answer.permit.paid_until);
  shim.stop_reason = answer.permit.why;
  if (answer.permit.stop) shim.stop = true;
  if (shim.state == ShimState::claiming && now_ms <= answer.sent_ms + kFenceMs) {
    shim.state = ShimState::running;
    shim.started_ms = now_ms;
    shim.answered_ms = answer.sent_ms;
  }
  if (shim.state != ShimState::claiming) shim.answered_ms = std::max(shim.answered_ms, answer.sent_ms);
}

bool World::live(const std::string& job, int64_t attempt) const {
  return std::any_of(shims.begin(), shims.end(), [&](const Shim& shim) {
    return shim.attempt == attempt && shim.state != ShimState::gone && shim.job == job;
  });
}

void World::submit(const std::string& job, int64_t attempt, const std::string& node_type, int64_t nodes) {
  if (placed_.contains({job, attempt})) return;  // the same again
  std::vector<size_t> busy, chosen;
  for (const auto& [task, on] : placed_)
    if (live(task.first, task.second)) busy.insert(busy.end(), on.begin(), on.end());
  for (size_t i = 0; i < hosts.size() && chosen.size() < static_cast<size_t>(nodes); ++i)
    if (hosts[i].up && hosts[i].node_type == node_type && std::find(busy.begin(), busy.end(), i) == busy.end())
      chosen.push_back(i);
  if (chosen.size() < static_cast<size_t>(nodes)) return;
  placed_[{job, attempt}] = chosen;
  const int copies = random.below(10) == 0 ? 2 : 1;  // the engine itself may start one twice
  for (int copy = 0; copy < copies; ++copy) {
    Shim shim;
    shim.holder = "shim" + std::to_string(++holders_);
    shim.job = job;
    shim.attempt = attempt;
    shim.host = chosen.front();
    shim.work_s = 1 + static_cast<int64_t>(random.below(90));
    shim.fails = random.below(10) == 0;
    shims.push_back(std::move(shim));
  }
}

void World::kill(const std::string& job, int64_t attempt) {
  for (Shim& shim : shims)
    if (shim.job == job && shim.attempt == attempt && !hosts[shim.host].cut_off) shim.state = ShimState::gone;
}

void World::stop(const std::string& job, int64_t attempt, EndReason reason) {
  for (Shim& shim : shims)
    if (shim.job == job && shim.attempt == attempt && shim.state == ShimState::running && !hosts[shim.host].cut_off)
      shim.stop = true, shim.stop_reason = reason;
}

std::vector<EngineTask> World::tasks() const {
  std::vector<EngineTask> result;
  for (const auto& [task, on] : placed_) {
    EngineTask one{task.first, task.second, !live(task.first, task.second), false};
    for (size_t host : on)
      if (hosts[host].word_ms >= 0 && now_ms >= hosts[host].word_ms) one.node_down = true;
    result.push_back(std::move(one));
  }
  return result;
}

std::map<std::string, int64_t> World::free_nodes() const {
  std::map<std::string, int64_t> free;
  std::vector<bool> busy(hosts.size(), false);
  for (const auto& [task, on] : placed_) {
    if (live(task.first, task.second))
      for (size_t host : on) busy[host] = true;
  }
  for (size_t i = 0; i < hosts.size(); ++i)
    if (hosts[i].up && !busy[i]) ++free[hosts[i].node_type];
  return free;
}

void World::fail_host() {
  const size_t chosen = static_cast<size_t>(random.below(hosts.size()));
  hosts[chosen].up = false;
  hosts[chosen].word_ms = now_ms + static_cast<int64_t>(random.below(12'000));
  for (Shim& shim : shims)
    if (shim.host == chosen) shim.state = ShimState::gone;
}

void World::cut_off_host() {
  Host& host = hosts[static_cast<size_t>(random.below(hosts.size()))];
  host.cut_off = true;
  if (random.below(2) == 0) host.word_ms = now_ms + static_cast<int64_t>(random.below(12'000));
}

void World::mend_host() {
  const size_t chosen = static_cast<size_t>(random.below(hosts.size()));
  Host& host = hosts[chosen];
  host.up = true, host.cut_off = false, host.word_ms = -1;
}

std::string World::running_twice() const {
  std::map<std::string_view, int> running;
  for (const Shim& shim : shims)
    if (shim.state == ShimState::running && now_ms <= shim.answered_ms + kFenceMs && ++running[shim.job] > 1)
      return shim.job;
  return "";
}

}  // namespace tqm::fleet
