// A fragment is 16 x 16 elements in NRAM, one row behind the other. The matrix unit wants rows of weights that are a
// multiple of 128 bytes and 64 output channels, so that a product of two fragments is one of 16 x 64 by 64 x 64, with
// zeros where there is nothing.
#include "port/emit/bang/fragments.hpp"

#include <string_view>

namespace tqm::port::emit {

namespace {

struct Part {
  std::string_view name, text;
};

constexpr Part kParts[] = {
    {"fragment_fill", R"(template <class T>
__mlu_func__ void fragment_fill(T* fragment, T value) {
  __bang_write_value(fragment, 256, value);
}
)"},
    {"fragment_load", R"(// 16 rows of 16 elements, stride elements apart in the card's memory.
template <class T>
__mlu_func__ void fragment_load(T* fragment, const T* from, int stride) {
  __memcpy(fragment, (T*)from, 16 * sizeof(T), GDRAM2NRAM, 16 * sizeof(T), stride * sizeof(T), 15);
}
)"},
    {"fragment_load_near", R"(// The same from NRAM.
template <class T>
__mlu_func__ void fragment_load_near(T* fragment, const T* from, int stride) {
  __memcpy(fragment, (T*)from, 16 * sizeof(T), NRAM2NRAM, 16 * sizeof(T), stride * sizeof(T), 15);
}
)"},
    {"fragment_load_across", R"(// Rows become columns.
template <class T>
__mlu_func__ void fragment_load_across(T* fragment, const T* from, int stride, int8_t* space) {
  __memcpy(space, (T*)from, 16 * sizeof(T), GDRAM2NRAM, 16 * sizeof(T), stride * sizeof(T), 15);
  __bang_transpose(fragment, (T*)space, 16, 16);
}
)"},
    {"fragment_load_near_across", R"(template <class T>
__mlu_func__ void fragment_load_near_across(T* fragment, const T* from, int stride, int8_t* space) {
  __memcpy(space, (T*)from, 16 * sizeof(T), NRAM2NRAM, 16 * sizeof(T), stride * sizeof(T), 15);
  __bang_transpose(fragment, (T*)space, 16, 16);
}
)"},
    {"fragment_store", R"(template <class T>
__mlu_func__ void fragment_store(T* fragment, T* to, int stride) {
  __memcpy(to, fragment, 16 * sizeof(T), NRAM2GDRAM, stride * sizeof(T), 16 * sizeof(T), 15);
}
)"},
    {"fragment_store_near", R"(template <class T>
__mlu_func__ void fragment_store_near(T* fragment, T* to, int stride) {
  __memcpy(to, fragment, 16 * sizeof(T), NRAM2NRAM, stride * sizeof(T), 16 * sizeof(T), 15);
}
)"},
    {"fragment_store_across", R"(template <class T>
__mlu_func__ void fragment_store_across(T* fragment, T* to, int stride, int8_t* space) {
  __bang_transpose((T*)space, fragment, 16, 16);
  __memcpy(to, space, 16 * sizeof(T), NRAM2GDRAM, stride * sizeof(T), 16 * sizeof(T), 15);
}
)"},
    {"fragment_store_near_across", R"(template <class T>
__mlu_func__ void fragment_store_near_across(T* fragment, T* to, int stride, int8_t* space) {
  __bang_transpose((T*)space, fragment, 16, 16);
  __memcpy(to, space, 16 * sizeof(T), NRAM2NRAM, stride * sizeof(T), 16 * sizeof(T), 15);
}
)"},
    {"fragment_multiply", R"(__mlu_func__ void fragment_sum(float* to, const float* c, const float* product) {
  __bang_add(to, (float*)c, (float*)product, 256);
}
__mlu_func__ void fragment_sum(half* to, const half* c, float* product) {
  float* wide = product + 256;
  __bang_half2float(wide, (half*)c, 256);
  __bang_add(wide, wide, product, 256);
  __bang_float2half_rn(to, wide, 256);
}
// to = a b + c by the matrix unit, whose weights are 64 rows of 64: zeros stand where there is nothing.
template <class To, class From>
__mlu_func__ void fragment_multiply(To* to, const half* a, const half* b, const From* c, int8_t* space, half* weights) {
  half* left = (half*)space;                       // [16][64]
  half* right = left + 16 * 64;                    // [64][64], columns of b
  half* shaped = right + 64 * 64;                  // as WRAM holds them
  float* product = (float*)(shaped + 64 * 64);     // [16][64]
  __bang_write_value(left, 80 * 64, (half)0);
  __memcpy(left, (half*)a, 32, NRAM2NRAM, 128, 32, 15);
  __memcpy(right, (half*)b, 32, NRAM2NRAM, 128, 32, 15);
  __bang_reshape_filter(shaped, right, 64, 1, 1, 64);
  __memcpy(weights, shaped, 64 * 64 * sizeof(half), NRAM2WRAM);
  __bang_matmul(product, left, weights, 16, 64, 64);
  __memcpy(space, product, 64, NRAM2NRAM, 64, 256, 15);
  fragment_sum(to, c, (float*)space);
}
)"},
};

}  // namespace

bool is_fragment_helper(const std::string& name) {
  return name.starts_with("fragment_");
}

std::string fragment_text(const std::set<std::string>& names) {
  std::string out;
  for (const auto& part : kParts)
    if (names.contains(std::string(part.name))) out += std::string(part.text) + "\n";
  return out;
}

}  // namespace tqm::port::emit
