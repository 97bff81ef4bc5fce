#include "port/frontend/features.hpp"

#include <algorithm>

#include "base/result.hpp"

namespace tqm::port {
namespace {

using enum Feature;

struct Named {
  Feature feature;
  std::string_view name;
};

constexpr Named kNames[] = {
    {shared_static, "shared-static"},
    {shared_dynamic, "shared-dynamic"},
    {barrier, "barrier"},
    {barrier_in_loop, "barrier-in-loop"},
    {barrier_divergent, "barrier-divergent"},
    {barrier_after_exit, "barrier-after-exit"},
    {warp_shuffle, "warp-shuffle"},
    {warp_vote, "warp-vote"},
    {warp_reduce, "warp-reduce"},
    {warp_match, "warp-match"},
    {warp_sync, "warp-sync"},
    {warp_implicit, "warp-implicit"},
    {atomic_shared, "atomic-shared"},
    {atomic_global, "atomic-global"},
    {atomic_float, "atomic-float"},
    {fence, "fence"},
    {spin_wait, "spin-wait"},
    {double_type, "double"},
    {half_type, "half"},
    {bfloat16_type, "bfloat16"},
    {vector_type, "vector-type"},
    {texture, "texture"},
    {surface, "surface"},
    {template_, "template"},
    {cooperative_groups, "cooperative-groups"},
    {grid_barrier, "grid-barrier"},
    {cluster, "cluster"},
    {async_copy, "async-copy"},
    {wmma, "wmma"},
    {dynamic_parallelism, "dynamic-parallelism"},
    {inline_ptx, "inline-ptx"},
    {printf_, "printf"},
    {assert_, "assert"},
    {recursion, "recursion"},
    {virtual_function, "virtual-function"},
    {function_pointer, "function-pointer"},
    {constant_memory, "constant-memory"},
    {device_variable, "device-variable"},
    {device_heap, "device-heap"},
    {device_library, "device-library"},
    {cub_block, "cub-block"},
    {accessor, "accessor"},
    {fast_math, "fast-math"},
    {read_only_load, "read-only-load"},
    {clock, "clock"},
    {launch_bounds, "launch-bounds"},
    {indirect_access, "indirect-access"},
};

// A word that ends in * stands for all that begin so. The first row that fits counts.
struct Word {
  std::string_view word;
  Feature feature;
};

constexpr Word kWords[] = {
    {"__syncthreads*", barrier},
    {"__syncwarp", warp_sync},
    {"__shfl*", warp_shuffle},
    {"__ballot*", warp_vote},
    {"__any", warp_vote},
    {"__any_sync", warp_vote},
    {"__all", warp_vote},
    {"__all_sync", warp_vote},
    {"__uni", warp_vote},
    {"__uni_sync", warp_vote},
    {"__activemask", warp_vote},
    {"__reduce_add_sync", warp_reduce},
    {"__reduce_min_sync", warp_reduce},
    {"__reduce_max_sync", warp_reduce},
    {"__reduce_and_sync", warp_reduce},
    {"__reduce_or_sync", warp_reduce},
    {"__reduce_xor_sync", warp_reduce},
    {"__match_*", warp_match},
    {"atomicAdd*", atomic_global},
    {"atomicSub*", atomic_global},
    {"atomicExch*", atomic_global},
    {"atomicMin*", atomic_global},
    {"atomicMax*", atomic_global},
    {"atomicInc*", atomic_global},
    {"atomicDec*", atomic_global},
    {"atomicCAS*", atomic_global},
    {"atomicAnd*", atomic_global},
    {"atomicOr*", atomic_global},
    {"atomicXor*", atomic_global},
    {"gpuAtomicAdd*", atomic_global},
    {"gpuAtomicMax", atomic_global},
    {"gpuAtomicMin", atomic_global},
    {"atomic_ref", atomic_global},
    {"__threadfence*", fence},
    {"double", double_type},
    {"double1", double_type},
    {"double2", double_type},
    {"double3", double_type},
    {"double4", double_type},
    {"half", half_type},
    {"half2", half_type},
    {"__half", half_type},
    {"__half2", half_type},
    {"__nv_bfloat16", bfloat16_type},
    {"__nv_bfloat162", bfloat16_type},
    {"nv_bfloat16", bfloat16_type},
    {"nv_bfloat162", bfloat16_type},
    {"char2", vector_type},
    {"char3", vector_type},
    {"char4", vector_type},
    {"uchar2", vector_type},
    {"uchar3", vector_type},
    {"uchar4", vector_type},
    {"short2", vector_type},
    {"short4", vector_type},
    {"ushort2", vector_type},
    {"ushort4", vector_type},
    {"int2", vector_type},
    {"int3", vector_type},
    {"int4", vector_type},
    {"uint2", vector_type},
    {"uint4", vector_type},
    {"long2", vector_type},
    {"ulong2", vector_type},
    {"longlong2", vector_type},
    {"ulonglong2", vector_type},
    {"float2", vector_type},
    {"float3", vector_type},
    {"float4", vector_type},
    {"texture", texture},
    {"cudaTextureObject_t", texture},
    {"tex1D*", texture},
    {"tex2D*", texture},
    {"tex3D*", texture},
    {"texCubemap*", texture},
    {"surface", surface},
    {"cudaSurfaceObject_t", surface},
    {"surf1D*", surface},
    {"surf2D*", surface},
    {"surf3D*", surface},
    {"cooperative_groups", cooperative_groups},
    {"this_thread_block", cooperative_groups},
    {"tiled_partition", cooperative_groups},
    {"coalesced_threads", cooperative_groups},
    {"this_grid", grid_barrier},
    {"this_multi_grid", grid_barrier},
    {"this_cluster", cluster},
    {"__cluster_dims__", cluster},
    {"memcpy_async", async_copy},
    {"__pipeline_*", async_copy},
    {"mbarrier*", async_copy},
    {"wmma", wmma},
    {"nvcuda", wmma},
    {"mma_sync", wmma},
    {"load_matrix_sync", wmma},
    {"store_matrix_sync", wmma},
    {"cudaLaunchDevice*", dynamic_parallelism},
    {"cudaDeviceSynchronize", dynamic_parallelism},
    {"asm", inline_ptx},
    {"__asm__", inline_ptx},
    {"__asm", inline_ptx},
    {"printf", printf_},
    {"assert", assert_},
    {"__assert_fail", assert_},
    {"__assertfail", assert_},
    {"CUDA_KERNEL_ASSERT", assert_},
    {"malloc", device_heap},
    {"free", device_heap},
    {"curandState*", device_library},
    {"curand_*", device_library},
    {"curand", device_library},
    {"thrust", device_library},
    {"cutlass", device_library},
    {"cute", device_library},
    {"cufftdx", device_library},
    {"BlockReduce", cub_block},
    {"BlockScan", cub_block},
    {"BlockLoad", cub_block},
    {"BlockStore", cub_block},
    {"BlockRadixSort", cub_block},
    {"BlockHistogram", cub_block},
    {"BlockExchange", cub_block},
    {"WarpReduce", cub_block},
    {"WarpScan", cub_block},
    {"PackedTensorAccessor*", accessor},
    {"GenericPackedTensorAccessor*", accessor},
    {"TensorAccessor*", accessor},
    {"__expf", fast_math},
    {"__exp10f", fast_math},
    {"__logf", fast_math},
    {"__log2f", fast_math},
    {"__log10f", fast_math},
    {"__powf", fast_math},
    {"__sinf", fast_math},
    {"__cosf", fast_math},
    {"__tanf", fast_math},
    {"__sincosf", fast_math},
    {"__fdividef", fast_math},
    {"__frcp_*", fast_math},
    {"__frsqrt_*", fast_math},
    {"__ldg", read_only_load},
    {"__ldcg", read_only_load},
    {"__ldcs", read_only_load},
    {"__ldca", read_only_load},
    {"clock", clock},
    {"clock64", clock},
    {"__nanosleep", clock},
    {"globaltimer", clock},
    {"__launch_bounds__", launch_bounds},
};

}  // namespace

std::string_view name(Feature feature) {
  const auto at =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Named& n) { return n.feature == feature; });
  ASSERT(at != std::end(kNames));
  return at->name;
}

std::optional<Feature> feature_named(std::string_view asked) {
  for (const Named& named : kNames)
    if (named.name == asked) return named.feature;
  return std::nullopt;
}

std::optional<Feature> feature_of_word(std::string_view word) {
  for (const Word& row : kWords) {
    const bool beginning = row.word.ends_with('*');
    if (beginning ? word.starts_with(row.word.substr(0, row.word.size() - 1)) : word == row.word) return row.feature;
  }
  return std::nullopt;
}

}  // namespace tqm::port
