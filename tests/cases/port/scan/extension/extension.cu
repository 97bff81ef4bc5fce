// A PyTorch extension: accessors, and launches within AT_DISPATCH.
#include <torch/extension.h>

template <typename scalar_t>
__global__ void add_rows(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> out,
                         const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> in) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < in.size(1)) out[blockIdx.y][column] += in[blockIdx.y][column];
}

template <typename scalar_t>
__global__ void relu(scalar_t* out, const scalar_t* in, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] > scalar_t(0) ? in[i] : scalar_t(0);
}

void add(torch::Tensor out, torch::Tensor in) {
  const dim3 blocks((in.size(1) + 255) / 256, in.size(0));
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "add_rows", ([&] {
    add_rows<scalar_t><<<blocks, 256>>>(
        out.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
        in.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
  }));
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "relu", ([&] {
    relu<scalar_t><<<blocks, 256>>>(out.data_ptr<scalar_t>(), in.data_ptr<scalar_t>(), in.numel());
  }));
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add", &add, "adds rows"); }
