// For tests: the model in memory under its former name.
#pragma once

#include "compress/model/memory_weights.hpp"
