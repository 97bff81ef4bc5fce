// Pools over HWC tensors: forward, with index, backward. The stride along the width comes first in the calls. Windows
// that do not fit are left out.
#include <cmath>

#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

struct Shape {
  long out_height = 0;
  long out_width = 0;
  long inputs = 0;   // elements of the large tensor
  long outputs = 0;  // of the small one
};

// False where the arguments leave nothing to do.
bool shape_of(Call& call, const Window& w, Shape* shape) {
  for (const auto& [value, what] :
       {std::pair{w.channel, "channel"}, std::pair{w.height, "height"}, std::pair{w.width, "width"},
        std::pair{w.kernel_height, "kernel_height"}, std::pair{w.kernel_width, "kernel_width"},
        std::pair{w.stride_width, "stride_width"}, std::pair{w.stride_height, "stride_height"}}) {
    if (!call.positive(value, what)) {
      return false;
    }
  }
  if (w.kernel_height > w.height || w.kernel_width > w.width) {
    call.check(false, kArgument,
               "a window of " + std::to_string(w.kernel_height) + " x " + std::to_string(w.kernel_width) +
                   " on a tensor of " + std::to_string(w.height) + " x " + std::to_string(w.width));
    return false;
  }
  shape->out_height = (w.height - w.kernel_height) / w.stride_height + 1;
  shape->out_width = (w.width - w.kernel_width) / w.stride_width + 1;
  shape->inputs = w.channel * w.height * w.width;
  shape->outputs = w.channel * shape->out_height * shape->out_width;
  return true;
}

void check_channel(Call& call, const Window& w, long size) {
  call.check(w.channel * size % 128 == 0, kAlignment,
             "channel * sizeof is " + std::to_string(w.channel * size) + " bytes, and must be a multiple of 128");
}

// A window that can't fit leaves a hint, for width and height are easily exchanged.
std::string strides_text(const Window& w) {
  return "stride_width " + std::to_string(w.stride_width) + ", stride_height " + std::to_string(w.stride_height) +
         " (the width's comes first)";
}

struct Best {
  long index = 0;
  double value = 0;
};

template <class T>
Best best_of(Pool kind, const void* src, const Window& w, long oh, long ow, long c) {
  Best best{-1, 0};
  for (long kh = 0; kh < w.kernel_height; ++kh) {
    for (long kw = 0; kw < w.kernel_width; ++kw) {
      const long at = ((oh * w.stride_height + kh) * w.width + ow * w.stride_width + kw) * w.channel + c;
      const auto x = static_cast<double>(wide(get<T>(src, at)));
      if (best.index < 0 || (kind == Pool::max ? x > best.value : x < best.value)) {
        best = {kh * w.kernel_width + kw, x};
      }
    }
  }
  return best;
}

template <class T>
T pooled(Pool kind, const void* src, const Window& w, long oh, long ow, long c) {
  if (kind == Pool::max || kind == Pool::min) {
    return narrow<T>(best_of<T>(kind, src, w, oh, ow, c).value);
  }
  float total = 0;
  for (long kh = 0; kh < w.kernel_height; ++kh) {
    for (long kw = 0; kw < w.kernel_width; ++kw) {
      total += wide(get<T>(src, ((oh * w.stride_height + kh) * w.width + ow * w.stride_width + kw) * w.channel + c));
    }
  }
  return narrow<T>(kind == Pool::avg ? total / static_cast<float>(w.kernel_height * w.kernel_width) : total);
}

bool window_initialised(const Call& call, const void* src, const Window& w, long oh, long ow, long c, long size) {
  for (long kh = 0; kh < w.kernel_height; ++kh) {
    for (long kw = 0; kw < w.kernel_width; ++kw) {
      const long at = ((oh * w.stride_height + kh) * w.width + ow * w.stride_width + kw) * w.channel + c;
      if (!call.initialised(static_cast<const std::byte*>(src) + at * size, size)) {
        return false;
      }
    }
  }
  return true;
}

