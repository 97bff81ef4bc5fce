// Thrust's iterators and vectors, as far as programs use them most: device memory is reached from the host through
// copies, so that the emulator knows what was written.
#pragma once

#include <iterator>
#include <type_traits>
#include <vector>

#include "cuda_runtime.h"

#define TQM_HD __host__ __device__ inline

namespace thrust {
template <class T>
struct device_ptr;

// What * of a device iterator is on the host: reads and writes are copies.
template <class T>
struct device_reference {
  T* at;
  TQM_HD explicit device_reference(T* p) : at(p) {}
  TQM_HD device_reference(const device_reference& other) = default;
  operator std::remove_const_t<T>() const {
    std::remove_const_t<T> value;
    cudaMemcpy(&value, at, sizeof(T), cudaMemcpyDefault);
    return value;
  }
  device_reference& operator=(const T& value) {
    cudaMemcpy((void*)at, &value, sizeof(T), cudaMemcpyDefault);
    return *this;
  }
  device_reference& operator=(const device_reference& other) { return *this = (T)other; }
  device_reference& operator+=(const T& value) { return *this = (T)*this + value; }
  device_ptr<T> operator&() const;
};

template <class T>
struct device_ptr {
  using value_type = std::remove_const_t<T>;
  using difference_type = ptrdiff_t;
  using reference = device_reference<T>;
  using pointer = device_ptr;
  using iterator_category = std::random_access_iterator_tag;
  T* at = nullptr;
  TQM_HD device_ptr() {}
  TQM_HD explicit device_ptr(T* p) : at(p) {}
  template <class U, class = std::enable_if_t<std::is_convertible<U*, T*>::value>>
  TQM_HD device_ptr(const device_ptr<U>& other) : at(other.at) {}
  TQM_HD T* get() const { return at; }
  reference operator*() const { return reference(at); }
  reference operator[](ptrdiff_t i) const { return reference(at + i); }
  TQM_HD device_ptr& operator++() { return ++at, *this; }
  TQM_HD device_ptr operator++(int) { return device_ptr(at++); }
  TQM_HD device_ptr& operator--() { return --at, *this; }
  TQM_HD device_ptr& operator+=(ptrdiff_t n) { return at += n, *this; }
  TQM_HD device_ptr operator+(ptrdiff_t n) const { return device_ptr(at + n); }
  TQM_HD device_ptr operator-(ptrdiff_t n) const { return device_ptr(at - n); }
  TQM_HD ptrdiff_t operator-(const device_ptr& other) const { return at - other.at; }
  TQM_HD bool operator==(const device_ptr& other) const { return at == other.at; }
  TQM_HD bool operator!=(const device_ptr& other) const { return at != other.at; }
  TQM_HD bool operator<(const device_ptr& other) const { return at < other.at; }
};
template <class T>
device_ptr<T> device_reference<T>::operator&() const {
  return device_ptr<T>(at);
}
template <class T>
TQM_HD device_ptr<T> device_pointer_cast(T* p) {
  return device_ptr<T>(p);
}
template <class T>
TQM_HD T* raw_pointer_cast(T* p) {
  return p;
}
template <class T>
TQM_HD T* raw_pointer_cast(const device_ptr<T>& p) {
  return p.get();
}

#define TQM_MOVES(name)                                                         \
  TQM_HD name operator+(ptrdiff_t n) const { name r = *this; r.move(n); return r; } \
  TQM_HD name operator-(ptrdiff_t n) const { return *this + -n; }               \
  TQM_HD name& operator++() { move(1); return *this; }                          \
  TQM_HD name& operator+=(ptrdiff_t n) { move(n); return *this; }
template <class T>
struct counting_iterator {
  using value_type = T;
  T first;
  TQM_HD explicit counting_iterator(T v = T()) : first(v) {}
  TQM_HD T operator*() const { return first; }
  TQM_HD T operator[](ptrdiff_t i) const { return (T)(first + i); }
  TQM_HD ptrdiff_t operator-(const counting_iterator& other) const { return (ptrdiff_t)(first - other.first); }
  TQM_HD void move(ptrdiff_t n) { first = (T)(first + n); }
  TQM_MOVES(counting_iterator)
};
template <class T>
struct constant_iterator {
  using value_type = T;
  T value;
  ptrdiff_t place = 0;
  TQM_HD explicit constant_iterator(T v) : value(v) {}
  TQM_HD T operator*() const { return value; }
  TQM_HD T operator[](ptrdiff_t) const { return value; }
  TQM_HD ptrdiff_t operator-(const constant_iterator& other) const { return place - other.place; }
  TQM_HD void move(ptrdiff_t n) { place += n; }
  TQM_MOVES(constant_iterator)
};

namespace detail {
// The i-th element, on the side that runs the algorithm.
template <class T>
TQM_HD T& element(T* p, ptrdiff_t i) {
  return p[i];
}
template <class T>
TQM_HD T& element(const device_ptr<T>& p, ptrdiff_t i) {
  return p.get()[i];
}
template <class T, class A>
TQM_HD auto& element(const __gnu_cxx::__normal_iterator<T, A>& p, ptrdiff_t i) {
  return p.base()[i];
}
template <class I, class = decltype(std::declval<I>().move(1))>
TQM_HD auto element(const I& p, ptrdiff_t i) {
  return p[i];
}
template <class I>
struct on_device : std::false_type {};
template <class T>
struct on_device<device_ptr<T>> : std::true_type {};
template <class I>
using value_of = std::decay_t<decltype(element(std::declval<I>(), 0))>;
}  // namespace detail

template <class F, class I>
struct transform_iterator {
  I base;
  F op;
  TQM_HD transform_iterator(I i, F f) : base(i), op(f) {}
  TQM_HD auto operator*() const { return op(detail::element(base, 0)); }
  TQM_HD auto operator[](ptrdiff_t i) const { return op(detail::element(base, i)); }
  TQM_HD ptrdiff_t operator-(const transform_iterator& other) const { return base - other.base; }
  TQM_HD void move(ptrdiff_t n) { base = base + n; }
  TQM_MOVES(transform_iterator)
};
#undef TQM_MOVES
namespace detail {
template <class F, class I>
struct on_device<transform_iterator<F, I>> : on_device<I> {};
}  // namespace detail
template <class T>
TQM_HD counting_iterator<T> make_counting_iterator(T v) {
  return counting_iterator<T>(v);
}
template <class T>
TQM_HD constant_iterator<T> make_constant_iterator(T v) {
  return constant_iterator<T>(v);
}
template <class I, class F>
TQM_HD transform_iterator<F, I> make_transform_iterator(I i, F f) {
  return transform_iterator<F, I>(i, f);
}

template <class T>
struct host_vector : std::vector<T> {
  using std::vector<T>::vector;
  host_vector() = default;
  host_vector(const std::vector<T>& other) : std::vector<T>(other) {}
  template <class D, class = decltype(std::declval<D>().copy_to_host())>
  host_vector(const D& other) : std::vector<T>(other.copy_to_host()) {}
  template <class D, class = decltype(std::declval<D>().copy_to_host())>
  host_vector& operator=(const D& other) {
    std::vector<T>::operator=(other.copy_to_host());
    return *this;
  }
};

template <class T>
class device_vector {
 public:
  using value_type = T;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;
  using reference = device_reference<T>;
  device_vector() {}
  explicit device_vector(size_t n, const T& value = T()) { resize(n, value); }
  device_vector(const device_vector& other) { take(other.copy_to_host()); }
  device_vector(device_vector&& other) { swap(other); }
  device_vector(const std::vector<T>& other) { take(other); }
  template <class I, class = decltype(*std::declval<I>())>
  device_vector(I first, I last) {
    assign(first, last);
  }
  ~device_vector() { cudaFree(data_); }
  device_vector& operator=(const device_vector& other) { return take(other.copy_to_host()), *this; }
  device_vector& operator=(device_vector&& other) { return swap(other), *this; }
  device_vector& operator=(const std::vector<T>& other) { return take(other), *this; }

