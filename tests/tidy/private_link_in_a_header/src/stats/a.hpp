#pragma once
#include "base/b.hpp"
