// A thread sees after a barrier what others wrote through a pointer that it calls restricted.
#include "check.h"

struct Node {
  int children[33];
  int keys[33];
};

__global__ void search(long height, const Node* __restrict__ nodes, long* __restrict__ at, long* __restrict__ next,
                       const int* __restrict__ wanted, int* found) {
  const int i = threadIdx.x, b = blockIdx.x;
  for (int level = 0; level < height; ++level) {
    if (nodes[at[b]].keys[i] <= wanted[b] && nodes[at[b]].keys[i + 1] > wanted[b]) next[b] = nodes[next[b]].children[i];
    __syncthreads();
    if (i == 0) at[b] = next[b];
    __syncthreads();
  }
  if (nodes[at[b]].keys[i] == wanted[b]) found[b] = nodes[at[b]].children[i];
}

int main() {
  static Node nodes[33];
  for (int i = 0; i < 33; ++i) {
    nodes[0].keys[i] = i * 100;
    nodes[0].children[i] = i + 1;
    for (int k = 0; i < 32 && k < 33; ++k) {
      nodes[i + 1].keys[k] = i * 100 + k * 3;
      nodes[i + 1].children[k] = 7 * (i * 100 + k * 3);
    }
  }
  const int wanted[3] = {303, 1512, 2900};
  Node* tree;
  long* places;
  int *keys, *found, host[3];
  cudaMalloc(&tree, sizeof(nodes));
  cudaMalloc(&places, 6 * sizeof(long));
  cudaMalloc(&keys, sizeof(wanted));
  cudaMalloc(&found, sizeof(host));
  cudaMemcpy(tree, nodes, sizeof(nodes), cudaMemcpyHostToDevice);
  cudaMemcpy(keys, wanted, sizeof(wanted), cudaMemcpyHostToDevice);
  cudaMemset(places, 0, 6 * sizeof(long));
  cudaMemset(found, 0xff, sizeof(host));
  search<<<3, 32>>>(1, tree, places, places + 3, keys, found);
  CHECK(cudaMemcpy(host, found, sizeof(host), cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < 3; ++i) CHECK(host[i] == 7 * wanted[i]);
  return failures;
}
