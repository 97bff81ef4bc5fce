// The tokenisers on a command line, for tests that compare them with others.
//   tokenize folder DIR | gguf VOCABULARY.json | llama2c FILE SIZE   [--bos] [--eos] [--special] [--no-space]
//   [--decode] [--write-json FILE] [--write-gguf FILE.json]
// Reads texts from standard input, one a line in hexadecimal; prints the ids of each on a line, or with --decode the
// bytes that the ids become again, in hexadecimal. VOCABULARY.json holds the fields of GgufVocabulary by name.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"
#include "compress/tokenizer/tokenizer.hpp"

namespace {

using namespace tqm;
using namespace tqm::compress;

[[noreturn]] void fail(const std::string& message) {
  std::cerr << message << "\n";
  std::exit(1);
}

template <class T>
T take(Result<T> result) {
  if (!result) fail(result.error().message());
  return std::move(result).take();
}

GgufVocabulary vocabulary_of(const Json& json) {
  GgufVocabulary v;
  v.model = json.value("model", "");
  v.pre = json.value("pre", "");
  v.tokens = json.value("tokens", v.tokens);
  v.scores = json.value("scores", v.scores);
  v.token_types = json.value("token_types", v.token_types);
  v.merges = json.value("merges", v.merges);
  v.bos = json.value("bos", -1), v.eos = json.value("eos", -1);
  v.unknown = json.value("unknown", -1), v.padding = json.value("padding", -1);
  v.add_bos = json.value("add_bos", false), v.add_eos = json.value("add_eos", false);
  v.add_space_prefix = json.value("add_space_prefix", true);
  return v;
}

Json json_of(const GgufVocabulary& v) {
  return {{"model", v.model},
          {"pre", v.pre},
          {"tokens", v.tokens},
          {"scores", v.scores},
          {"token_types", v.token_types},
          {"merges", v.merges},
          {"bos", v.bos},
          {"eos", v.eos},
          {"unknown", v.unknown},
          {"padding", v.padding},
          {"add_bos", v.add_bos},
          {"add_eos", v.add_eos},
          {"add_space_prefix", v.add_space_prefix}};
}

std::string bytes_of_hex(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) fail("usage: tokenize folder DIR | gguf VOCABULARY.json | llama2c FILE SIZE [options]");
  std::shared_ptr<const Tokenizer> tokenizer;
  size_t at = 2;
  if (words[0] == "folder") {
    tokenizer = take(tokenizer_from_folder(words[1]));
  } else if (words[0] == "gguf") {
    tokenizer = take(tokenizer_from_gguf(vocabulary_of(take(read_json(words[1]))), words[1]));
  } else if (words[0] == "llama2c" && words.size() > 2) {
    tokenizer = take(tokenizer_from_llama2c(words[1], std::atoi(words[at++].c_str())));
  } else {
    fail("unknown kind of vocabulary: " + words[0]);
  }
  EncodeOptions options;
  bool decode = false;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--bos") options.bos = true;
    if (word == "--eos") options.eos = true;
    if (word == "--special") options.parse_special = true;
    if (word == "--no-space") options.leading_space = false;
    if (word == "--decode") decode = true;
    if (word == "--write-json") {
      take(write_file_atomic(words.at(++at), dump_json(take(tokenizer->to_tokenizer_json()))));
    } else if (word == "--write-gguf") {
      take(write_file_atomic(words.at(++at), dump_json(json_of(take(tokenizer->to_gguf())), -1)));
    }
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::vector<int32_t> ids = tokenizer->encode(bytes_of_hex(line), options);
    if (decode) {
      for (const char c : tokenizer->decode(ids))
        std::printf("%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      for (size_t i = 0; i < ids.size(); ++i) std::printf(i == 0 ? "%d" : " %d", ids[i]);
    }
    std::printf("\n");
  }
  return 0;
}
