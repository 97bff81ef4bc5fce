// CIF. gemmi reads the syntax and the symmetry operators; what they mean is decided here.
//
// Sites are multiplied by the operators that the file lists, else by those of its Hall symbol, else by those of its
// Hermann–Mauguin symbol where that has one setting only. Images nearer than 0.05 Å are one atom; where the file states
// multiplicities, the distance is the one that gives them. Occupancies stay with each atom (see is_ordered): one above
// 1 by at most 2 %, alone or summed over a site, is rounding and scaled down with a note, and more is refused. Charges
// of type symbols ("O2-") become charges where all have one. Each data block with sites is a frame; a CIF is read whole
// (at most 256 MiB).
#pragma once

#include <memory>

#include "matter/io/frames.hpp"

namespace tqm::matter {

std::unique_ptr<FrameReader> read_cif(Lines lines, const ReadOptions& options = {});

}  // namespace tqm::matter
