#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utf8proc.h>

namespace tqm {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// Insertions, deletions, changes and swaps of neighbours (optimal string alignment), over bytes.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// The next character and how many bytes it takes; what is no UTF-8 is one byte, U+FFFD.
struct Character {
  utf8proc_int32_t code;
  size_t bytes;
};
Character character_at(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto size = static_cast<utf8proc_ssize_t>(std::min<size_t>(text.size(), 4));
  const auto used = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), size, &code);
  if (used <= 0) return {0xFFFD, 1};
  return {code, static_cast<size_t>(used)};
}

size_t width_of(utf8proc_int32_t code) {
  return static_cast<size_t>(std::max(0, utf8proc_charwidth(code)));
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> names, size_t most) {
  const std::string asked = lower(word);
  std::vector<std::pair<size_t, const std::string*>> near;
  if (asked.empty()) return {};
  for (const std::string& name : names) {
    const std::string candidate = lower(name);
    size_t distance = edit_distance(asked, candidate);
    const size_t allowed = std::max<size_t>(1, std::max(asked.size(), candidate.size()) / 3);
    // A part of a name ("4090" of "rtx-4090") is near as well, behind the small slips.
    if (distance > allowed && asked.size() >= 2 && candidate.find(asked) != std::string::npos) distance = allowed;
    if (distance <= allowed && distance < asked.size()) near.emplace_back(distance, &name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (size_t i = 0; i < std::min(most, near.size()); ++i) result.push_back(*near[i].second);
  return result;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const auto near = nearest_names(word, names);
  if (near.empty()) return "";
  std::string text = "did you mean " + near[0];
  for (size_t i = 1; i < near.size(); ++i) text += (i + 1 == near.size() ? " or " : ", ") + near[i];
  return text + "?";
}

std::string fixed_text(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string percent_text(double share, int digits) {
  return fixed_text(100 * share, digits) + " %";
}

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  static constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  seconds = std::max(0.0, seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds >= 1e12) return "ages";
  const int64_t whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {} h", whole / 86400, whole / 3600 % 24);
}

std::string join(std::span<const std::string> items, std::string_view between) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += between;
    text += items[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    utf8proc_int32_t code = 0;
    const auto size = static_cast<utf8proc_ssize_t>(std::min<size_t>(text.size(), 4));
    const auto used = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), size, &code);
    if (used <= 0) return false;
    text.remove_prefix(static_cast<size_t>(used));
  }
  return true;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character c = character_at(text);
    width += width_of(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string shorten(std::string_view text, size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  size_t width = 0, used = 0;
  while (used < text.size()) {
    const Character c = character_at(text.substr(used));
    if (width + width_of(c.code) + 1 > columns) break;
    width += width_of(c.code);
    used += c.bytes;
  }
  return std::string(text.substr(0, used)) + "…";
}

std::string table_text(std::span<const Column> columns, std::span<const std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns.size(); ++i) {
    size_t width = display_width(columns[i].title);
    for (const auto& row : rows)
      if (i < row.size()) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }
  std::string text;
  auto add_line = [&](auto cell_at) {
    std::string line;
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = cell_at(i);
      const std::string fill(widths[i] - display_width(cell), ' ');
      if (i > 0) line += "  ";
      line += columns[i].align == Align::right ? fill + cell : cell + fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](size_t i) { return columns[i].title; });
  add_line([&](size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows) add_line([&](size_t i) { return i < row.size() ? row[i] : std::string(); });
  return text;
}

}  // namespace tqm
