// The words before declarations.
#pragma once
#include "torquetum/qualifiers.h"
