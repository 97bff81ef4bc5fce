// Everything stands in torquetum/thrust_algorithms.h.
#pragma once
#include "torquetum/thrust_algorithms.h"
