// bang_side SOURCE -o SIDE [--kernel NAME=EXPRESSION]... [--append FILE] [-IFOLDER] [-DNAME=VALUE] [-include FILE]
// A .mlu as a program that runs its kernels on the BANG emulator, for benches and by hand. --dialect SOURCE: what the
// dialect check says of it.
#include <cstdio>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "chips/catalogue.hpp"
#include "port/dialect/bang_calls.hpp"
#include "port/dialect/check_dialect.hpp"
#include "port/emulate/bang/compile_mlu.hpp"

namespace {

using tqm::Result;

Result<void> check(const std::string& file) {
  for (const auto& finding : tqm::port::dialect::check_dialect(TRY(tqm::read_file(file)))) {
    std::printf("%s:%d: %s: %s\n", file.c_str(), finding.line, finding.kind.c_str(), finding.text.c_str());
  }
  return {};
}

Result<void> compile(const std::vector<std::string>& words) {
  tqm::port::bang::MluSource source;
  std::string side;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&] { return ++i < words.size() ? words[i] : std::string(); };
    if (word == "-o") {
      side = value();
    } else if (word == "--kernel") {
      const std::string kernel = value();
      const std::size_t equals = kernel.find('=');
      source.kernels.emplace_back(kernel.substr(0, equals), kernel.substr(equals + 1));
    } else if (word == "--append") {
      source.append += TRY(tqm::read_file(value()));
    } else if (word == "-include") {
      source.flags.insert(source.flags.end(), {word, value()});
    } else if (word.rfind("-", 0) == 0) {
      source.flags.push_back(word);
    } else {
      source.file = word;
    }
  }
  const auto chip = TRY(tqm::chips::find_chip("mlu370-x8"));
  const auto places = TRY(tqm::port::bang::find_emulator());
  return compile_mlu(source, chip, places, side);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 1 && words[0] == "--calls") {
    for (const auto call : tqm::port::dialect::calls_of_372()) {
      std::printf("%.*s\n", static_cast<int>(call.size()), call.data());
    }
    return 0;
  }
  const auto done = words.size() == 2 && words[0] == "--dialect" ? check(words[1]) : compile(words);
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().message().c_str());
    return 1;
  }
  return 0;
}
