// deep/scale.cuh lies in the tree, and no -I says where.
#include "deep/scale.cuh"
void run(float* x) { scale<<<1, 32>>>(x, 2.0f); }
