// For the benches: what InfiniCore's kernels take from its device headers.
#pragma once

#include <algorithm>
#include <bang.h>
#include <cstddef>

#define NRAM_MAX_SIZE 1024 * 240
constexpr size_t ALIGN_SIZE = 128;
