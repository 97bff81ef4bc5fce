#include <ATen/core/Tensor.h>

#include "base/a.hpp"
