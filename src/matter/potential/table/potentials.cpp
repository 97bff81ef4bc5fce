#include "matter/potential/table/potentials.hpp"

#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "matter/potential/lennard_jones/lennard_jones.hpp"
#include "matter/potential/nep/nep.hpp"

namespace tqm::matter {
namespace {

Result<std::unique_ptr<Potential>> open_nep89(const std::string&, const PotentialOptions& options) {
  const std::filesystem::path file = TRY(potential_file("nep89.txt"));
  auto nep =
      TRY(Nep::open(file, "nep89",
                    "forces come out at 0.90 of those of DFT (Li 0.92), RMSE 223 meV/Å, on LiGePS at 1200 K", options));
  return std::unique_ptr<Potential>(std::move(nep));
}

Result<std::unique_ptr<Potential>> open_nep_file(const std::string& specification, const PotentialOptions& options) {
  auto nep = TRY(
      Nep::open(specification, specification, "not known: measure it by --against frames of your material", options));
  return std::unique_ptr<Potential>(std::move(nep));
}

Result<std::unique_ptr<Potential>> open_lennard_jones(const std::string& specification,
                                                      const PotentialOptions& options) {
  const LennardJonesParameters parameters = TRY(parse_lennard_jones(specification));
  return std::unique_ptr<Potential>(new LennardJones(parameters, options));
}

constexpr PotentialKind kKinds[] = {
    {"nep89", "neuroevolution potential of 89 elements; the default", [](std::string_view s) { return s == "nep89"; },
     open_nep89},
    {"lennard-jones", "argon, or lennard-jones:epsilon=…,sigma=…,cutoff=… (eV, Å); for tests",
     [](std::string_view s) { return s.substr(0, s.find(':')) == "lennard-jones"; }, open_lennard_jones},
    {"FILE.txt", "a nep.txt of version 3, 4 or 5",
     [](std::string_view s) { return s.size() > 4 && s.substr(s.size() - 4) == ".txt"; }, open_nep_file},
};

}  // namespace

std::span<const PotentialKind> potential_kinds() {
  return kKinds;
}

Result<std::unique_ptr<Potential>> open_potential(const std::string& specification, const PotentialOptions& options) {
  std::vector<std::string> names;
  for (const PotentialKind& kind : kKinds) {
    if (kind.is(specification)) return kind.open(specification, options);
    names.emplace_back(kind.name);
  }
  const std::string meant = did_you_mean(specification, names);
  return Error{ErrorKind::usage, "there is no potential \"" + specification + "\"", "--potential",
               meant.empty() ? "there are " + join(names, ", ") : meant};
}

Result<std::filesystem::path> potential_file(const std::string& name) {
  const auto given = environment_variable("TORQUETUM_POTENTIALS");
  const std::filesystem::path folder =
      given ? std::filesystem::path(*given) : own_binary().parent_path().parent_path() / "deps" / "potentials";
  std::error_code ignored;
  if (std::filesystem::exists(folder / name, ignored)) return folder / name;
  return Error{ErrorKind::not_found, "the potential's file " + name + " is not there", folder.string(),
               "fetch it by tools/setup potentials, or name the folder that holds it by TORQUETUM_POTENTIALS"};
}

}  // namespace tqm::matter
