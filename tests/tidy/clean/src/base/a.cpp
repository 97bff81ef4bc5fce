#include "base/a.hpp"

#include <string>
