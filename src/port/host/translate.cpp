#include "port/host/translate.hpp"

#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "port/frontend/lower.hpp"
#include "port/host/what_ends_it.hpp"

namespace tqm::port {
namespace fs = std::filesystem;

int Translation::kernels() const {
  int count = 0;
  for (const auto& file : files) count += static_cast<int>(file.emitted.kernels.size());
  return count;
}

int Translation::refused() const {
  int count = 0;
  for (const auto& file : files)
    count += static_cast<int>(std::count_if(file.emitted.kernels.begin(), file.emitted.kernels.end(),
                                            [](const emit::EmittedKernel& kernel) { return kernel.refused; }));
  return count;
}

Result<TranslatedFile> translate_file(const fs::path& source, const ParseOptions& parsing,
                                      const emit::Emitter& emitter) {
  ParseOptions options = parsing;
  options.file = source;
  options.collectives = ParseOptions::default_collectives();
  const Unit unit = TRY(parse(options));
  TranslatedFile file;
  file.source = source;
  file.relative = source.filename();
  file.relative.replace_extension(emitter.file_extension());
  file.emitted = emitter.emit(lower(unit), source.filename().string());
  return file;
}

namespace {

Result<std::vector<fs::path>> sources_of(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return std::vector<fs::path>{path};
  if (!fs::is_directory(path, error))
    return Error{ErrorKind::not_found, "no such file or folder", path.string(),
                 "name a CUDA source or a folder of them"};
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error), end; at != end;
       at.increment(error)) {
    if (error) return system_error("the folder can't be read", path, error.value());
    if (at->is_regular_file(error) && at->path().extension() == ".cu") found.push_back(at->path());
  }
  if (found.empty())
    return Error{ErrorKind::not_found, "no .cu file in the folder", path.string(),
                 "name a CUDA source or a folder of them"};
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<Translation> translate(const fs::path& path, const ParseOptions& parsing, const chips::Chip& chip) {
  Translation translation;
  translation.chip = chip.name;
  const auto emitter = TRY(emit::bang_emitter(chip));
  const auto sources = TRY(sources_of(path));
  std::error_code error;
  for (const auto& source : sources) {
    TranslatedFile file;
    if (auto ended = what_ends_it(source, parsing, *emitter)) {
      file.source = source;
      file.relative = source.filename();
      file.ended = std::move(*ended);
    } else {
      file = TRY(translate_file(source, parsing, *emitter));
    }
    if (fs::is_directory(path, error)) {
      file.relative = source.lexically_relative(path);
      file.relative.replace_extension(emitter->file_extension());
    }
    if (!file.emitted.kernels.empty() || !file.ended.empty()) translation.files.push_back(std::move(file));
  }
  return translation;
}

Status write_translation(const Translation& translation, const fs::path& out) {
  (void)TRY(make_folders(out));
  for (const auto& file : translation.files) {
    const bool any = std::any_of(file.emitted.kernels.begin(), file.emitted.kernels.end(),
                                 [](const emit::EmittedKernel& kernel) { return !kernel.refused; });
    if (!any) continue;
    (void)TRY(make_folders((out / file.relative).parent_path()));
    TRY(write_file_atomic(out / file.relative, file.emitted.text));
  }
  return write_file_atomic(out / "PORTING.md", porting_page(translation));
}

}  // namespace tqm::port
