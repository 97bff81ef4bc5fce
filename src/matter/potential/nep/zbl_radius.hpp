// The radii by which models with a typewise cutoff of their repulsion end it.
#pragma once

namespace tqm::matter::nep {

// Å; of hydrogen to plutonium, 1.5 beyond. Pyykkö's and Atsumi's single-bond radii (Chem. Eur. J. 15, 186 (2009)),
// those of metals shortened by a tenth, times 4/3, as DFT-D3 has them (J. Chem. Phys. 132, 154104 (2010)); to six
// digits, as the programs that fitted the models held them.
double zbl_radius(int number);

}  // namespace tqm::matter::nep