// function(output element, oh, ow, c)
template <class F>
void each_output(const Window& w, const Shape& shape, F function) {
  for (long oh = 0; oh < shape.out_height; ++oh) {
    for (long ow = 0; ow < shape.out_width; ++ow) {
      for (long c = 0; c < w.channel; ++c) {
        function((oh * shape.out_width + ow) * w.channel + c, oh, ow, c);
      }
    }
  }
}

void settle_outputs(Call& call, void* dst, long out_size, const void* src, long size, const Window& w,
                    const Shape& shape, bool all) {
  if (all) {
    call.settle(dst, shape.outputs * out_size);
    return;
  }
  each_output(w, shape, [&](long at, long oh, long ow, long c) {
    call.settle(static_cast<std::byte*>(dst) + at * out_size, out_size,
                window_initialised(call, src, w, oh, ow, c, size));
  });
}

}  // namespace

void pool(const char* name, Pool kind, Type type, void* dst, const void* src, const Window& w) {
  Call call(name, PLACE);
  Shape shape;
  if (!call.computes() || !shape_of(call, w, &shape)) {
    return;
  }
  const long size = size_of(type);
  if (kind == Pool::sum || kind == Pool::avg) {
    check_channel(call, w, size);
  }
  call.reads(src, shape.inputs * size, "src");
  call.writes(dst, shape.outputs * size, ("dst, with " + strides_text(w)).c_str());
  call.apart(dst, shape.outputs * size, src, shape.inputs * size, kNeverSame);
  const void* from = call.source(src, shape.inputs * size, dst, shape.outputs * size);
  const bool all = call.initialised(src, shape.inputs * size);
  by_float(type, [&](auto sample) {
    using T = decltype(sample);
    std::vector<T> result(static_cast<std::size_t>(shape.outputs));
    each_output(w, shape, [&](long at, long oh, long ow, long c) {
      result[static_cast<std::size_t>(at)] = pooled<T>(kind, from, w, oh, ow, c);
    });
    settle_outputs(call, dst, size, src, size, w, shape, all);
    std::memcpy(dst, result.data(), result.size() * sizeof(T));
  });
  call.count("vector_ops", static_cast<std::uint64_t>(shape.outputs * w.kernel_height * w.kernel_width));
  call.count("vector_bytes", static_cast<std::uint64_t>((shape.inputs + shape.outputs) * size));
}

void pool_index(const char* name, Pool kind, Type type, void* dst, const void* src, const Window& w) {
  Call call(name, PLACE);
  Shape shape;
  if (!call.computes() || !shape_of(call, w, &shape)) {
    return;
  }
  const long size = size_of(type);
  call.reads(src, shape.inputs * size, "src");
  call.writes(dst, shape.outputs * size, "dst");
  call.apart(dst, shape.outputs * size, src, shape.inputs * size, kNeverSame);
  const void* from = call.source(src, shape.inputs * size, dst, shape.outputs * size);
  const bool all = call.initialised(src, shape.inputs * size);
  std::vector<long> result(static_cast<std::size_t>(shape.outputs));
  by_float(type, [&](auto sample) {
    using T = decltype(sample);
    each_output(w, shape, [&](long at, long oh, long ow, long c) {
      result[static_cast<std::size_t>(at)] = best_of<T>(kind, from, w, oh, ow, c).index;
    });
  });
  settle_outputs(call, dst, size, src, size, w, shape, all);
  for (long i = 0; i < shape.outputs; ++i) {
    size == 2 ? put(dst, i, static_cast<std::uint16_t>(result[static_cast<std::size_t>(i)]))
              : put(dst, i, static_cast<std::uint32_t>(result[static_cast<std::size_t>(i)]));
  }
  call.count("vector_ops", static_cast<std::uint64_t>(shape.outputs * w.kernel_height * w.kernel_width));
  call.count("vector_bytes", static_cast<std::uint64_t>((shape.inputs + shape.outputs) * size));
}

