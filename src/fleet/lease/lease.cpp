#include "fleet/lease/lease.hpp"

#include <algorithm>

namespace tqm::fleet {
namespace {

Error not_yours(const Lease& lease, int64_t attempt, const char* next) {
  return Error{ErrorKind::conflict, "attempt " + std::to_string(attempt) + " is not held by this shim",
               "the lease is at attempt " + std::to_string(lease.attempt), next};
}

bool held_by(const Lease& lease, int64_t attempt, const std::string& holder) {
  return lease.state == LeaseState::claimed && lease.attempt == attempt && lease.holder == holder;
}

int64_t free_from_ms(const Lease& lease, const Moment& now) {
  int64_t last = alive_ms(lease.renewed, now);
  if (lease.node_down) last = std::max(last, alive_ms(*lease.node_down, now));
  return last + kFenceMs;
}

}  // namespace

int64_t alive_ms(const Moment& last, const Moment& now) {
  return last.epoch == now.epoch ? last.ms : 0;
}

bool is_fenced(const Lease& lease, const Moment& now) {
  return lease.state != LeaseState::claimed || now.ms > free_from_ms(lease, now);
}

Result<Lease> grant_next(const Lease& lease, const Moment& now) {
  if (!is_fenced(lease, now))
    return Error{ErrorKind::conflict, "attempt " + std::to_string(lease.attempt) + " may still run", lease.holder,
                 "ask again in " + std::to_string(free_from_ms(lease, now) - now.ms + 1) + " ms"};
  Lease next;
  next.attempt = lease.attempt + 1;
  next.state = LeaseState::granted;
  next.renewed = now;
  return next;
}

Result<Lease> claim(const Lease& lease, int64_t attempt, const std::string& holder, const Moment& now) {
  if (held_by(lease, attempt, holder)) return renew(lease, attempt, holder, now);
  if (lease.state != LeaseState::granted || lease.attempt != attempt || holder.empty())
    return not_yours(lease, attempt, "do not start the process");
  Lease mine = lease;
  mine.state = LeaseState::claimed;
  mine.holder = holder;
  mine.renewed = now;
  return mine;
}

Result<Lease> renew(const Lease& lease, int64_t attempt, const std::string& holder, const Moment& now) {
  if (!held_by(lease, attempt, holder)) return not_yours(lease, attempt, "kill everything of this attempt");
  if (now.ms - alive_ms(lease.renewed, now) > kFenceMs)
    return not_yours(lease, attempt, "it was silent for too long: kill everything of this attempt");
  Lease renewed = lease;
  renewed.renewed = now;
  return renewed;
}

Result<Lease> end(const Lease& lease, int64_t attempt, const std::string& holder) {
  if (!held_by(lease, attempt, holder)) return not_yours(lease, attempt, "keep its result to yourself");
  Lease ended = lease;
  ended.state = LeaseState::ended;
  return ended;
}

Lease node_down(const Lease& lease, const Moment& now) {
  Lease down = lease;
  if (lease.state == LeaseState::claimed && !lease.node_down) down.node_down = now;
  return down;
}

Status check_write(const Lease& lease, int64_t attempt, const std::string& holder) {
  if (!held_by(lease, attempt, holder)) return not_yours(lease, attempt, "keep its result to yourself");
  return {};
}

}  // namespace tqm::fleet
