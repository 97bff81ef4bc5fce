#include "stats/test.hpp"
