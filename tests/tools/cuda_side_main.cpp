// cuda_side SOURCE.cu FOLDER [-IFOLDER] [-DNAME=VALUE]: the device half of a source as a side of the CUDA emulator, for
// benches and by hand; prints the program's path.
#include <cstdio>
#include <string>

#include "port/emulate/cuda/program.hpp"

int main(int count, char** arguments) {
  tqm::port::cuda::Sources sources;
  std::string folder;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word.rfind("-I", 0) == 0) {
      sources.include_folders.push_back(word.substr(2));
    } else if (word.rfind("-D", 0) == 0) {
      sources.definitions.push_back(word.substr(2));
    } else if (sources.files.empty()) {
      sources.files.emplace_back(word);
    } else {
      folder = word;
    }
  }
  const auto side = tqm::port::cuda::build_side(sources, folder);
  if (!side) {
    std::fprintf(stderr, "%s\n", side.error().message().c_str());
    return 1;
  }
  std::printf("%s\n", side->c_str());
  return 0;
}
