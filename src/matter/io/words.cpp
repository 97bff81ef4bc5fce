#include "matter/io/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace tqm::matter {
namespace {

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_letter(char a, char b) {
  return lower(a) == lower(b);
}

bool digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && blank(line[at])) ++at;
    const size_t begin = at;
    while (at < line.size() && !blank(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::optional<double> number_of(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  if (word.empty() || word.size() > 400) return {};
  char text[402];
  size_t length = 0;
  bool exponent = false, digits = false;
  for (size_t i = 0; i < word.size(); ++i) {
    char c = word[i];
    if (c == 'd' || c == 'D' || c == 'E') c = 'e';
    if (c == 'e' && !exponent) {
      exponent = true;
    } else if ((c == '+' || c == '-') && digits &&
               !exponent) {  // Fortran leaves the letter out where three digits follow
      exponent = true;
      text[length++] = 'e';
    } else if (digit(c)) {
      digits = true;
    } else if (c != '+' && c != '-' && c != '.') {
      return {};
    }
    if (c == '+' && length > 0 && text[length - 1] == 'e') continue;
    text[length++] = c;
  }
  double value = 0;
  const auto [end, code] = std::from_chars(text, text + length, value);
  if (end != text + length) return {};
  if (code == std::errc::result_out_of_range) {  // too small is zero, too large is no number
    const bool tiny = std::string_view(text, length).find("e-") != std::string_view::npos;
    return tiny ? std::optional(0.0) : std::nullopt;
  }
  if (code != std::errc()) return {};
  return value;
}

std::optional<int64_t> integer_of(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  int64_t value = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size()) return {};
  return value;
}

bool holds(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end();
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

Result<std::vector<double>> numbers_from(const Lines& lines, const std::vector<std::string_view>& words, size_t first,
                                         size_t count, std::string_view wanted) {
  if (words.size() < first + count)
    return lines.error(fmt::format("{} should be {} numbers, and {} words stand there", wanted, count,
                                   words.size() - std::min(first, words.size())));
  std::vector<double> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    const auto number = number_of(words[first + i]);
    if (!number)
      return lines.error(fmt::format("{}: {} is no number", wanted, std::string(words[first + i].substr(0, 40))));
    numbers[i] = *number;
  }
  return numbers;
}

Result<Vec3> vector_from(const Lines& lines, const std::vector<std::string_view>& words, size_t first,
                         std::string_view wanted) {
  const std::vector<double> numbers = TRY(numbers_from(lines, words, first, 3, wanted));
  return Vec3{numbers[0], numbers[1], numbers[2]};
}

Result<Vec3> need_vector(Lines& lines, std::string_view wanted) {
  const std::string_view line = TRY(lines.need(wanted));
  return vector_from(lines, words_of(line), 0, wanted);
}

std::string exact(double value) {
  return fmt::format("{}", value == 0 ? 0.0 : value);
}

std::string exact(const Vec3& value) {
  return exact(value.x) + " " + exact(value.y) + " " + exact(value.z);
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return line;
}

std::string one_word(std::string_view text) {
  std::string word = one_line(text);
  for (char& c : word)
    if (c == ' ' || c == '#' || c == '\'' || c == '"' || c == ';') c = '_';
  return word.empty() ? "_" : word;
}

}  // namespace tqm::matter
