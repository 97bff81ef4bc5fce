// The chip catalogue: one TOML file a chip in catalog/chips. docs/chips.md shows what is in it, CONTRIBUTING.md how to
// add one.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "chips/chip.hpp"

namespace tqm::chips {

// TORQUETUM_CATALOG where it is set; else catalog or share/torquetum/catalog, looked for from our own binary three
// folders up.
Result<std::filesystem::path> catalogue_folder();

// One file. An unknown key, a wrong unit or a figure without a source is refused with file and line.
Result<Chip> load_chip(const std::filesystem::path& file);

// Every .toml of FOLDER/chips, by name; a name or alias that two chips claim is refused.
Result<std::vector<Chip>> load_catalogue(const std::filesystem::path& folder);
Result<std::vector<Chip>> load_catalogue();

// By name, id or alias; case does not count. The refusal gives the nearest names.
Result<Chip> find_chip(std::span<const Chip> catalogue, std::string_view name);
Result<Chip> find_chip(std::string_view name);

}  // namespace tqm::chips
