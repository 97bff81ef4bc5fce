// What the emulator's library shows to the programs that it runs; everything else in it is hidden.
#pragma once

#define TQM_EXPORT extern "C" __attribute__((visibility("default")))
