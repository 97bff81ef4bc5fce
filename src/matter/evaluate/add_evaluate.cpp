#include "matter/evaluate/add_evaluate.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "matter/evaluate/evaluate.hpp"
#include "matter/potential/table/potentials.hpp"

namespace tqm::matter {
namespace {

struct Given {
  std::filesystem::path file, against;
  std::string potential = std::string(kDefaultPotential), from, device = "cpu";
  int threads = 0;
  bool json = false, float64 = false, sites = false;
};

// Everything that stands in a file: a potential is cut to it.
Status add_species(const std::filesystem::path& path, const std::string& form, std::vector<int>& species) {
  const auto reader = TRY(open_frames(path, form));
  for (;;) {
    const auto frame = TRY(reader->next());
    if (!frame) return {};
    for (const int number : frame->numbers) {
      if (std::find(species.begin(), species.end(), number) == species.end()) species.push_back(number);
    }
  }
}

Result<int> run(const Given& given) {
  if (given.file.empty() && given.against.empty()) {
    return Error{ErrorKind::usage, "nothing to evaluate", "", "name a FILE, or frames with --against"};
  }
  PotentialOptions options{.device = given.device, .float64 = given.float64, .threads = given.threads};
  Structure structure;
  if (!given.file.empty()) {
    structure = TRY(read_structure(given.file, given.from));
    options.species = structure.numbers;
  }
  if (!given.against.empty()) TRY(add_species(given.against, "", options.species));
  std::sort(options.species.begin(), options.species.end());
  options.species.erase(std::unique(options.species.begin(), options.species.end()), options.species.end());
  const auto potential = TRY(open_potential(given.potential, options));

  Json json = {{"potential", potential->name()}, {"softening", potential->softening()}};
  std::string text = "potential " + potential->name() + " (softening: " + potential->softening() + ")\n";
  if (!given.file.empty()) {
    Evaluation evaluation;
    TRY(potential->evaluate(structure, evaluation));
    json.update({{"formula", formula(structure)}, {"atoms", structure.size()}});
    json.update(evaluation_json(structure, evaluation));
    if (given.sites) json["site_energies_ev"] = evaluation.site_energies;
    text += evaluation_text(structure, evaluation);
  }
  if (!given.against.empty()) {
    const auto frames = TRY(open_frames(given.against));
    const Comparison comparison = TRY(compare_forces(*potential, *frames, given.against.string()));
    json["against"] = comparison_json(comparison);
    text += comparison_text(comparison);
  }
  std::cout << (given.json ? dump_json(json) + "\n" : text);
  return 0;
}

}  // namespace

std::function<Result<int>()> add_evaluate(CLI::App& app) {
  auto given = std::make_shared<Given>();
  CLI::App* command = app.add_subcommand("evaluate", "Energy, forces and stress of a structure, by a potential");
  std::string footer = "Potentials:\n";
  for (const PotentialKind& kind : potential_kinds()) {
    footer += "  " + std::string(kind.name) + std::string(kind.name.size() < 14 ? 14 - kind.name.size() : 1, ' ') +
              std::string(kind.about) + "\n";
  }
  command->footer(footer +
                  "Of a trajectory the last frame is meant. Stress is xx yy zz yz xz xy, positive in tension.\n"
                  "Examples:\n"
                  "  torquetum matter evaluate LLZO.cif\n"
                  "  torquetum matter evaluate --against md/MOVEMENT --potential nep.txt --json");
  command->add_option("FILE", given->file, "the structure");
  command->add_option("--potential", given->potential, "name or file; " + given->potential + " where it is left out");
  command->add_option("--against", given->against, "frames with reference forces: RMSE and slope of each element");
  command->add_option("--from", given->from, "FILE's form, where its name does not say");
  command->add_option("--device", given->device, "of networks: cpu, cuda:0, …");
  command->add_option("--threads", given->threads, "0: all")->check(CLI::NonNegativeNumber);
  command->add_flag("--float64", given->float64, "networks compute in double precision");
  command->add_flag("--sites", given->sites, "site energies too, with --json");
  command->add_flag("--json", given->json, "JSON on standard output");
  return [given] { return run(*given); };
}

}  // namespace tqm::matter
