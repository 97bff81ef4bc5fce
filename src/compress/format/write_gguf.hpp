// The form of llama.cpp: one file, model.gguf, in a folder of its own.
#pragma once

#include "compress/format/format.hpp"

namespace tqm::compress {

extern const FileForm kGguf;

}  // namespace tqm::compress
