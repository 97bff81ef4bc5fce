#include <vector>

#include "base/a.hpp"
