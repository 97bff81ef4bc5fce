// Plants faults in the translation of a source and says which of them verification finds.
// usage: port_mutants SOURCE.cu HARNESS.toml [MOST] [SEED]
// One line a mutant, then "caught N of M (P %), K do not compile"; survivors are printed with their line before and
// after.
#include <cstdlib>
#include <iostream>

#include "chips/catalogue.hpp"
#include "port/verify/program/hunt.hpp"
#include "task/main.hpp"

namespace {

using tqm::port::Hunted;

void print(const Hunted& hunted) {
  const char* end = hunted.end == Hunted::End::caught     ? "caught"
                    : hunted.end == Hunted::End::survived ? "survived"
                                                          : "no-program";
  std::cout << end << " " << name(hunted.mutant.slip) << " " << hunted.kernel << " line " << hunted.mutant.line << ": "
            << hunted.mutant.before << "  ->  " << hunted.mutant.after << std::endl;
}

tqm::Result<int> body(int argc, char** argv) {
  if (argc < 3)
    return tqm::Error{tqm::ErrorKind::usage, "a source and a harness are needed", "",
                      "port_mutants SOURCE.cu HARNESS.toml [MOST] [SEED]"};
  tqm::port::VerifyRequest request;
  request.path = argv[1];
  request.chip = TRY(tqm::chips::find_chip("mlu370-x8"));
  request.cases.harness = TRY(tqm::port::read_harness(argv[2]));
  const std::size_t most = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 500;
  if (argc > 4) request.cases.seed = std::strtoull(argv[4], nullptr, 10);
  request.bounds.seconds = 10;
  const auto all = TRY(tqm::port::hunt(request, most, print));
  std::size_t caught = 0, survived = 0;
  for (const Hunted& hunted : all) {
    caught += hunted.end == Hunted::End::caught;
    survived += hunted.end == Hunted::End::survived;
  }
  std::cout << "caught " << caught << " of " << caught + survived << ", " << all.size() - caught - survived
            << " do not compile" << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tqm::task::run_program("port_mutants", argc, argv, body);
}
