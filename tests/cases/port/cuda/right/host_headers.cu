// The host's half may include whatever the system has beside what device code may call.
#include "check.h"

#include <bits/stdc++.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <memory.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

__global__ void count_up(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = std::max(i, 3);
}

int main() {
  const int* values = run<int>(count_up, 1, 32, 32);
  std::list<int> listed(values, values + 32);
  std::deque<int> queued(listed.begin(), listed.end());
  std::promise<int> promised;
  promised.set_value(queued.front() + queued.back());
  CHECK(promised.get_future().get() == 3 + 31);
  CHECK(std::distance(listed.begin(), listed.end()) == 32);
  return failures;
}
