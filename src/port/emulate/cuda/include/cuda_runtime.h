// Torquetum's look-alike of the CUDA runtime: everything that a program has from `#include <cuda_runtime.h>`.
#pragma once

#include "torquetum/qualifiers.h"
#include "vector_types.h"
#include "vector_functions.h"
#include "cuda_runtime_api.h"
#include "torquetum/launch.h"
#include "device_launch_parameters.h"
#include "math_functions.h"
#include "torquetum/memory.h"
#include "torquetum/warp.h"
