#include "port/emulate/bang/compile_mlu.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/scratch_file.hpp"
#include "port/emulate/bang/prepare.hpp"
#include "port/emulate/build/compiler.hpp"

namespace tqm::port::bang {

namespace {

constexpr CompilerBounds kBounds{.seconds = 120, .memory_bytes = std::uint64_t{8} << 30};

struct Figures {
  std::uint64_t nram, wram, sram;
  unsigned clusters, cores_a_cluster;
};

Result<Figures> figures_of(const chips::Chip& chip) {
  const auto memory = [&](std::string_view name) -> std::uint64_t {
    for (const chips::OnChipMemory& one : chip.on_chip) {
      if (one.name == name) {
        return static_cast<std::uint64_t>(one.bytes.value);
      }
    }
    return 0;
  };
  const Figures figures{
      memory("nram"), memory("wram"), memory("sram"), chip.clusters ? static_cast<unsigned>(chip.clusters->value) : 0,
      chip.clusters && chip.cores ? static_cast<unsigned>(chip.cores->value / std::max(1.0, chip.clusters->value)) : 0};
  if (figures.nram == 0 || figures.clusters == 0 || figures.cores_a_cluster == 0) {
    return Error{ErrorKind::unsupported,
                 chip.name + " has no NRAM or no clusters in the catalogue: it does not run BANG C", chip.id,
                 "take a Cambricon chip"};
  }
  return figures;
}

std::vector<std::string> language_flags(const Figures& figures, const EmulatorPlaces& places) {
  return {"-std=gnu++20",
          "-w",
          "-isystem",
          places.headers.string(),
          "-D__BANG__",
          "-D__BANG_ARCH__=372",
          fmt::format("-D__MLU_NRAM_SIZE__={}", figures.nram / 1024),
          fmt::format("-D__MLU_WRAM_SIZE__={}", figures.wram / 1024),
          fmt::format("-D__MLU_SRAM_SIZE__={}", figures.sram / 1024)};
}

// One rounding an operation, in the type's own precision: as the vector unit does.
const std::vector<std::string> kCodeFlags{"-O1",
                                          "-g1",
                                          "-fPIC",
                                          "-femulated-tls",
                                          "-ffp-contract=off",
                                          "-Xclang",
                                          "-ffloat16-excess-precision=none",
                                          "-Xclang",
                                          "-fbfloat16-excess-precision=none",
                                          "-fsanitize=thread",
                                          "-mllvm",
                                          "-tsan-instrument-func-entry-exit=0",
                                          "-mllvm",
                                          "-tsan-instrument-atomics=0",
                                          "-mllvm",
                                          "-tsan-instrument-read-before-write=1"};

std::string registrations(const MluSource& source, const Figures& figures, const EmulatorPlaces& places) {
  std::string text = "\n" + source.append + "\n";
  text += fmt::format("static const ::tqm_bang::Chip tqm_chip({}ul, {}ul, {}ul, {}, {}, \"{}\");\n", figures.nram,
                      figures.wram, figures.sram, figures.clusters, figures.cores_a_cluster, places.headers.string());
  int number = 0;
  for (const auto& [name, expression] : source.kernels) {
    text += fmt::format(
        "static const ::tqm_bang::Registration tqm_kernel_{0}(\"{1}\", &::tqm_bang::Registered<{2}>::thunk, "
        "::tqm_bang::Registered<{2}>::parameters, ::tqm_bang::Registered<{2}>::sizes);\n",
        number++, name, expression);
  }
  return text;
}

}  // namespace

Result<EmulatorPlaces> find_emulator() {
  EmulatorPlaces places;
  places.headers = TRY(look_alike_headers("bang"));
  std::error_code ignored;  // faults name headers as the compiler saw them
  places.headers = std::filesystem::weakly_canonical(places.headers, ignored);
  places.library = TRY(emulator_library("libtorquetum-bang-emulator.so")).parent_path();
  return places;
}

Result<void> compile_mlu(const MluSource& source, const chips::Chip& chip, const EmulatorPlaces& places,
                         const std::filesystem::path& side) {
  const Figures figures = TRY(figures_of(chip));
  const TemporaryFolder work = TRY(TemporaryFolder::make("torquetum-bang"));
  std::vector<std::string> preprocess = language_flags(figures, places);
  preprocess.insert(preprocess.end(), source.flags.begin(), source.flags.end());
  const std::filesystem::path text = work.path() / "preprocessed.ii";
  preprocess.insert(preprocess.end(),
                    {"-include", "bang.h", "-x", "c++", "-E", source.file.string(), "-o", text.string()});
  TRY(run_compiler(preprocess, {}, kBounds));
  const std::filesystem::path prepared = work.path() / "prepared.ii";
  const std::string preprocessed = TRY(read_file(text));
  TRY(write_scratch_file(prepared, prepare(preprocessed + registrations(source, figures, places))));
  const std::filesystem::path object = work.path() / "prepared.o";
  std::vector<std::string> compile{"-std=gnu++20",    "-w", "-x",           "c++-cpp-output", "-c",
                                   prepared.string(), "-o", object.string()};
  compile.insert(compile.end(), kCodeFlags.begin(), kCodeFlags.end());
  TRY(run_compiler(compile, {}, kBounds));
  TRY(run_compiler({object.string(), "-o", side.string(), "-L" + places.library.string(), "-ltorquetum-bang-emulator",
                    "-Wl,-rpath," + places.library.string(), "-lm"},
                   {}, kBounds));
  return {};
}

}  // namespace tqm::port::bang
