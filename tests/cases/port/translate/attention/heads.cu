// Parts of a transformer's attention, each as its own kernel.
// Rotary embedding: pairs half a head apart turn by an angle that grows with the place.
__global__ void rope_halves(float* q, const float* cosine, const float* sine, int heads, int size) {
  const int token = blockIdx.x, head = blockIdx.y, half = size / 2;
  float* x = q + (token * heads + head) * size;
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const float a = x[i], b = x[i + half];
    const float c = cosine[token * half + i], s = sine[token * half + i];
    x[i] = a * c - b * s;
    x[i + half] = b * c + a * s;
  }
}

// Neighbours turn, the angle is worked out here.
__global__ void rope_pairs(float2* q, int pairs, int tokens, float base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs * tokens) return;
  const int token = i / pairs, pair = i % pairs;
  const float angle = token * powf(base, -2.f * pair / (2.f * pairs));
  float s, c;
  sincosf(angle, &s, &c);
  const float2 v = q[i];
  q[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// Scores of one query row against all keys, the future left out.
__global__ void causal_scores(const float* q, const float* k, float* scores, int tokens, int size, float scale) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= tokens) return;
  if (column > row) {
    scores[row * tokens + column] = -1e30f;
    return;
  }
  float sum = 0.f;
  for (int i = 0; i < size; ++i) sum += q[row * size + i] * k[column * size + i];
  scores[row * tokens + column] = sum * scale;
}

// One block a row, online: the largest and the sum are kept up to date together.
__global__ void attend(const float* scores, const float* v, float* out, int tokens, int size) {
  const int row = blockIdx.x;
  const float* s = scores + row * tokens;
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    float top = -INFINITY, total = 0.f, value = 0.f;
    for (int t = 0; t <= row; ++t) {
      const float higher = fmaxf(top, s[t]);
      const float fade = expf(top - higher), weight = expf(s[t] - higher);
      total = total * fade + weight;
      value = value * fade + weight * v[t * size + i];
      top = higher;
    }
    out[row * size + i] = value / total;
  }
}

// (token, head, size) becomes (head, token, size).
__global__ void split_heads(const float* in, float* out, int tokens, int heads, int size) {
  const int total = tokens * heads * size;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const int c = i % size, head = i / size % heads, token = i / (size * heads);
    out[(head * tokens + token) * size + c] = in[i];
  }
}

void run(float* q, const float* k, const float* v, float* out, int tokens) {
  rope_halves<<<dim3(tokens, 4), 32>>>(q, k, v, 4, 64);
  rope_pairs<<<(32 * tokens + 127) / 128, 128>>>(reinterpret_cast<float2*>(q), 32, tokens, 1e4f);
  causal_scores<<<dim3((tokens + 63) / 64, tokens), 64>>>(q, k, out, tokens, 64, 0.125f);
  attend<<<tokens, 64>>>(out, v, q, tokens, 64);
  split_heads<<<8, 256>>>(k, out, tokens, 4, 64);
}
