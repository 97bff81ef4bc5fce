#include "base/gone.hpp"
