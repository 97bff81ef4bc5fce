// The name by which older sources include BANG C.
#pragma once

#include "bang.h"
