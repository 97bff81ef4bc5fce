#include "compress/model/public.hpp"
