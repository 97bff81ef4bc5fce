#include "base/a.hpp"

#include <gtest/gtest.h>
