#include "port/scan/libraries.hpp"

#include <cctype>

namespace tqm::port {
namespace {

struct Library {
  std::string_view beginning;  // followed by a capital letter
  std::string_view name;
};

constexpr Library kLibraries[] = {
    {"cublasLt", "cuBLAS"},   {"cublasXt", "cuBLAS"}, {"cublas", "cuBLAS"},     {"cudnn", "cuDNN"},
    {"cufftXt", "cuFFT"},     {"cufft", "cuFFT"},     {"curand", "cuRAND"},     {"cusolver", "cuSOLVER"},
    {"cusparse", "cuSPARSE"}, {"nccl", "NCCL"},       {"nvrtc", "NVRTC"},       {"nvml", "NVML"},
    {"nvtx", "NVTX"},         {"npp", "NPP"},         {"cutensor", "cuTENSOR"}, {"nvjpeg", "nvJPEG"},
    {"cuda", "CUDA runtime"}, {"cu", "CUDA driver"},
};

struct Substitute {
  std::string_view beginning, call;
};

// The first row that fits counts. The names on the right are those that public code for the MLU calls.
constexpr Substitute kSubstitutes[] = {
    {"cublasSgemmStridedBatched", "cnnlBatchMatMulBCast_v2"},
    {"cublasHgemmStridedBatched", "cnnlBatchMatMulBCast_v2"},
    {"cublasGemmStridedBatched", "cnnlBatchMatMulBCast_v2"},
    {"cublasSgemmBatched", "cnnlBatchMatMulBCast_v2"},
    {"cublasGemmBatched", "cnnlBatchMatMulBCast_v2"},
    {"cublasSgemm", "cnnlMatMulEx, cnnlMatMul_v2"},
    {"cublasHgemm", "cnnlMatMulEx, cnnlMatMul_v2"},
    {"cublasGemmEx", "cnnlMatMulEx, cnnlMatMul_v2"},
    {"cublasLtMatmul", "cnnlMatMulEx, cnnlMatMul_v2"},
    {"cublasSgemv", "cnnlMatMulEx, cnnlMatMul_v2"},
    {"cudnnConvolutionForward", "cnnlConvolutionForward"},
    {"cudnnConvolutionBackwardData", "cnnlConvolutionBackwardData"},
    {"cudnnConvolutionBackwardFilter", "cnnlConvolutionBackwardFilter"},
    {"cudnnPoolingForward", "cnnlPoolingForward"},
    {"cudnnBatchNormalization", "cnnlBatchNorm*"},
    {"cudnnSoftmaxForward", "cnnlSoftmaxForward"},
    {"cudnnActivationForward", "cnnlActivationForward"},
    {"cudnnRNNForward", "cnnlRNNForwardTraining"},
    {"cufftPlan", "cnnlMakeFFTPlanMany"},
    {"cufftMakePlan", "cnnlMakeFFTPlanMany"},
    {"cufftExec", "cnnlExecFFT"},
    {"curandGenerateUniform", "cnnlGenerateRandUniform"},
    {"curandGenerateNormal", "cnnlGenerateRandNormal"},
    {"cusolverDnSgesvd", "cnnlSvd"},
    {"cusolverDnSgeqrf", "cnnlQR"},
    {"cusolverDnSgetr", "cnnlInverse, cnnlDet_v2"},
    {"ncclAllReduce", "cnclAllReduce"},
    {"ncclAllGather", "cnclAllGather"},
    {"ncclReduceScatter", "cnclReduceScatter"},
    {"ncclBroadcast", "cnclBroadcast"},
    {"ncclBcast", "cnclBroadcast"},
    {"ncclSend", "cnclSend"},
    {"ncclRecv", "cnclRecv"},
    {"cub::DeviceReduce", "cnnlReduce"},
    {"cub::DeviceScan", "cnnlCumsum_v2"},
    {"cub::DeviceRadixSort", "cnnlTopKTensor_v3"},
    {"cub::DeviceHistogram", "cnnlHistc"},
    {"cub::DeviceSelect::Unique", "cnnlUnique_v2"},
    {"thrust::reduce", "cnnlReduce"},
    {"thrust::inclusive_scan", "cnnlCumsum_v2"},
    {"thrust::exclusive_scan", "cnnlCumsum_v2"},
    {"thrust::sort", "cnnlTopKTensor_v3"},
    {"thrust::unique", "cnnlUnique_v2"},
    {"thrust::scatter", "cnnlScatter_v2"},
    {"cudaSetDevice", "cnrtSetDevice"},
    {"cudaMallocHost", "cnrtHostMalloc"},
    {"cudaHostAlloc", "cnrtHostMalloc"},
    {"cudaMalloc", "cnrtMalloc"},
    {"cudaFreeHost", "cnrtFreeHost"},
    {"cudaFree", "cnrtFree"},
    {"cudaMemcpyAsync", "cnrtMemcpyAsync_V2"},
    {"cudaMemcpy", "cnrtMemcpy"},
    {"cudaMemset", "cnrtMemset"},
    {"cudaStreamCreate", "cnrtQueueCreate"},
    {"cudaStreamSynchronize", "cnrtQueueSync"},
    {"cudaDeviceSynchronize", "cnrtQueueSync"},
    {"cudaThreadSynchronize", "cnrtQueueSync"},
    {"cudaStreamDestroy", "cnrtQueueDestroy"},
    {"cudaEventCreate", "cnrtNotifierCreate"},
    {"cudaEventRecord", "cnrtPlaceNotifier"},
    {"cudaEventElapsedTime", "cnrtNotifierDuration"},
};

}  // namespace

std::optional<std::string_view> library_of(std::string_view function) {
  if (function.starts_with("thrust::")) return "Thrust";
  if (function.starts_with("cub::")) return "CUB";
  for (const Library& library : kLibraries) {
    if (!function.starts_with(library.beginning) || function.size() <= library.beginning.size()) continue;
    const char next = function[library.beginning.size()];
    if (std::isupper(static_cast<unsigned char>(next)) || (library.name == "NPP" && next == 'i')) return library.name;
  }
  return std::nullopt;
}

std::string_view substitute_of(std::string_view function) {
  for (const Substitute& row : kSubstitutes)
    if (function.starts_with(row.beginning)) return row.call;
  return "";
}

}  // namespace tqm::port
