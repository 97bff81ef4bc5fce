#include "base/b.hpp"
