// A team of threads that runs one function on all members at once, with barriers inside: a decode step is a few hundred
// phases of some microseconds, so members spin between phases, and sleep only when nothing comes for a while.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace tqm {

class Team {
 public:
  explicit Team(int threads);  // the caller is member 0; 0: as many as the process may use
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }
  // Calls work(member) on every member and returns when all have.
  void run(const std::function<void(int)>& work);
  // Inside work: no member goes on until all have come.
  void barrier();
  // Member's share of count things as [first, second), in multiples of grain.
  std::pair<int64_t, int64_t> share(int member, int64_t count, int64_t grain = 1) const;

 private:
  void serve(int member);
  static void await(const std::atomic<uint32_t>& word, uint32_t old);

  int size_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  bool stop_ = false;
  alignas(64) std::atomic<uint32_t> job_{0};
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<uint32_t> turn_{0};
};

}  // namespace tqm
