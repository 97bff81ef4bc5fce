// CUB: block and warp collectives in device code, device-wide ones as loops of the host over the device's memory.
#pragma once

#include "../cuda_runtime.h"
#include "block.cuh"
#include "device.cuh"
#include "warp.cuh"
