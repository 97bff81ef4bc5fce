struct Particle {
  float x, y, z;
  float mass;
  int alive;
};
__device__ float energy(const Particle& p) { return 0.5f * p.mass * (p.x * p.x + p.y * p.y + p.z * p.z); }
__global__ void particles(Particle* all, float* out, int n, float drag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = all[i];
  if (p.alive != 0) {
    p.x *= drag;
    p.y *= drag;
    p.z = p.z * drag - 0.01f;
    all[i] = p;
  }
  out[i] = energy(p);
}
void run(Particle* p, float* out, int n) { particles<<<(n + 127) / 128, 128>>>(p, out, n, 0.99f); }
