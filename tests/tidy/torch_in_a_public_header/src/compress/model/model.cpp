#include "compress/model/private.hpp"
