// nep.txt, the text form of neuroevolution potentials as GPUMD writes it (gpumd.org, "nep.txt file"): versions 3, 4 and
// 5, with or without ZBL. Only what the species present need is kept.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "matter/potential/nep/nep_view.hpp"

namespace tqm::matter::nep {

struct Model {
  int version = 0;                // 3, 4 or 5
  std::vector<int> known = {};    // atomic numbers that the file describes, in its order
  std::vector<int> species = {};  // those kept, ascending: the types of the view
  View view = {};
};

// species: atomic numbers wanted, any order; empty: all that the file knows. Refused by name: models of charge, dipole,
// polarizability, temperature and spin; species that the file does not know; a file too short or too long.
Result<Model> parse_nep(std::string_view text, const std::string& where, std::vector<int> species);
Result<Model> read_nep(const std::filesystem::path& path, std::vector<int> species);

}  // namespace tqm::matter::nep
