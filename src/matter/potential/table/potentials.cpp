#include "matter/potential/table/potentials.hpp"

#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "matter/potential/chgnet/chgnet.hpp"
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

Result<std::unique_ptr<Potential>> open_chgnet_version(const std::string& specification,
                                                       const PotentialOptions& options) {
  const std::filesystem::path file = TRY(potential_file(specification + ".pth"));
  const std::string softening =
      specification == "chgnet-0.3.0"
          ? "forces come out at 0.70 of those of DFT (Li 0.64), RMSE 311 meV/Å, on LiGePS at 1200 K"
      : specification == "chgnet-r2scan"
          ? "forces come out at 0.43 of those of DFT (Li 0.41), RMSE 505 meV/Å, on LiGePS at 1200 K"
          : "not measured; chgnet-0.3.0's forces come out at 0.70 of those of DFT on LiGePS at 1200 K";
  return open_chgnet(file, specification, softening, options);
}

Result<std::unique_ptr<Potential>> open_lennard_jones(const std::string& specification,
                                                      const PotentialOptions& options) {
  const LennardJonesParameters parameters = TRY(parse_lennard_jones(specification));
  return std::unique_ptr<Potential>(new LennardJones(parameters, options));
}

constexpr PotentialKind kKinds[] = {
    {"nep89", "neuroevolution potential of 89 elements; the default", [](std::string_view s) { return s == "nep89"; },
     open_nep89},
    {"chgnet-0.3.0", "CHGNet, with magnetic moments; 94 elements",
     [](std::string_view s) { return s == "chgnet-0.3.0"; }, open_chgnet_version},
    {"chgnet-0.2.0", "its older version", [](std::string_view s) { return s == "chgnet-0.2.0"; }, open_chgnet_version},
    {"chgnet-r2scan", "CHGNet tuned to r2SCAN energies", [](std::string_view s) { return s == "chgnet-r2scan"; },
     open_chgnet_version},
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