// dst is the large tensor, src and mask the small ones; what no window covers becomes zero.
void pool_backward(const char* name, Pool kind, Type type, void* dst, const void* src, const void* mask,
                   const Window& w, bool add_overlap) {
  Call call(name, PLACE);
  Shape shape;
  if (!call.computes() || !shape_of(call, w, &shape)) {
    return;
  }
  const long size = size_of(type);
  call.reads(src, shape.outputs * size, "src");
  call.writes(dst, shape.inputs * size, "dst");
  call.apart(dst, shape.inputs * size, src, shape.outputs * size, kNeverSame);
  if (mask != nullptr) {
    call.reads(mask, shape.outputs * size, "mask");
    call.require(mask, shape.outputs * size, "mask");
  }
  const void* from = call.source(src, shape.outputs * size, dst, shape.inputs * size);
  const bool all = call.initialised(src, shape.outputs * size);
  by_float(type, [&](auto sample) {
    using T = decltype(sample);
    std::vector<float> result(static_cast<std::size_t>(shape.inputs), 0.0f);
    each_output(w, shape, [&](long at, long oh, long ow, long c) {
      const float value = wide(get<T>(from, at));
      const long window = w.kernel_height * w.kernel_width;
      const long chosen = kind == Pool::avg ? -1
                          : size == 2       ? get<std::uint16_t>(mask, at)
                                            : static_cast<long>(get<std::uint32_t>(mask, at));
      for (long k = 0; k < window; ++k) {
        if (chosen >= 0 && k != chosen) {
          continue;
        }
        const long to =
            ((oh * w.stride_height + k / w.kernel_width) * w.width + ow * w.stride_width + k % w.kernel_width) *
                w.channel +
            c;
        float& cell = result[static_cast<std::size_t>(to)];
        const float share = kind == Pool::avg ? value / static_cast<float>(window) : value;
        cell = add_overlap ? wide(narrow<T>(static_cast<double>(cell + share))) : share;
      }
    });
    call.settle(dst, shape.inputs * size, all);
    for (long i = 0; i < shape.inputs; ++i) {
      put(dst, i, narrow<T>(static_cast<double>(result[static_cast<std::size_t>(i)])));
    }
  });
  call.count("vector_ops", static_cast<std::uint64_t>(shape.inputs));
  call.count("vector_bytes", static_cast<std::uint64_t>((shape.inputs + 2 * shape.outputs) * size));
}

// Here height and width are the large tensor's, dst; every src element goes to the index-th place of its window.
void unpool(const char* name, Type type, void* dst, const void* src, const Window& w, long index) {
  Call call(name, PLACE);
  Shape shape;
  if (!call.computes() || !shape_of(call, w, &shape)) {
    return;
  }
  const long size = size_of(type);
  call.check(index >= 0 && index < w.kernel_height * w.kernel_width, kArgument, "an index outside the window");
  call.reads(src, shape.outputs * size, "src");
  call.writes(dst, shape.inputs * size, "dst");
  call.apart(dst, shape.inputs * size, src, shape.outputs * size, kNeverSame);
  std::vector<std::byte> kept(static_cast<std::size_t>(shape.outputs * size));
  std::memcpy(kept.data(), src, kept.size());
  each_output(w, shape, [&](long at, long oh, long ow, long c) {
    for (long k = 0; k < w.kernel_height * w.kernel_width; ++k) {
      const long to =
          ((oh * w.stride_height + k / w.kernel_width) * w.width + ow * w.stride_width + k % w.kernel_width) *
              w.channel +
          c;
      auto* cell = static_cast<std::byte*>(dst) + to * size;
      call.settle(cell, size, k != index || call.initialised(static_cast<const std::byte*>(src) + at * size, size));
      k == index ? static_cast<void>(std::memcpy(cell, kept.data() + at * size, static_cast<std::size_t>(size)))
                 : static_cast<void>(std::memset(cell, 0, static_cast<std::size_t>(size)));
    }
  });
  call.count("vector_bytes", static_cast<std::uint64_t>((shape.inputs + shape.outputs) * size));
}

}  // namespace tqm_bang