  size_t size() const { return size_; }
  size_t capacity() const { return size_; }
  bool empty() const { return size_ == 0; }
  iterator begin() { return iterator(data_); }
  iterator end() { return iterator(data_ + size_); }
  const_iterator begin() const { return const_iterator(data_); }
  const_iterator end() const { return const_iterator(data_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  iterator data() { return begin(); }
  const_iterator data() const { return begin(); }
  reference operator[](size_t i) { return reference(data_ + i); }
  device_reference<const T> operator[](size_t i) const { return device_reference<const T>(data_ + i); }
  reference front() { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }
  void resize(size_t n, const T& value = T()) {
    std::vector<T> all = copy_to_host();
    all.resize(n, value);
    take(all);
  }
  void reserve(size_t) {}
  void shrink_to_fit() {}
  void clear() { take({}); }
  void push_back(const T& value) { resize(size_ + 1, value); }
  template <class I>
  void assign(I first, I last) {
    std::vector<T> all;
    for (; first != last; ++first) all.push_back(*first);
    take(all);
  }
  void assign(size_t n, const T& value) { take(std::vector<T>(n, value)); }
  void swap(device_vector& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  std::vector<T> copy_to_host() const {
    std::vector<T> all(size_);
    if (size_) cudaMemcpy(all.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return all;
  }

 private:
  void take(const std::vector<T>& all) {
    if (all.size() != size_) {
      cudaFree(data_);
      data_ = nullptr;
      size_ = all.size();
      if (size_) cudaMalloc((void**)&data_, size_ * sizeof(T));
    }
    if (size_) cudaMemcpy(data_, all.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  T* data_ = nullptr;
  size_t size_ = 0;
};
template <class T>
device_ptr<T> device_malloc(size_t n) {
  T* p = nullptr;
  cudaMalloc((void**)&p, n * sizeof(T));
  return device_ptr<T>(p);
}
template <class T>
void device_free(device_ptr<T> p) {
  cudaFree(p.get());
}
}  // namespace thrust
