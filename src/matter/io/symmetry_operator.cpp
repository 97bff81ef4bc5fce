#include "matter/io/symmetry_operator.hpp"

#include <cmath>
#include <string>

#include "matter/io/words.hpp"

namespace tqm::matter {
namespace {

// A decimal of a few digits that stands for a multiple of 1/24.
double snapped(double value) {
  const double near = std::round(value * 24) / 24;
  return std::abs(value - near) < 1e-3 ? near : value;
}

// One coordinate: terms with signs, each a number, a letter, or both.
bool read_row(std::string_view text, std::array<double, 3>& row, double& shift) {
  size_t at = 0;
  bool any = false;
  while (at < text.size()) {
    double factor = 1;
    if (text[at] == '+' || text[at] == '-') {
      if (text[at] == '-') factor = -1;
      ++at;
    } else if (any) {
      return false;
    }
    int letter = -1;
    bool number = false;
    bool divide = false;
    while (at < text.size() && text[at] != '+' && text[at] != '-') {
      const char c = text[at];
      if (c >= 'x' && c <= 'z') {
        if (letter >= 0 || divide) return false;
        letter = c - 'x';
        ++at;
      } else if (c == '*') {
        ++at;
      } else if (c == '/') {
        divide = true;
        ++at;
      } else {
        size_t end = at;
        while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) ++end;
        const auto value = number_of(text.substr(at, end - at));
        if (end == at || !value || (divide && *value == 0)) return false;
        factor = divide ? factor / *value : factor * *value;
        divide = false;
        number = true;
        at = end;
      }
    }
    if (divide || (letter < 0 && !number)) return false;
    if (letter >= 0)
      row[static_cast<size_t>(letter)] += factor;
    else
      shift += snapped(factor);
    any = true;
  }
  return any;
}

}  // namespace

Vec3 SymmetryOperator::operator()(const Vec3& f) const {
  Vec3 image = translation;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) image[i] += rotation[i][j] * f[j];
  return image;
}

std::optional<SymmetryOperator> symmetry_operator_of(std::string_view text) {
  if (text.size() > 200) return {};
  std::string plain;
  for (char c : text) {
    if (c == ' ' || c == '\t' || c == '\'' || c == '"') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  SymmetryOperator op;
  size_t begin = 0;
  for (size_t i = 0; i < 3; ++i) {
    const size_t end = i < 2 ? plain.find(',', begin) : plain.size();
    if (end == std::string::npos) return {};
    if (!read_row(std::string_view(plain).substr(begin, end - begin), op.rotation[i], op.translation[i])) return {};
    begin = end + 1;
  }
  return op;
}

}  // namespace tqm::matter
