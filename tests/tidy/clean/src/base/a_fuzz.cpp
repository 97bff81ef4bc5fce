#include "base/a.hpp"
