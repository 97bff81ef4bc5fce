#include "base/team.hpp"

#include <algorithm>

#include "base/process.hpp"

namespace tqm {
namespace {

// About 50 microseconds of spinning, longer than any phase of a small model leaves a member waiting; then the kernel is
// asked to wake us, so that a busy machine is not kept busier.
constexpr int kSpins = 2000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Team::Team(int threads) : size_(threads > 0 ? threads : usable_processors()) {
  for (int member = 1; member < size_; ++member) threads_.emplace_back([this, member] { serve(member); });
}

Team::~Team() {
  stop_ = true;
  job_.fetch_add(1, std::memory_order_release);
  job_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::await(const std::atomic<uint32_t>& word, uint32_t old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (word.load(std::memory_order_acquire) != old) return;
    relax();
  }
  while (word.load(std::memory_order_acquire) == old) word.wait(old, std::memory_order_acquire);
}

void Team::serve(int member) {
  for (uint32_t seen = 0;;) {
    await(job_, seen);
    ++seen;
    if (stop_) return;
    (*work_)(member);
    barrier();
  }
}

void Team::run(const std::function<void(int)>& work) {
  if (size_ == 1) return work(0);
  work_ = &work;
  job_.fetch_add(1, std::memory_order_release);
  job_.notify_all();
  work(0);
  barrier();
}

void Team::barrier() {
  if (size_ == 1) return;
  const uint32_t turn = turn_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {
    arrived_.store(0, std::memory_order_relaxed);
    turn_.store(turn + 1, std::memory_order_release);
    turn_.notify_all();
  } else {
    await(turn_, turn);
  }
}

std::pair<int64_t, int64_t> Team::share(int member, int64_t count, int64_t grain) const {
  const int64_t grains = (count + grain - 1) / grain;
  const int64_t first = grains * member / size_ * grain, last = grains * (member + 1) / size_ * grain;
  return {std::min(first, count), std::min(last, count)};
}

}  // namespace tqm
