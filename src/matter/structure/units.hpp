// The units of matter, and what others' units are in them. CODATA 2018; the electronvolt is exact since 2019.
//
// Everywhere in matter: lengths Å, times fs, energies eV, forces eV/Å, velocities Å/fs, stress eV/Å³, masses u, charges
// e, magnetic moments µB, temperatures K. A name carries its unit only where it is another one (stress_gpa). Stress has
// ASE's sign: σ = (1/V) dE/dε, positive where the cell is under tension and wants to shrink.
#pragma once

namespace tqm::matter {

inline constexpr double kBohr = 0.529177210903;                 // Å
inline constexpr double kHartree = 27.211386245988;             // eV
inline constexpr double kRydberg = kHartree / 2;                // eV
inline constexpr double kGpa = 1 / 160.2176634;                 // eV/Å³
inline constexpr double kKilobar = kGpa / 10;                   // eV/Å³
inline constexpr double kBar = kGpa / 10000;                    // eV/Å³
inline constexpr double kBoltzmann = 8.617333262145e-5;         // eV/K
inline constexpr double kCoulomb = 14.3996454784;               // e²/(4πε₀), eV·Å
inline constexpr double kMassVelocitySquared = 103.642696562;   // one u·(Å/fs)², in eV
inline constexpr double kKilocaloriePerMole = 0.0433641042380;  // eV

}  // namespace tqm::matter
