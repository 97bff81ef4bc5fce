// Text for people: nearest names, sizes and durations, widths on a terminal, aligned tables; and UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tqm {

// Those of names that a mistyped word may have meant, best first, at most `most` of them; case does not count.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> names, size_t most = 3);
// "did you mean int4-g64?", "did you mean a, b or c?"; empty where nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

std::string fixed_text(double value, int digits);    // "-1.25"; never "-0.00"
std::string percent_text(double share, int digits);  // "3.00 %"; never "-0.00 %"
std::string bytes_text(uint64_t bytes);              // "98.4 MB" (decimal units)
std::string duration_text(double seconds);           // "0.8 s", "12 s", "3 min 20 s", "2 h 05 min", "3 d 4 h"
std::string join(std::span<const std::string> items, std::string_view between);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);  // blanks and line ends off both sides

bool is_utf8(std::string_view text);          // RFC 3629: no surrogates, no overlong forms, at most U+10FFFF
size_t display_width(std::string_view text);  // columns on a terminal: CJK and emoji two, combining marks none
std::string shorten(std::string_view text, size_t columns);  // cut to fit, with … at the end

enum class Align { left, right };
struct Column {
  std::string title;
  Align align = Align::left;
};
// Lines of equal columns, two blanks between, a rule under the titles, no blanks at line ends.
std::string table_text(std::span<const Column> columns, std::span<const std::vector<std::string>> rows);

}  // namespace tqm
