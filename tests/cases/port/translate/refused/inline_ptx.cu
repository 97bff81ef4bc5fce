// Refused: TQP2003
__global__ void inline_ptx(unsigned* out) {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[threadIdx.x] = lane;
}
void run(unsigned* out) { inline_ptx<<<1, 32>>>(out); }
