// PyTorch: see torquetum/torch.h.
#pragma once
#include "../../torquetum/torch.h"
