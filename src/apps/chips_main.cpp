// torquetum-chips: lists and shows the chips of the catalogue, and detects those in this machine.
#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>

#include "chips/catalogue.hpp"
#include "chips/show.hpp"
#include "task/cli/cli.hpp"
#include "task/main.hpp"

namespace tqm {
namespace {

using namespace chips;

Result<int> run(int argc, char** argv) {
  CLI::App app("Lists, shows and detects the chips that Torquetum knows.", "torquetum chips");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  torquetum chips list                      all chips of the catalogue in one table\n"
      "  torquetum chips show mlu370-x8            everything known of one, with sources\n"
      "  torquetum chips show a100 --format fp8    can it compute in this format, or only store it?\n"
      "  torquetum chips detect --json             what is in this machine, for a script");
  bool json = false;
  auto add_json = [&](CLI::App* command) { command->add_flag("--json", json, "JSON on standard output"); };

  CLI::App* list = app.add_subcommand("list", "All chips of the catalogue in one table");
  add_json(list);
  bool markdown = false;
  list->add_flag("--markdown", markdown, "the reference page docs/chips.md")->group("");

  CLI::App* show = app.add_subcommand("show", "Everything known of one chip, and where it is from");
  add_json(show);
  std::string chip_name;
  std::string format_name;
  show->add_option("NAME", chip_name, "a chip of the catalogue, such as a100")->required();
  show->add_option("--format", format_name, "only whether it computes in this number format, or stores it, and why");

  CLI::App* detect_command = app.add_subcommand("detect", "The processor and the accelerators of this machine");
  add_json(detect_command);
  double timeout_seconds = 5;
  detect_command->add_option("--timeout", timeout_seconds, "seconds that each driver has to answer")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();

  CLI::App* ask = app.add_subcommand("ask-libcuda", "For detect: names the devices of libcuda")->group("");

  if (const auto done = TRY(task::cli::parse(app, argc, argv))) return *done;
  if (std::isnan(timeout_seconds))  // neither below nor above any bound
    return Error{ErrorKind::usage, "the timeout is no number", "--timeout", "say seconds, 0.1 to 600"};
  if (ask->parsed()) {
    std::cout << TRY(ask_libcuda());
    return 0;
  }
  const std::vector<Chip> catalogue = TRY(load_catalogue());
  if (list->parsed()) {
    std::cout << (markdown ? list_markdown(catalogue)
                  : json   ? dump_json(list_json(catalogue)) + "\n"
                           : list_text(catalogue));
  } else if (show->parsed()) {
    const Chip chip = TRY(find_chip(catalogue, chip_name));
    if (format_name.empty()) {
      std::cout << (json ? dump_json(show_json(chip)) + "\n" : show_text(chip));
    } else {
      const NumberFormat format = TRY(parse_format(format_name));
      const Capability can = capability(chip, format);
      std::cout << (json ? dump_json(capability_json(can, format)) + "\n" : capability_text(can, format));
    }
  } else {
    Host host = this_host();
    host.timeout_seconds = timeout_seconds;
    const Detection detection = detect(catalogue, host);
    std::cout << (json ? dump_json(detect_json(detection)) + "\n" : detect_text(detection));
  }
  return 0;
}

}  // namespace
}  // namespace tqm

int main(int argc, char** argv) {
  return tqm::task::run_program("torquetum chips", argc, argv, tqm::run);
}
