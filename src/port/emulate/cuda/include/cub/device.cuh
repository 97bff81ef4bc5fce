// Device-wide collectives. As in CUB, the first call, without storage, only says how much is needed.
#pragma once

#include <memory>

#include "operations.cuh"

#ifdef __cplusplus
namespace cub {
// True where the caller asked for the size only.
inline bool tqm_asks_size(void* storage, size_t& bytes) {
  if (storage) return false;
  bytes = 16;
  return true;
}

struct DeviceReduce {
  template <class In, class Out, class Op, class T>
  static cudaError_t Reduce(void* storage, size_t& bytes, In in, Out out, long long n, Op op, T first, cudaStream_t = 0) {
    if (tqm_asks_size(storage, bytes)) return cudaSuccess;
    T sum = first;
    for (long long i = 0; i < n; ++i) sum = op(sum, (T)in[i]);
    return store(out, sum);
  }
  template <class In, class Out>
  static cudaError_t Sum(void* storage, size_t& bytes, In in, Out out, long long n, cudaStream_t stream = 0) {
    using T = std::decay_t<decltype(out[0])>;
    return Reduce(storage, bytes, in, out, n, cub::Sum(), T(), stream);
  }
  template <class In, class Out>
  static cudaError_t Max(void* storage, size_t& bytes, In in, Out out, long long n, cudaStream_t stream = 0) {
    using T = std::decay_t<decltype(in[0])>;
    return Reduce(storage, bytes, in, out, n, cub::Max(), std::numeric_limits<T>::lowest(), stream);
  }
  template <class In, class Out>
  static cudaError_t Min(void* storage, size_t& bytes, In in, Out out, long long n, cudaStream_t stream = 0) {
    using T = std::decay_t<decltype(in[0])>;
    return Reduce(storage, bytes, in, out, n, cub::Min(), std::numeric_limits<T>::max(), stream);
  }

 private:
  template <class Out, class T>
  static cudaError_t store(Out out, const T& value) {
    const std::decay_t<decltype(out[0])> result = value;
    return cudaMemcpy((void*)&out[0], &result, sizeof result, cudaMemcpyDefault);
  }
};

struct DeviceScan {
  template <class In, class Out, class Op, class T>
  static cudaError_t ExclusiveScan(void* storage, size_t& bytes, In in, Out out, Op op, T first, long long n, cudaStream_t = 0) {
    if (tqm_asks_size(storage, bytes)) return cudaSuccess;
    std::unique_ptr<std::decay_t<decltype(out[0])>[]> result(new std::decay_t<decltype(out[0])>[(size_t)n + 1]);
    T sum = first;
    for (long long i = 0; i < n; ++i) {
      result[(size_t)i] = sum;
      sum = op(sum, (T)in[i]);
    }
    return cudaMemcpy((void*)&out[0], result.get(), (size_t)n * sizeof result[0], cudaMemcpyDefault);
  }
  template <class In, class Out, class Op>
  static cudaError_t InclusiveScan(void* storage, size_t& bytes, In in, Out out, Op op, long long n, cudaStream_t = 0) {
    if (tqm_asks_size(storage, bytes)) return cudaSuccess;
    std::unique_ptr<std::decay_t<decltype(out[0])>[]> result(new std::decay_t<decltype(out[0])>[(size_t)n + 1]);
    for (long long i = 0; i < n; ++i) result[(size_t)i] = i == 0 ? in[0] : op(result[(size_t)i - 1], in[i]);
    return cudaMemcpy((void*)&out[0], result.get(), (size_t)n * sizeof result[0], cudaMemcpyDefault);
  }
  template <class In, class Out>
  static cudaError_t ExclusiveSum(void* storage, size_t& bytes, In in, Out out, long long n, cudaStream_t stream = 0) {
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), std::decay_t<decltype(out[0])>(), n, stream);
  }
  template <class In, class Out>
  static cudaError_t InclusiveSum(void* storage, size_t& bytes, In in, Out out, long long n, cudaStream_t stream = 0) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), n, stream);
  }
};

struct DeviceRadixSort {
  template <class K>
  static cudaError_t SortKeys(void* storage, size_t& bytes, const K* in, K* out, long long n, int = 0, int = 8 * sizeof(K),
                              cudaStream_t = 0) {
    if (tqm_asks_size(storage, bytes)) return cudaSuccess;
    std::unique_ptr<K[]> keys(new K[(size_t)n + 1]);
    std::copy(in, in + n, keys.get());
    std::stable_sort(keys.get(), keys.get() + n);
    return cudaMemcpy(out, keys.get(), (size_t)n * sizeof(K), cudaMemcpyDefault);
  }
  template <class K, class V>
  static cudaError_t SortPairs(void* storage, size_t& bytes, const K* in, K* out, const V* values, V* values_out, long long n,
                               int = 0, int = 8 * sizeof(K), cudaStream_t = 0) {
    if (tqm_asks_size(storage, bytes)) return cudaSuccess;
    std::unique_ptr<std::pair<K, V>[]> pairs(new std::pair<K, V>[(size_t)n + 1]);
    for (long long i = 0; i < n; ++i) pairs[(size_t)i] = {in[i], values[i]};
    std::stable_sort(pairs.get(), pairs.get() + n, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (long long i = 0; i < n; ++i) {
      cudaMemcpy(out + i, &pairs[(size_t)i].first, sizeof(K), cudaMemcpyDefault);
      cudaMemcpy(values_out + i, &pairs[(size_t)i].second, sizeof(V), cudaMemcpyDefault);
    }
    return cudaSuccess;
  }
};
}  // namespace cub
#endif
