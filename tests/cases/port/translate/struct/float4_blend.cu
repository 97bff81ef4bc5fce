// Four numbers at a time, through structs, an operator and a reference into one.
struct Pack {
  float value[4];
  __device__ float& operator[](int i) { return value[i]; }
  __device__ float operator[](int i) const { return value[i]; }
};

__device__ float4 mixed(float4 a, const float4& b, float t) {
  return make_float4(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z), a.w + t * (b.w - a.w));
}

__global__ void float4_blend(const float4* a, const float4* b, float4* out, Pack* packed, float t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 m = mixed(a[i], b[i], t);
  Pack pack = packed[i];
  for (int k = 0; k < 4; ++k) pack[k] = pack[k] * 2.0f + static_cast<float>(k);
  pack[1] += m.y;
  out[i] = make_float4(m.w, m.z, m.y, pack[0]);
  packed[i] = pack;
}
