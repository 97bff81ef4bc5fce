#include <cstdint>
#include <string>

#include "compress/tokenizer/recipe.hpp"

// Any bytes: a tokenizer.json is read or refused; what was read encodes, and writes its other forms or says why not.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tqm::compress;
  auto recipe = recipe_from_json(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!recipe || recipe->tokens.size() > 100'000) return 0;
  const auto tokenizer = make_tokenizer(std::move(recipe).take());
  for (const char* text : {"Hello  world 12 ½\r\n", "简仪 <|end|> \xFF\xE4\xBD", "   ▁▁"}) {
    const auto ids = tokenizer->encode(text, {.bos = true, .eos = true, .parse_special = true});
    for (const int32_t id : ids) ASSERT(id >= 0 && id < tokenizer->vocab_size());
    static_cast<void>(tokenizer->decode(ids));
  }
  if (auto gguf = tokenizer->to_gguf()) {
    const auto again = tokenizer_from_gguf(std::move(gguf).take(), "fuzz");
    static_cast<void>(again.ok());
  }
  static_cast<void>(tokenizer->to_tokenizer_config());
  return 0;
}
