#include "port/verify/program/sides.hpp"

#include "base/file.hpp"
#include "base/scratch_file.hpp"
#include "port/emulate/bang/compile_mlu.hpp"

namespace tqm::port {
namespace {

// What a source may include is read before double means something else.
constexpr const char* kFloatHead =
    "#include <cuda_runtime.h>\n#include <bits/stdc++.h>\n#include <sys/stat.h>\n#include <sys/time.h>\n"
    "#include <sys/types.h>\n#include <pthread.h>\n#include <unistd.h>\n#include <cooperative_groups.h>\n"
    "#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n#include <cub/cub.cuh>\n"
    "#include <cublasLt.h>\n#include <cublas_v2.h>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include "
    "<mma.h>\n#include <torquetum/float_functions.h>\n"
    "#define double float\n#define double1 float1\n#define double2 float2\n#define double3 float3\n"
    "#define double4 float4\n#define make_double1 make_float1\n#define make_double2 make_float2\n"
    "#define make_double3 make_float3\n#define make_double4 make_float4\n#include \"";

Result<std::filesystem::path> in_float_source(const std::filesystem::path& source,
                                              const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "in_float.cu";
  TRY(write_scratch_file(file, kFloatHead + std::filesystem::absolute(source).string() + "\"\n"));
  return file;
}

}  // namespace

Result<cuda::SidePair> build_cuda_sides(const std::filesystem::path& source, const ParseOptions& parsing, bool in_float,
                                        const std::filesystem::path& folder) {
  TRY(make_folders(folder));
  cuda::Sources sources;
  sources.files = {source};
  if (in_float) {
    sources.files = {TRY(in_float_source(source, folder))};
    sources.float_constants = true;
  }
  for (const auto& include : parsing.include_folders) sources.include_folders.push_back(include.string());
  sources.definitions = parsing.defines;
  sources.standard = parsing.standard;
  return cuda::build_side_pair(sources, folder);
}

Result<std::filesystem::path> build_bang_side(const std::string& text, const std::vector<std::string>& kernels,
                                              const chips::Chip& chip, const std::filesystem::path& folder) {
  TRY(make_folders(folder));
  bang::MluSource source;
  source.file = folder / "translation.mlu";
  TRY(write_scratch_file(source.file, text));
  for (const std::string& kernel : kernels) source.kernels.emplace_back(kernel, kernel);
  const bang::EmulatorPlaces places = TRY(bang::find_emulator());
  const std::filesystem::path side = folder / "bang_side";
  TRY(bang::compile_mlu(source, chip, places, side));
  return side;
}

}  // namespace tqm::port
