#include "tensor/torch/t.hpp"
