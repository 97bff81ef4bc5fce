// For the benches: what mmcv's CUDA kernels take from PyTorch's headers.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <limits>

#include "common_cuda_helper.hpp"
