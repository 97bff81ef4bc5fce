// Refused: TQP2013
struct Flags {
  unsigned a : 3, b : 5;
};
__global__ void bit_field(Flags* f) { f[threadIdx.x].a = 1; }
void run(Flags* f) { bit_field<<<1, 32>>>(f); }
