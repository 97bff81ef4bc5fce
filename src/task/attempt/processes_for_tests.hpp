// For tests of real processes: waiting for what they do, and seeing that they are gone.
#pragma once

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace tqm::task {

// Looks again and again until it holds; false after two minutes, which no healthy machine takes.
template <class Condition>
bool wait_for(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// A zombie that nobody waits for is gone too.
inline bool is_gone(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  return !std::getline(file, line) || line.substr(line.rfind(')') + 2, 1) == "Z";
}

}  // namespace tqm::task
