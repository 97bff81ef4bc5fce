// Vector types as CUDA has them.
__global__ void scale_float4(const float4* in, float4* out, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = in[i];
  v.x *= by;
  v.y *= by;
  v.z *= by;
  v.w *= by;
  out[i] = v;
}

// Four at a time through another type, and the rest one by one.
__global__ void add_through_float4(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int quads = n / 4;
  if (i < quads) {
    const float4 x = reinterpret_cast<const float4*>(a)[i];
    const float4 y = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(out)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
  if (i < n % 4) out[quads * 4 + i] = a[quads * 4 + i] + b[quads * 4 + i];
}

__global__ void lengths_float3(const float3* p, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float3 v = p[i];
  out[i] = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__global__ void power_of_complex(float2* z, int n, int times) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float2 v = make_float2(1.f, 0.f);
    for (int k = 0; k < times; ++k) v = v * z[i];
    z[i] = v;
  }
}

__global__ void grey_uchar4(const uchar4* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 c = __ldg(&in[i]);
  out[i] = static_cast<unsigned char>((77 * c.x + 150 * c.y + 29 * c.z) >> 8);
}

__global__ void dot_int4(const int4* a, const int4* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const int4 u = a[i], v = b[i];
    out[i] = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
}

void run(float* a, float* b, int* k, uchar4* c, unsigned char* g, int n) {
  scale_float4<<<(n + 127) / 128, 128>>>((const float4*)a, (float4*)b, n, 3.f);
  add_through_float4<<<(n + 255) / 256, 256>>>(a, a, b, n);
  lengths_float3<<<(n + 127) / 128, 128>>>((const float3*)a, b, n);
  power_of_complex<<<4, 64>>>((float2*)a, n, 3);
  grey_uchar4<<<(n + 255) / 256, 256>>>(c, g, n);
  dot_int4<<<(n + 127) / 128, 128>>>((const int4*)k, (const int4*)k, k, n);
}
