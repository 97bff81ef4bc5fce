// Vectors and 3 × 3 matrices in double. A Mat3 holds rows; a cell's rows are its lattice vectors, and a row of
// fractional coordinates times the cell is Cartesian: x = f · L.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace tqm::matter {

struct Vec3 {
  double x = 0, y = 0, z = 0;
  double& operator[](size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  double operator[](size_t i) const { return i == 0 ? x : i == 1 ? y : z; }
  Vec3& operator+=(const Vec3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  Vec3& operator-=(const Vec3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  Vec3& operator*=(double s) { return x *= s, y *= s, z *= s, *this; }
  bool operator==(const Vec3&) const = default;
};

inline Vec3 operator+(Vec3 a, const Vec3& b) {
  return a += b;
}
inline Vec3 operator-(Vec3 a, const Vec3& b) {
  return a -= b;
}
inline Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(Vec3 a, double s) {
  return a *= s;
}
inline Vec3 operator*(double s, Vec3 a) {
  return a *= s;
}
inline double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
inline bool finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

struct Mat3 {
  std::array<Vec3, 3> rows = {};
  Vec3& operator[](size_t i) { return rows[i]; }
  const Vec3& operator[](size_t i) const { return rows[i]; }
  bool operator==(const Mat3&) const = default;
  static Mat3 identity() { return {{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}}; }
};

// The row vector a times the matrix.
inline Vec3 operator*(const Vec3& a, const Mat3& m) {
  return a.x * m[0] + a.y * m[1] + a.z * m[2];
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {{a[0] * b, a[1] * b, a[2] * b}};
}
inline Mat3 operator*(const Mat3& a, double s) {
  return {{a[0] * s, a[1] * s, a[2] * s}};
}
inline Mat3 transposed(const Mat3& m) {
  return {{Vec3{m[0].x, m[1].x, m[2].x}, Vec3{m[0].y, m[1].y, m[2].y}, Vec3{m[0].z, m[1].z, m[2].z}}};
}
// Positive for a right-handed set of rows.
inline double determinant(const Mat3& m) {
  return dot(m[0], cross(m[1], m[2]));
}
// The determinant must not be zero.
inline Mat3 inverse(const Mat3& m) {
  const Mat3 columns{{cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])}};
  return transposed(columns) * (1 / determinant(m));
}

}  // namespace tqm::matter
