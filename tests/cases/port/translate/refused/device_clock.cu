// Refused: TQP2017
__global__ void device_clock(long long* out) { out[threadIdx.x] = clock64(); }
void run(long long* out) { device_clock<<<1, 32>>>(out); }
