// The front's table: which program answers to which word. Adding a program is adding a row.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm::front {

struct Word {
  std::string_view word, program;
  bool hands_word_on;  // "torquetum up" is "torquetum-fleet up", "torquetum chips" is "torquetum-chips"
  std::string_view group, about, example;
};

std::span<const Word> words();

// A word that is none is a usage Error with the nearest ones.
Result<Word> word_named(std::string_view word);

// Beside this binary, else in PATH.
Result<std::filesystem::path> program_of(const Word& word);

std::string help_text();
std::string help_json();

}  // namespace tqm::front
