// For the benches: nothing of it is needed on the device.
#pragma once
