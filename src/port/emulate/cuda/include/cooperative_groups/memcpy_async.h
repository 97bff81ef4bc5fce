// memcpy_async stands with the groups.
#pragma once
#include "../cooperative_groups.h"
