#include "stats/a.hpp"

#include "base/b.hpp"
