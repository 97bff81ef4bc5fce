#include "port/emulate/cuda/runtime/options.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/process.hpp"
#include "base/text.hpp"

namespace tqm::port::cuda {
namespace {

void set(Options& o, const std::string& word, const std::string& value) {
  auto number = [&] { return std::strtoull(value.c_str(), nullptr, 10); };
  if (word == "order")
    o.order = value == "reverse" ? BlockOrder::reverse : value == "random" ? BlockOrder::random : BlockOrder::forward;
  else if (word == "seed")
    o.seed = number();
  else if (word == "poison")
    o.poison = number() == 2 ? 0x5b : 0xff;
  else if (word == "max-blocks")
    o.most_blocks = number();
  else if (word == "seconds")
    o.seconds = std::strtod(value.c_str(), nullptr);
  else if (word == "memory-bytes")
    o.memory_bytes = number();
  else if (word == "record")
    o.record_folder = value;
  else if (word == "record-launches")
    o.record_launches = number();
  else if (word == "record-bytes")
    o.record_bytes = number();
  else if (word == "report")
    o.report_file = value;
  else
    std::fprintf(stderr, "torquetum: TORQUETUM_CUDA has no word %s\n", word.c_str());
}

Options read_options() {
  Options o;
  const std::string text = environment_variable("TORQUETUM_CUDA").value_or("");
  if (text.empty()) return o;
  for (const std::string& item : split(text, ',')) {
    const auto at = item.find('=');
    if (at != std::string::npos) set(o, item.substr(0, at), item.substr(at + 1));
  }
  return o;
}

}  // namespace

Options& options() {
  static auto* held = new Options(read_options());  // read at the program's end, after statics are gone
  return *held;
}

}  // namespace tqm::port::cuda
