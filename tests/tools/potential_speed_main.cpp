// How long a step of a potential takes: energy, forces and stress of a structure whose atoms move by 0.01 Å from step
// to step. usage: potential_speed POTENTIAL STRUCTURE THREADS STEPS; prints the median and the least in ms.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "matter/io/frames.hpp"
#include "matter/potential/table/potentials.hpp"

namespace {

tqm::Status body(char** argv) {
  using namespace tqm::matter;
  Structure structure = TRY(read_structure(argv[2]));
  const auto potential = TRY(open_potential(argv[1], {.species = structure.numbers, .threads = std::atoi(argv[3])}));
  tqm::Random random(1);
  Evaluation out;
  std::vector<double> times;
  const int steps = std::atoi(argv[4]);
  for (int step = 0; step < steps + 2; ++step) {
    for (Vec3& x : structure.positions) x += Vec3{random.normal(), random.normal(), random.normal()} * 0.01;
    const int64_t begin = tqm::system_clock().monotonic_ns();
    TRY(potential->evaluate(structure, out));
    if (step >= 2) times.push_back(tqm::seconds_between(begin, tqm::system_clock().monotonic_ns()) * 1000);
  }
  std::sort(times.begin(), times.end());
  std::printf("%.3f %.3f\n", times[times.size() / 2], times[0]);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("usage: potential_speed POTENTIAL STRUCTURE THREADS STEPS\n", stderr), 1;
  const tqm::Status status = body(argv);
  if (!status) std::fprintf(stderr, "%s\n", status.error().message().c_str());
  return status ? 0 : 1;
}
