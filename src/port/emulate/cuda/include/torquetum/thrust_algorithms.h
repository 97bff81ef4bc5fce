// Thrust's algorithms: each a loop, run by one thread of a kernel where an iterator is the device's or the policy says
// so, else by the host.
#pragma once

#include "torquetum/thrust_vectors.h"

namespace thrust {
struct execution_policy_tag {};
struct host_policy : execution_policy_tag {};
struct device_policy : execution_policy_tag {
  device_policy on(cudaStream_t) const { return *this; }
};
static const host_policy host, seq;
static const device_policy device;
namespace cuda {
static const device_policy par;
}
namespace hip = cuda;

template <class T = void> struct plus { TQM_HD T operator()(const T& a, const T& b) const { return a + b; } };
template <class T = void> struct minus { TQM_HD T operator()(const T& a, const T& b) const { return a - b; } };
template <class T = void> struct multiplies { TQM_HD T operator()(const T& a, const T& b) const { return a * b; } };
template <class T = void> struct divides { TQM_HD T operator()(const T& a, const T& b) const { return a / b; } };
template <class T = void> struct maximum { TQM_HD T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
template <class T = void> struct minimum { TQM_HD T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
template <class T = void> struct less { TQM_HD bool operator()(const T& a, const T& b) const { return a < b; } };
template <class T = void> struct greater { TQM_HD bool operator()(const T& a, const T& b) const { return b < a; } };
template <class T = void> struct equal_to { TQM_HD bool operator()(const T& a, const T& b) const { return a == b; } };
template <class T = void> struct not_equal_to { TQM_HD bool operator()(const T& a, const T& b) const { return a != b; } };
template <class T = void> struct logical_and { TQM_HD bool operator()(const T& a, const T& b) const { return a && b; } };
template <class T = void> struct logical_or { TQM_HD bool operator()(const T& a, const T& b) const { return a || b; } };
template <class T = void> struct bit_or { TQM_HD T operator()(const T& a, const T& b) const { return a | b; } };
template <class T = void> struct identity { TQM_HD const T& operator()(const T& a) const { return a; } };
template <class T = void> struct negate { TQM_HD T operator()(const T& a) const { return -a; } };
#define TQM_ANY(name, expression) \
  template <> struct name<void> { template <class A, class B> TQM_HD auto operator()(const A& a, const B& b) const { return expression; } };
TQM_ANY(plus, a + b)
TQM_ANY(minus, a - b)
TQM_ANY(multiplies, a * b)
TQM_ANY(divides, a / b)
TQM_ANY(maximum, a < b ? b : a)
TQM_ANY(minimum, b < a ? b : a)
TQM_ANY(less, a < b)
TQM_ANY(greater, b < a)
TQM_ANY(equal_to, a == b)
#undef TQM_ANY

namespace detail {
template <class F>
__global__ void in_one_thread(F work) {
  work();
}
template <bool device_side, class F>
void run(F work) {
  if constexpr (device_side) {
    in_one_thread<<<1, 1>>>(work);
    cudaDeviceSynchronize();
  } else {
    work();
  }
}
// A value that the work leaves: on the device's side it is copied back.
template <class T, bool device_side>
struct Left {
  T* at = nullptr;
  Left() {
    if (device_side) cudaMalloc((void**)&at, sizeof(T));
    else at = (T*)::malloc(sizeof(T));
  }
  Left(const Left&) = delete;
  ~Left() { device_side ? (void)cudaFree(at) : ::free(at); }
  T get() const {
    T value;
    cudaMemcpy(&value, at, sizeof(T), cudaMemcpyDefault);
    return value;
  }
};
template <class T, bool device_side>
struct Room {
  T* at = nullptr;
  explicit Room(size_t n) {
    if (device_side) cudaMalloc((void**)&at, n * sizeof(T) + 1);
    else at = (T*)::malloc(n * sizeof(T) + 1);
  }
  Room(const Room&) = delete;
  ~Room() { device_side ? (void)cudaFree(at) : ::free(at); }
};
template <class P, class... I>
constexpr bool chosen() {
  return std::is_base_of<device_policy, P>::value || (!std::is_base_of<host_policy, P>::value && (on_device<std::decay_t<I>>::value || ...));
}
struct by_iterators : execution_policy_tag {};
// Merge sort from the bottom, stable; values move with their keys.
template <class K, class V, class T, class U, class C>
TQM_HD void merge_sort(K keys, V values, T* key_room, U* value_room, ptrdiff_t n, C before) {
  for (ptrdiff_t width = 1; width < n; width *= 2) {
    for (ptrdiff_t low = 0; low < n; low += 2 * width) {
      const ptrdiff_t middle = low + width < n ? low + width : n, high = low + 2 * width < n ? low + 2 * width : n;
      ptrdiff_t left = low, right = middle;
      for (ptrdiff_t to = low; to < high; ++to) {
        const bool take_right = left >= middle || (right < high && before(element(keys, right), element(keys, left)));
        const ptrdiff_t from = take_right ? right++ : left++;
        key_room[to] = element(keys, from);
        value_room[to] = element(values, from);
      }
    }
    for (ptrdiff_t i = 0; i < n; ++i) {
      element(keys, i) = key_room[i];
      element(values, i) = value_room[i];
    }
  }
}
}  // namespace detail

// Each algorithm with a policy first, and without.
#define TQM_BOTH_FORMS(name)                                                                                       \
  template <class A, class... B, class = std::enable_if_t<!std::is_base_of<execution_policy_tag, std::decay_t<A>>::value>> \
  auto name(A a, B... b) {                                                                                         \
    return name(detail::by_iterators{}, a, b...);                                                                  \
  }
#define TQM_POLICY class P, class = std::enable_if_t<std::is_base_of<execution_policy_tag, P>::value>
#define TQM_E(p, i) detail::element(p, i)
#define TQM_RUN(...) detail::run<detail::chosen<P, __VA_ARGS__>()>

template <TQM_POLICY, class I, class T>
void fill(const P&, I first, I last, T value) {
  const ptrdiff_t n = last - first;
  TQM_RUN(I)([=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) TQM_E(first, i) = value; });
}
template <TQM_POLICY, class I, class N, class T>
I fill_n(const P& p, I first, N n, T value) {
  fill(p, first, first + n, value);
  return first + n;
}
template <TQM_POLICY, class I, class T = detail::value_of<I>>
void sequence(const P&, I first, I last, T start = T(0), T step = T(1)) {
  const ptrdiff_t n = last - first;
  using V = detail::value_of<I>;
  TQM_RUN(I)([=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) TQM_E(first, i) = (V)(start + (T)i * step); });
}
// From one side to the other by way of the host.
template <TQM_POLICY, class I, class O>
O copy(const P&, I first, I last, O out) {
  const ptrdiff_t n = last - first;
  using V = detail::value_of<I>;
  if constexpr (detail::on_device<I>::value != detail::on_device<O>::value && !std::is_base_of<device_policy, P>::value) {
    std::vector<V> all(n);
    for (ptrdiff_t i = 0; i < n; ++i) all[i] = *(first + i);
    for (ptrdiff_t i = 0; i < n; ++i) *(out + i) = all[i];
  } else {
    TQM_RUN(I, O)([=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) TQM_E(out, i) = TQM_E(first, i); });
  }
  return out + n;
}
template <TQM_POLICY, class I, class N, class O>
O copy_n(const P& p, I first, N n, O out) {
  return copy(p, first, first + n, out);
}
template <TQM_POLICY, class I, class F>
I for_each(const P&, I first, I last, F f) {
  const ptrdiff_t n = last - first;
  TQM_RUN(I)([=] __host__ __device__() mutable { for (ptrdiff_t i = 0; i < n; ++i) f(TQM_E(first, i)); });
  return last;
}
template <TQM_POLICY, class I, class N, class F>
I for_each_n(const P& p, I first, N n, F f) {
  return for_each(p, first, first + n, f);
}
template <TQM_POLICY, class I, class O, class F>
O transform(const P&, I first, I last, O out, F f) {
  const ptrdiff_t n = last - first;
  TQM_RUN(I, O)([=] __host__ __device__() mutable { for (ptrdiff_t i = 0; i < n; ++i) TQM_E(out, i) = f(TQM_E(first, i)); });
  return out + n;
}
template <TQM_POLICY, class I, class J, class O, class F>
O transform(const P&, I first, I last, J other, O out, F f) {
  const ptrdiff_t n = last - first;
  TQM_RUN(I, J, O)([=] __host__ __device__() mutable {
    for (ptrdiff_t i = 0; i < n; ++i) TQM_E(out, i) = f(TQM_E(first, i), TQM_E(other, i));
  });
  return out + n;
}
template <TQM_POLICY, class I, class F, class T, class G>
T transform_reduce(const P&, I first, I last, F f, T start, G g) {
  const ptrdiff_t n = last - first;
  detail::Left<T, detail::chosen<P, I>()> left;
  T* const at = left.at;
  TQM_RUN(I)([=] __host__ __device__() mutable {
    T sum = start;
    for (ptrdiff_t i = 0; i < n; ++i) sum = g(sum, f(TQM_E(first, i)));
    *at = sum;
  });
  return left.get();
}
template <TQM_POLICY, class I, class T = detail::value_of<I>, class G = plus<T>>
T reduce(const P& p, I first, I last, T start = T(0), G g = G()) {
  return transform_reduce(p, first, last, identity<detail::value_of<I>>(), start, g);
}
template <TQM_POLICY, class I, class J, class T>
T inner_product(const P&, I first, I last, J other, T start) {
  const ptrdiff_t n = last - first;
  detail::Left<T, detail::chosen<P, I, J>()> left;
  T* const at = left.at;
  TQM_RUN(I, J)([=] __host__ __device__() {
    T sum = start;
    for (ptrdiff_t i = 0; i < n; ++i) sum = sum + TQM_E(first, i) * TQM_E(other, i);
    *at = sum;
  });
  return left.get();
}
template <TQM_POLICY, class I, class F>
ptrdiff_t count_if(const P& p, I first, I last, F f) {
  return transform_reduce(p, first, last, f, (ptrdiff_t)0, plus<ptrdiff_t>());
}
template <TQM_POLICY, class I, class T>
ptrdiff_t count(const P& p, I first, I last, T value) {
  return count_if(p, first, last, [value] __host__ __device__(const detail::value_of<I>& v) { return (ptrdiff_t)(v == value); });
}
template <TQM_POLICY, class I, class O, class G = plus<detail::value_of<I>>>
O inclusive_scan(const P&, I first, I last, O out, G g = G()) {
  const ptrdiff_t n = last - first;
  TQM_RUN(I, O)([=] __host__ __device__() mutable {
    detail::value_of<I> sum;
    for (ptrdiff_t i = 0; i < n; ++i) TQM_E(out, i) = sum = i == 0 ? TQM_E(first, i) : g(sum, TQM_E(first, i));
  });
  return out + n;
}
template <TQM_POLICY, class I, class O, class T = detail::value_of<I>, class G = plus<T>>
O exclusive_scan(const P&, I first, I last, O out, T start = T(0), G g = G()) {
  const ptrdiff_t n = last - first;
  TQM_RUN(I, O)([=] __host__ __device__() mutable {
    T sum = start;
    for (ptrdiff_t i = 0; i < n; ++i) {
      const T own = TQM_E(first, i);
      TQM_E(out, i) = sum;
      sum = g(sum, own);
    }
  });
  return out + n;
}
template <TQM_POLICY, class I, class C>
I best_element(const P&, I first, I last, C better) {
  const ptrdiff_t n = last - first;
  if (n == 0) return last;
  detail::Left<ptrdiff_t, detail::chosen<P, I>()> left;
  ptrdiff_t* const at = left.at;
  TQM_RUN(I)([=] __host__ __device__() mutable {
    ptrdiff_t best = 0;
    for (ptrdiff_t i = 1; i < n; ++i)
      if (better(TQM_E(first, i), TQM_E(first, best))) best = i;
    *at = best;
  });
  return first + left.get();
}
template <TQM_POLICY, class I>
I min_element(const P& p, I first, I last) {
  return best_element(p, first, last, less<detail::value_of<I>>());
}
template <TQM_POLICY, class I>
I max_element(const P& p, I first, I last) {
  return best_element(p, first, last, greater<detail::value_of<I>>());
}
template <TQM_POLICY, class I, class J, class C = less<detail::value_of<I>>>
void stable_sort_by_key(const P&, I first, I last, J values, C before = C()) {
  const ptrdiff_t n = last - first;
  constexpr bool there = detail::chosen<P, I, J>();
  detail::Room<detail::value_of<I>, there> keys_room(n);
  detail::Room<detail::value_of<J>, there> values_room(n);
  auto* const a = keys_room.at;
  auto* const b = values_room.at;
  TQM_RUN(I, J)([=] __host__ __device__() mutable { detail::merge_sort(first, values, a, b, n, before); });
}
template <TQM_POLICY, class I, class J, class C = less<detail::value_of<I>>>
void sort_by_key(const P& p, I first, I last, J values, C before = C()) {
  stable_sort_by_key(p, first, last, values, before);
}
template <TQM_POLICY, class I, class C = less<detail::value_of<I>>>
void stable_sort(const P&, I first, I last, C before = C()) {
  const ptrdiff_t n = last - first;
  detail::Room<detail::value_of<I>, detail::chosen<P, I>()> room(n);
  detail::Room<char, detail::chosen<P, I>()> nothing(n), other(n);
  auto* const a = room.at;
  char* const b = nothing.at;
  char* const c = other.at;
  TQM_RUN(I)([=] __host__ __device__() mutable {
    for (ptrdiff_t i = 0; i < n; ++i) b[i] = 0;
    detail::merge_sort(first, b, a, c, n, before);
  });
}
template <TQM_POLICY, class I, class C = less<detail::value_of<I>>>
void sort(const P& p, I first, I last, C before = C()) {
  stable_sort(p, first, last, before);
}
// What of copy_if, remove_if and unique stays: those for which keep(first, i) holds, moved to `out`.
template <class P, class I, class O, class F>
O kept(const P&, I first, I last, O out, F keep) {
  const ptrdiff_t n = last - first;
  detail::Left<ptrdiff_t, detail::chosen<P, I, O>()> left;
  ptrdiff_t* const at = left.at;
  TQM_RUN(I, O)([=] __host__ __device__() mutable {
    ptrdiff_t to = 0;
    for (ptrdiff_t i = 0; i < n; ++i)
      if (keep(first, i, out, to)) {
        TQM_E(out, to) = TQM_E(first, i);
        ++to;
      }
    *at = to;
  });
  return out + left.get();
}
template <TQM_POLICY, class I, class O, class F>
O copy_if(const P& p, I first, I last, O out, F f) {
  return kept(p, first, last, out, [f] __host__ __device__(I from, ptrdiff_t i, O, ptrdiff_t) mutable { return f(TQM_E(from, i)); });
}
template <TQM_POLICY, class I, class F>
I remove_if(const P& p, I first, I last, F f) {
  return kept(p, first, last, first, [f] __host__ __device__(I from, ptrdiff_t i, I, ptrdiff_t) mutable { return !f(TQM_E(from, i)); });
}
template <TQM_POLICY, class I, class T>
I remove(const P& p, I first, I last, T value) {
  return kept(p, first, last, first, [value] __host__ __device__(I from, ptrdiff_t i, I, ptrdiff_t) { return !(TQM_E(from, i) == value); });
}
template <TQM_POLICY, class I>
I unique(const P& p, I first, I last) {
  return kept(p, first, last, first, [] __host__ __device__(I from, ptrdiff_t i, I to, ptrdiff_t n) {
    return n == 0 || !(TQM_E(from, i) == TQM_E(to, n - 1));
  });
}
template <TQM_POLICY, class I>
void reverse(const P&, I first, I last) {
  const ptrdiff_t n = last - first;
  TQM_RUN(I)([=] __host__ __device__() {
    for (ptrdiff_t i = 0; i < n / 2; ++i) {
      const auto own = TQM_E(first, i);
      TQM_E(first, i) = TQM_E(first, n - 1 - i);
      TQM_E(first, n - 1 - i) = own;
    }
  });
}
template <TQM_POLICY, class M, class I, class O>
O gather(const P&, M map, M map_last, I from, O out) {
  const ptrdiff_t n = map_last - map;
  TQM_RUN(M, I, O)([=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) TQM_E(out, i) = TQM_E(from, TQM_E(map, i)); });
  return out + n;
}
template <TQM_POLICY, class I, class M, class O>
void scatter(const P&, I first, I last, M map, O out) {
  const ptrdiff_t n = last - first;
  TQM_RUN(I, M, O)([=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) TQM_E(out, TQM_E(map, i)) = TQM_E(first, i); });
}
TQM_BOTH_FORMS(fill)
TQM_BOTH_FORMS(fill_n)
TQM_BOTH_FORMS(sequence)
TQM_BOTH_FORMS(copy)
TQM_BOTH_FORMS(copy_n)
TQM_BOTH_FORMS(for_each)
TQM_BOTH_FORMS(for_each_n)
TQM_BOTH_FORMS(transform)
TQM_BOTH_FORMS(transform_reduce)
TQM_BOTH_FORMS(reduce)
TQM_BOTH_FORMS(inner_product)
TQM_BOTH_FORMS(count_if)
TQM_BOTH_FORMS(count)
TQM_BOTH_FORMS(inclusive_scan)
TQM_BOTH_FORMS(exclusive_scan)
TQM_BOTH_FORMS(min_element)
TQM_BOTH_FORMS(max_element)
TQM_BOTH_FORMS(stable_sort_by_key)
TQM_BOTH_FORMS(sort_by_key)
TQM_BOTH_FORMS(stable_sort)
TQM_BOTH_FORMS(sort)
TQM_BOTH_FORMS(copy_if)
TQM_BOTH_FORMS(remove_if)
TQM_BOTH_FORMS(remove)
TQM_BOTH_FORMS(unique)
TQM_BOTH_FORMS(reverse)
TQM_BOTH_FORMS(gather)
TQM_BOTH_FORMS(scatter)
#undef TQM_BOTH_FORMS
#undef TQM_POLICY
#undef TQM_E
#undef TQM_RUN
}  // namespace thrust
