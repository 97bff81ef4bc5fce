// The CUDA libraries whose calls are listed, and what the other chip's libraries have in their place.
#pragma once

#include <optional>
#include <string_view>

namespace tqm::port {

// "cuBLAS" for cublasSgemm; none for a word of no library. Device functions of cuRAND (curand_…) are none.
std::optional<std::string_view> library_of(std::string_view function);

// "cnnlMatMulEx, …" for cublasSgemm; empty where our table has none.
std::string_view substitute_of(std::string_view function);

}  // namespace tqm::port
