#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <memory>

#include "base/text.hpp"
#include "chips/catalogue.hpp"
#include "port/command/commands.hpp"
#include "port/diagnostics/diagnostics.hpp"
#include "port/host/translate.hpp"

namespace tqm::port {
namespace {

struct Given {
  std::filesystem::path path, out;
  std::string chip = "mlu370-x8";
  std::vector<std::string> includes, defines;
  std::string standard = "c++17";
};

Result<int> run_translate(const Given& given) {
  const chips::Chip chip = TRY(chips::find_chip(given.chip));
  ParseOptions parsing;
  for (const auto& folder : given.includes) parsing.include_folders.emplace_back(folder);
  parsing.defines = given.defines;
  parsing.standard = given.standard;
  const Translation translation = TRY(translate(given.path, parsing, chip));
  TRY(write_translation(translation, given.out));
  std::vector<std::vector<std::string>> rows;
  for (const auto& file : translation.files) {
    if (!file.ended.empty()) rows.push_back({"", file.source.filename().string(), "not read", file.ended});
    for (const auto& kernel : file.emitted.kernels) {
      std::string reason = kernel.tier_reason;
      for (const auto& remark : kernel.remarks)
        if (kernel.refused && remark.severity == ir::Remark::Severity::refusal) {
          reason = fmt::format("{}, line {}: {}", code_of(remark.number), remark.line, remark.text);
          break;
        }
      rows.push_back({kernel.qualified, fmt::format("{}:{}", file.source.filename().string(), kernel.line),
                      kernel.refused ? "refused" : std::string(1, kernel.tier), reason});
    }
  }
  std::cout << table_text(std::vector<Column>{{"kernel"}, {"place"}, {"tier"}, {"why"}}, rows);
  std::cout << fmt::format("{} of {} kernels translated to {}\n", translation.kernels() - translation.refused(),
                           translation.kernels(), given.out.string());
  return 0;
}

}  // namespace

Action add_translate(CLI::App& app) {
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("translate", "CUDA kernels to BANG C, and PORTING.md with what changed and what is left");
  command->add_option("path", given->path, "a CUDA source, or a folder of them")->required();
  command->add_option("-o,--out", given->out, "the folder to write to")->required();
  command->add_option("--chip", given->chip, "for which chip of the catalogue")->capture_default_str();
  command->add_option("-I", given->includes, "a folder with headers");
  command->add_option("-D", given->defines, "a macro: NAME or NAME=VALUE");
  command->add_option("--std", given->standard, "the C++ standard")->capture_default_str();
  return [given] { return run_translate(*given); };
}

}  // namespace tqm::port
