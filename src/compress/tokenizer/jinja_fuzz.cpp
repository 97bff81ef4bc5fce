#include "compress/tokenizer/jinja.hpp"

#include <cstdint>
#include <string>

#include "compress/tokenizer/tokenizer.hpp"

// Any template ends: in a text or in an Error that names a line.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tqm::compress;
  const std::string source(reinterpret_cast<const char*>(data), size);
  const auto text =
      render_chat(source, {{"system", "Be brief."}, {"user", " Hi\n"}, {"assistant", "简"}}, true, "<s>", "</s>");
  ASSERT(text || text.error().what.starts_with("chat template, line "));
  return 0;
}
