// All of it.
#pragma once
#include "../cub.cuh"
