// Words and numbers of a line, as the codes that write these files mean them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "matter/io/lines.hpp"
#include "matter/structure/vector3.hpp"

namespace tqm::matter {

// Split at blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

// The whole word as a number: "1", "-.5", "+5.", "1e-3", and with Fortran's exponents "1.0D-03", "1.0-103". Nothing
// else: no "nan", "inf" or
// "****".
std::optional<double> number_of(std::string_view word);
std::optional<int64_t> integer_of(std::string_view word);

// "Cartesian" holds "cart", whatever the case.
bool holds(std::string_view text, std::string_view part);
bool same_word(std::string_view a, std::string_view b);

// count numbers from word first on; an Error of lines that says what they should have been.
Result<std::vector<double>> numbers_from(const Lines& lines, const std::vector<std::string_view>& words, size_t first,
                                         size_t count, std::string_view wanted);
Result<Vec3> vector_from(const Lines& lines, const std::vector<std::string_view>& words, size_t first,
                         std::string_view wanted);
// The next line's first three numbers.
Result<Vec3> need_vector(Lines& lines, std::string_view wanted);

// The shortest text that reads back to the same double, of at least 15 significant digits where it is no short number.
std::string exact(double value);
std::string exact(const Vec3& value);  // three, a blank between

// A text as one line, and as one word that reads back the same: blanks become _, an empty word _.
std::string one_line(std::string_view text);
std::string one_word(std::string_view text);

}  // namespace tqm::matter
