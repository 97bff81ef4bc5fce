#include "compress/quantize/blocks.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

#include "base/file.hpp"
#include "base/random.hpp"
#include "compress/quantize/overlay.hpp"
#include "compress/quantize/repair.hpp"
#include "compress/runtime/memory_weights.hpp"
#include "tensor/torch/torch.hpp"

namespace tqm::compress {
namespace {
namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "tqm-blocks-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
};
