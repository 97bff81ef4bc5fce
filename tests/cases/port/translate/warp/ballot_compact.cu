// Positions of what is kept, by the votes of the lanes below.
__global__ void ballot_compact(const int* x, int* position, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && x[i] % 3 == 0;
  unsigned votes = __ballot_sync(0xffffffffu, keep);
  int lane = threadIdx.x % 32;
  int below = __popc(votes & ((1u << lane) - 1u));
  if (i < n) position[i] = keep ? below : -1;
  if (lane == 0 && i < n) count[i / 32] = __popc(votes);
}
void run(const int* x, int* p, int* c, int n) { ballot_compact<<<(n + 63) / 64, 64>>>(x, p, c, n); }
