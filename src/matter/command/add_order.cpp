#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "base/json.hpp"
#include "base/text.hpp"
#include "matter/command/commands.hpp"
#include "matter/command/read_options.hpp"
#include "matter/io/formats.hpp"
#include "matter/order/order.hpp"
#include "matter/structure/element.hpp"
#include "task/cli/cli.hpp"
#include "task/session.hpp"

namespace tqm::matter {
namespace {

constexpr double kStatedApart =
    0.01;  // from here on a file's occupancies and its stated composition are called different

struct Given {
  std::filesystem::path in, out;
  ReadGiven read;
  std::string to, oxidation;
  OrderOptions order;
  bool json = false;
};

double ewald_of(const Structure& s) {
  const auto note = s.notes.find("ewald_ev");
  return note == s.notes.end() ? 0 : std::stod(note->second);
}

Json json_of(const Ordered& ordered) {
  Json atoms = Json::object(), deviation = Json::object(), states = Json::object(), energies = Json::array();
  for (const auto& [number, count] : ordered.atoms) atoms[std::string(symbol(number))] = count;
  for (const auto& [number, off] : ordered.deviation) deviation[std::string(symbol(number))] = off;
  for (const auto& [number, state] : ordered.states) states[std::string(symbol(number))] = state;
  if (!ordered.already)
    for (const Structure& cell : ordered.cells) energies.push_back(ewald_of(cell));
  return Json{{"already_ordered", ordered.already},
              {"supercell", ordered.supercell},
              {"atoms", atoms},
              {"deviation", deviation},
              {"worst_deviation", ordered.worst_deviation},
              {"stated_deviation", ordered.stated_deviation ? Json(*ordered.stated_deviation) : Json(nullptr)},
              {"oxidation_states", states},
              {"all_arrangements_tried", ordered.complete},
              {"tried", ordered.tried},
              {"kept", ordered.cells.size()},
              {"ewald_ev", energies}};
}

std::string text_of(const Ordered& o) {
  std::string text;
  auto line = [&](std::string_view name, const std::string& value) { text += fmt::format("{:<12}{}\n", name, value); };
  if (o.already) {
    line("ordered", "nothing in the file is there in part: it is handed on as it is");
  } else {
    line("supercell", fmt::format("{} x {} x {}", o.supercell[0], o.supercell[1], o.supercell[2]));
    std::string atoms;
    for (const auto& [number, count] : o.atoms) {
      const double off = o.deviation.at(number);
      atoms += fmt::format("{}{} {}{}", atoms.empty() ? "" : ", ", symbol(number), count,
                           std::abs(off) < 5e-5 ? "" : fmt::format(" ({:+.2f} %)", off * 100));
    }
    line("atoms", atoms);
    line("deviation", percent_text(o.worst_deviation, 2) + " at most, of what the occupancies say");
    line("states", oxidation_text(o.states));
    line("tried", o.complete ? fmt::format("all {} arrangements", o.tried)
                             : fmt::format("{} steps of a seeded Monte Carlo", o.tried));
    line("kept", fmt::format("{}, Ewald energy {:.4f} to {:.4f} eV", o.cells.size(), ewald_of(o.cells.front()),
                             ewald_of(o.cells.back())));
  }
  if (o.stated_deviation && *o.stated_deviation > kStatedApart)
    line("warning", fmt::format("the occupancies differ by up to {} from the composition that the file states",
                                percent_text(*o.stated_deviation, 1)));
  return text;
}

Status write_cells(const Given& given, const std::vector<Structure>& cells) {
  const Format* to = given.to.empty() ? TRY(format_of_name(given.out)) : TRY(format_named(given.to));
  FrameFile file = TRY(FrameFile::create(given.out, *to));
  for (const Structure& cell : cells) TRY(file.write(cell));
  return file.commit();
}

Result<int> run(Given given) {
  given.order.oxidation = TRY(parse_oxidation(given.oxidation));
  const ReadOptions options = TRY(read_options(given.read));
  const Structure structure = TRY(read_structure(given.in, given.read.from, options));
  task::Session session = TRY(task::Session::start({.json = given.json}));
  given.order.arrange.check_stop = [&] { return session.check_stop(); };
  auto ordered = order(structure, given.order);
  if (!ordered) {
    Error error = ordered.error();
    error.where = given.in.string();
    return error;
  }
  if (!given.out.empty()) TRY(write_cells(given, ordered->cells));
  std::cout << (given.json ? dump_json(json_of(*ordered)) + "\n" : text_of(*ordered));
  if (!given.json && !given.out.empty()) std::cout << fmt::format("{:<12}{}\n", "written", given.out.string());
  return 0;
}

}  // namespace

Action add_order(CLI::App& app) {
  auto given = std::make_shared<Given>();
  CLI::App* command = app.add_subcommand("order", "Makes ordered cells of a crystal with partial occupancies");
  command->footer(
      "The smallest supercell is taken whose whole numbers are neutral and near the composition; sites that are too "
      "near are not\n"
      "both occupied. Up to --candidates arrangements are all tried, beyond that a seeded Monte Carlo looks for those "
      "of low Ewald\n"
      "energy. Refused with the reason: what is not neutral, needs too many atoms, or has no arrangement.\n"
      "Examples:\n"
      "  torquetum matter order LGPS.cif LGPS.xyz                 ten cells, the lowest energy first\n"
      "  torquetum matter order LGPS.cif POSCAR --keep 1\n"
      "  torquetum matter order LATP.cif out.cif --oxidation Ti=4 --max-atoms 200 --json");
  command->add_option("FILE", given->in, "read: " + form_names(false))->required();
  command->add_option("OUT", given->out,
                      "for the ordered cells, as extxyz or cif (with --keep 1 any form); without it only the report");
  add_read_options(*command, given->read);
  command->add_option("--to", given->to, "the form of OUT, where its name doesn't tell");
  command->add_option("--keep", given->order.arrange.keep, "so many arrangements")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--tolerance", given->order.tolerance, "of each element's count, relative")
      ->check(CLI::Range(0.0, 0.5))
      ->capture_default_str();
  command->add_option("--max-atoms", given->order.most_atoms, "in an ordered cell")
      ->check(CLI::Range(1, 5'000))
      ->capture_default_str();
  command->add_option("--oxidation", given->oxidation, "states that overrule the usual ones, such as Fe=3,S=-2");
  command->add_option("--exclusion", given->order.arrange.exclusion, "Å: sites nearer than this are not both occupied")
      ->check(CLI::Range(0.01, 5.0))
      ->capture_default_str();
  command->add_option("--candidates", given->order.arrange.most_candidates, "try all arrangements up to so many")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--seed", given->order.arrange.seed, "of the Monte Carlo")
      ->check(task::cli::whole_number())
      ->capture_default_str();
  command->add_flag("--json", given->json, "JSON on standard output");
  return [given] { return run(*given); };
}

}  // namespace tqm::matter
