#include "port/emulate/cuda/program.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/scratch_file.hpp"
#include "port/emulate/build/compiler.hpp"
#include "port/emulate/cuda/branch_ir.hpp"
#include "port/emulate/cuda/contraction.hpp"
#include "port/emulate/cuda/device_ir.hpp"

namespace tqm::port::cuda {
namespace {

const std::vector<std::string> kUncontracted = {"-ffp-contract=off"};
const std::vector<std::string> kContracted = {"-mfma", "-ffp-contract=fast"};

bool is_cuda(const std::filesystem::path& file) {
  return file.extension() == ".cu" || file.extension() == ".cuh";
}

std::vector<std::string> user_options(const Sources& sources, const std::filesystem::path& headers) {
  std::vector<std::string> list;
  for (const std::string& folder : sources.include_folders) list.push_back("-I" + folder);
  for (const std::string& definition : sources.definitions) list.push_back("-D" + definition);
  list.push_back("-isystem");
  list.push_back(headers.string());
  return list;
}

// Both halves: no CUDA install is looked for, warnings are the user's own compiler's matter.
std::vector<std::string> cuda_options(const Sources& sources, const std::filesystem::path& headers) {
  std::vector<std::string> list = {"-x",
                                   "cuda",
                                   "--cuda-host-only",
                                   "-nocudainc",
                                   "-nocudalib",
                                   "-w",
                                   "-std=" + (sources.standard.empty() ? std::string("c++17") : sources.standard),
                                   "-Xclang",
                                   "-aux-triple",
                                   "-Xclang",
                                   "x86_64-pc-linux-gnu",
                                   "-fPIC"};
  const std::vector<std::string> user = user_options(sources, headers);
  list.insert(list.end(), user.begin(), user.end());
  list.insert(list.end(), {"-include", "cuda_runtime.h"});
  return list;
}

const std::vector<std::string> kCheckedAccesses = {"-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0",
                                                   "-mllvm", "-tsan-distinguish-volatile=1"};

// The device half in LLVM's text form; instrumented where it is optimised.
Result<std::string> device_text(const Sources& sources, std::size_t index, const std::filesystem::path& headers,
                                const std::filesystem::path& folder, const std::vector<std::string>& contraction,
                                bool optimised) {
  std::vector<std::string> options = cuda_options(sources, headers);
  // A thread is a fiber: what others write while it waits, it finds changed, whatever it says of its pointers.
  const std::vector<std::string> device = {"-D__restrict__=",
                                           "-D__restrict=",
                                           "-O2",
                                           "-g",
                                           "-fno-discard-value-names",
                                           "-Xclang",
                                           "-fcuda-is-device",
                                           "-Xclang",
                                           "-ffloat16-excess-precision=none",
                                           "-Xclang",
                                           "-fbfloat16-excess-precision=none",
                                           "-fno-vectorize",
                                           "-fno-slp-vectorize",
                                           "-S",
                                           "-emit-llvm"};
  options.insert(options.end(), device.begin(), device.end());
  options.insert(options.end(), contraction.begin(), contraction.end());
  if (sources.checked) options.insert(options.end(), kCheckedAccesses.begin(), kCheckedAccesses.end());
  if (sources.float_constants) options.insert(options.end(), {"-Xclang", "-cl-single-precision-constant"});
  if (!optimised) options.insert(options.end(), {"-Xclang", "-disable-llvm-passes"});
  const std::filesystem::path raw = folder / fmt::format("device{}.raw.ll", index);
  options.insert(options.end(), {"-o", raw.string(), sources.files[index].string()});
  TRY(run_compiler(options, {}));
  return read_file(raw);
}

// Text that was not optimised yet, as the front end would have optimised and instrumented it.
Result<std::string> optimised(const std::string& text, const Sources& sources, const std::filesystem::path& folder,
                              const std::vector<std::string>& contraction) {
  const std::filesystem::path before = folder / "before.ll", after = folder / "after.ll";
  TRY(write_scratch_file(before, text));
  std::vector<std::string> options = {"-x",
                                      "ir",
                                      "-O2",
                                      "-fPIC",
                                      "-S",
                                      "-emit-llvm",
                                      "-fno-vectorize",
                                      "-fno-slp-vectorize",
                                      "-fno-discard-value-names",
                                      "-Wno-everything"};
  options.insert(options.end(), contraction.begin(), contraction.end());
  if (sources.checked) options.insert(options.end(), kCheckedAccesses.begin(), kCheckedAccesses.end());
  options.insert(options.end(), {"-o", after.string(), before.string()});
  TRY(run_compiler(options, {}));
  return read_file(after);
}

// With its conditions counted: before it is optimised they are all still there.
Result<std::string> optimised_with_branches(const std::string& text, const Sources& sources, std::size_t index,
                                            const std::filesystem::path& headers, const std::filesystem::path& folder) {
  const std::string tag = std::to_string(index);
  const BranchedText branched = insert_branches(text, tag, {headers.string() + "/", "/usr/"});
  return with_branch_table(TRY(optimised(branched.text, sources, folder, kUncontracted)), branched.branches, tag);
}

// The object of a device half, from its text.
Result<std::filesystem::path> finish_device(const std::string& text, const Sources& sources, std::size_t index,
                                            const std::filesystem::path& folder,
                                            const std::vector<std::string>& contraction) {
  const std::filesystem::path ready = folder / fmt::format("device{}.ll", index);
  const std::filesystem::path object = folder / fmt::format("device{}.o", index);
  const DeviceUnit unit = TRY(prepare_device_ir(text, std::to_string(index), sources.checked));
  TRY(write_scratch_file(ready, unit.text));
  std::vector<std::string> finish = {"-x", "ir", "-O2", "-fPIC", "-Xclang", "-disable-llvm-passes", "-Wno-everything"};
  finish.insert(finish.end(), contraction.begin(), contraction.end());
  finish.insert(finish.end(), {"-c", "-o", object.string(), ready.string()});
  TRY(run_compiler(finish, {}));
  return object;
}

Result<std::filesystem::path> compile_device(const Sources& sources, std::size_t index,
                                             const std::filesystem::path& headers,
                                             const std::filesystem::path& folder) {
  const std::string text = TRY(device_text(sources, index, headers, folder, kUncontracted, true));
  return finish_device(text, sources, index, folder, kUncontracted);
}

Result<std::filesystem::path> link_image(const std::vector<std::filesystem::path>& objects, const std::string& name,
                                         const std::filesystem::path& folder, const std::filesystem::path& library) {
  const std::filesystem::path image = folder / name;
  std::vector<std::string> options = {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,nostart-stop-gc"};
  for (const auto& object : objects) options.push_back(object.string());
  options.insert(options.end(),
                 {library.string(), "-Wl,-rpath," + library.parent_path().string(), "-lm", "-o", image.string()});
  TRY(run_compiler(options, {}));
  return image;
}

Result<std::filesystem::path> compile_host(const Sources& sources, std::size_t index,
                                           const std::filesystem::path& image, const std::filesystem::path& headers,
                                           const std::filesystem::path& folder) {
  const std::filesystem::path& file = sources.files[index];
  const std::filesystem::path object = folder / fmt::format("host{}.o", index);
  std::vector<std::string> options;
  if (is_cuda(file)) {
    const std::filesystem::path name = folder / fmt::format("image{}.txt", index);
    TRY(write_scratch_file(name, "torquetum-image:" + image.string() + "\n" + std::string(1, '\0')));
    options = cuda_options(sources, headers);
    options.insert(options.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", name.string()});
  } else {
    options = user_options(sources, headers);
    if (file.extension() == ".c")
      options.insert(options.end(), {"-x", "c"});
    else
      options.push_back("-std=" + (sources.standard.empty() ? std::string("c++17") : sources.standard));
    options.insert(options.end(), {"-fPIC", "-w"});
  }
  options.insert(options.end(), {"-O2", "-g1", "-c", "-o", object.string(), file.string()});
  TRY(run_compiler(options, {}));
  return object;
}

Status check_files(const Sources& sources) {
  for (const auto& file : sources.files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
      return Error{ErrorKind::not_found, "there is no such file", file.string(), "name a .cu file"};
  }
  return {};
}

// The image of each CUDA file: one of its own, or one for all.
Result<std::vector<std::filesystem::path>> build_images(const Sources& sources, const std::filesystem::path& headers,
                                                        const std::filesystem::path& library,
                                                        const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> images(sources.files.size());
  std::vector<std::filesystem::path> objects;
  for (std::size_t i = 0; i < sources.files.size(); ++i) {
    if (!is_cuda(sources.files[i])) continue;
    const auto object = TRY(compile_device(sources, i, headers, folder));
    objects.push_back(object);
    if (!sources.one_image) images[i] = TRY(link_image({object}, fmt::format("device{}.so", i), folder, library));
  }
  if (sources.one_image && !objects.empty()) {
    const auto image = TRY(link_image(objects, "device.so", folder, library));
    for (std::size_t i = 0; i < images.size(); ++i)
      if (is_cuda(sources.files[i])) images[i] = image;
  }
  return images;
}

}  // namespace

Result<std::filesystem::path> build_program(const Sources& sources, const std::filesystem::path& folder) {
  TRY(check_files(sources));
  const auto headers = TRY(look_alike_headers("cuda"));
  const auto library = TRY(emulator_library("libtorquetum-cuda-emulator.so"));
  const auto images = TRY(build_images(sources, headers, library, folder));
  const std::filesystem::path program = folder / "program";
  std::vector<std::string> link;
  for (std::size_t i = 0; i < sources.files.size(); ++i)
    link.push_back(TRY(compile_host(sources, i, images[i], headers, folder)).string());
  link.insert(link.end(), sources.link.begin(), sources.link.end());
  link.insert(link.end(),
              {library.string(), "-Wl,-rpath," + library.parent_path().string(), "-lm", "-o", program.string()});
  TRY(run_compiler(link, {}));
  return program;
}

namespace {

Result<std::filesystem::path> link_side(const std::vector<std::filesystem::path>& objects,
                                        const std::filesystem::path& side) {
  const auto library = TRY(emulator_library("libtorquetum-cuda-emulator.so"));
  std::vector<std::string> link = {"-rdynamic", "-Wl,-z,nostart-stop-gc"};
  for (const auto& object : objects) link.push_back(object.string());
  link.insert(link.end(),
              {library.string(), "-Wl,-rpath," + library.parent_path().string(), "-lm", "-o", side.string()});
  TRY(run_compiler(link, {}));
  return side;
}

}  // namespace

Result<std::filesystem::path> build_side(const Sources& sources, const std::filesystem::path& folder) {
  TRY(check_files(sources));
  const auto headers = TRY(look_alike_headers("cuda"));
  std::vector<std::filesystem::path> objects;
  for (std::size_t i = 0; i < sources.files.size(); ++i)
    if (is_cuda(sources.files[i])) objects.push_back(TRY(compile_device(sources, i, headers, folder)));
  return link_side(objects, folder / "side");
}

Result<SidePair> build_side_pair(const Sources& sources, const std::filesystem::path& folder) {
  TRY(check_files(sources));
  const auto headers = TRY(look_alike_headers("cuda"));
  const std::filesystem::path plain = folder / "plain", contracted = folder / "contracted";
  TRY(make_folders(plain));
  TRY(make_folders(contracted));
  std::vector<std::filesystem::path> plain_objects, contracted_objects;
  for (std::size_t i = 0; i < sources.files.size(); ++i) {
    if (!is_cuda(sources.files[i])) continue;
    const std::string text = TRY(device_text(sources, i, headers, folder, kContracted, false));
    const std::string fused = TRY(optimised(with_fused_apart(text), sources, contracted, kContracted));
    contracted_objects.push_back(TRY(finish_device(fused, sources, i, contracted, kContracted)));
    const std::string counted = TRY(optimised_with_branches(without_contraction(text), sources, i, headers, plain));
    plain_objects.push_back(TRY(finish_device(counted, sources, i, plain, kUncontracted)));
  }
  SidePair pair;
  pair.plain = TRY(link_side(plain_objects, plain / "side"));
  pair.contracted = TRY(link_side(contracted_objects, contracted / "side"));
  return pair;
}

}  // namespace tqm::port::cuda
