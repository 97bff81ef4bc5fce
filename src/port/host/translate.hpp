// One source or a tree of sources, translated: what torquetum port translate does, without the command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "port/emit/emitter.hpp"
#include "port/frontend/parse.hpp"

namespace tqm::port {

struct TranslatedFile {
  std::filesystem::path source;
  std::filesystem::path relative;  // below the path that was asked for, with the target's extension
  emit::EmittedFile emitted;
  std::string ended;  // what ended Clang on it; empty: nothing did
};

struct Translation {
  std::string chip;
  std::vector<TranslatedFile> files;  // those with kernels, by path
  int kernels() const;
  int refused() const;
};

// `parsing.file` is replaced by each source found.
Result<TranslatedFile> translate_file(const std::filesystem::path& source, const ParseOptions& parsing,
                                      const emit::Emitter& emitter);
Result<Translation> translate(const std::filesystem::path& path, const ParseOptions& parsing, const chips::Chip& chip);

// The sources as .mlu files below `out`, and PORTING.md.
Status write_translation(const Translation& translation, const std::filesystem::path& out);

// A page for a person: a kernel each, its tier and why, what changed, what is left.
std::string porting_page(const Translation& translation);

}  // namespace tqm::port
