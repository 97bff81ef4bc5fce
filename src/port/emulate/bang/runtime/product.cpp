// Matrix products and convolutions. Their weights lie in WRAM: output channel n in lane table n % 64, the channels of a
// table one behind the other, each in its slot of 64-byte multiples.
#include <cmath>

#include "port/emulate/bang/runtime/number.hpp"
#include "port/emulate/bang/runtime/operand.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

class Weights {
 public:
  Weights(Call& call, const void* begin, Type type, long channels, long elements)
      : call_(call), begin_(static_cast<const std::byte*>(begin)), type_(type) {
    Arena& arena = machine().arena();
    table_bytes_ = static_cast<long>(arena.lane_table_bytes());
    row_bytes_ = elements * size_of(type);
    slot_bytes_ = (row_bytes_ + 63) / 64 * 64;
    if (space_at(begin) != Space::wram || !reachable(call.core(), begin)) {
      call.fail(kWrongSpace,
                std::string(call.name()) + ": the weights point into " +
                    (arena.holds(begin) ? describe(begin) : std::string(tqm::port::bang::name(space_at(begin)))) +
                    ", and the call takes WRAM");
    }
    call.check(reinterpret_cast<std::uintptr_t>(begin) % 32 == 0, kAlignment, "the weights are not 32-byte aligned");
    if (begin_ - arena.wram_base(call.core().arena) >= table_bytes_) {
      call.fail(kWramLayout, std::string(call.name()) + ": the weights begin beyond the first lane table");
    }
    for (long channel = 0; channel < channels; ++channel) {
      call.reads(row(channel), row_bytes_, "the weights", Space::wram);
    }
    check_layout(channels);
  }

  const std::byte* row(long channel) const {
    constexpr auto kTables = static_cast<long>(kLaneTables);
    return begin_ + channel % kTables * table_bytes_ + channel / kTables * slot_bytes_;
  }

  float value(long channel, long element) const {
    return by_type(type_, [&](auto sample) {
      using T = decltype(sample);
      return static_cast<float>(wide(get<T>(row(channel), element)));
    });
  }

  bool initialised(long channel) const { return call_.initialised(row(channel), row_bytes_); }

 private:
  void check_layout(long channels) {
    for (long channel = 0; channel < channels; ++channel) {
      if (initialised(channel) && first_without(row(channel), row_bytes_, kFilterLayout) < row_bytes_) {
        call_.check(false, kWramLayout,
                    "the weights of output channel " + std::to_string(channel) +
                        " were not put in order: by __bang_reshape_filter, or by a copy with WRAM's 1/64 as stride");
        return;
      }
    }
  }

  Call& call_;
  const std::byte* begin_;
  Type type_;
  long table_bytes_ = 0, row_bytes_ = 0, slot_bytes_ = 0;
};

struct Geometry {
  long channels_in, height, width, kernel_height, kernel_width, stride_width, stride_height, channels_out;
  long out_height() const { return (height - kernel_height) / stride_height + 1; }
  long out_width() const { return (width - kernel_width) / stride_width + 1; }
};

// What both come to: a product is a convolution of height m, width 1.
void convolve(Call& call, Type to, Type a, Type b, void* dst, const void* src, const void* weights, const void* bias,
              Type bias_type, const Geometry& g, int position) {
  for (const auto& [value, what] :
       {std::pair{g.channels_in, "the number of input channels"}, std::pair{g.channels_out, "that of output channels"},
        std::pair{g.height, "the height"}, std::pair{g.width, "the width"}, std::pair{g.stride_width, "stride_width"},
        std::pair{g.stride_height, "stride_height"}}) {
    if (!call.positive(value, what)) {
      return;
    }
  }
  if (g.kernel_height > g.height || g.kernel_width > g.width || g.kernel_height <= 0 || g.kernel_width <= 0) {
    call.fail(kArgument, std::string(call.name()) + ": a kernel larger than the tensor");
  }
  const long to_size = size_of(to);
  const long a_size = size_of(a);
  const long inputs = g.height * g.width * g.channels_in;
  const long outputs = g.out_height() * g.out_width() * g.channels_out;
  call.reads(src, inputs * a_size, "src");
  call.writes(dst, outputs * to_size, "dst");
  call.apart(dst, outputs * to_size, src, inputs * a_size, kNeverSame);
  if (bias != nullptr) {
    call.reads(bias, g.channels_out * size_of(bias_type), "bias");
  }
  const Weights kernel(call, weights, b, g.channels_out, g.kernel_height * g.kernel_width * g.channels_in);
  std::vector<float> image(static_cast<std::size_t>(inputs));
  by_type(a, [&](auto sample) {
    using T = decltype(sample);
    for (long i = 0; i < inputs; ++i) {
      image[static_cast<std::size_t>(i)] = static_cast<float>(wide(get<T>(src, i)));
    }
  });
  const long window = g.kernel_height * g.kernel_width * g.channels_in;
  std::vector<float> filter(static_cast<std::size_t>(g.channels_out * window));
  for (long channel = 0; channel < g.channels_out; ++channel) {
    for (long i = 0; i < window; ++i) {
      filter[static_cast<std::size_t>(channel * window + i)] = kernel.value(channel, i);
    }
  }
  const bool source_known = call.initialised(src, inputs * a_size);
  const double scale = std::ldexp(1.0, position);
  by_type(to, [&](auto sample) {
    using T = decltype(sample);
    for (long oh = 0; oh < g.out_height(); ++oh) {
      for (long ow = 0; ow < g.out_width(); ++ow) {
        const long first = (oh * g.stride_height * g.width + ow * g.stride_width) * g.channels_in;
        bool known = true;
        for (long kh = 0; !source_known && kh < g.kernel_height; ++kh) {
          known = known &&
                  call.initialised(static_cast<const std::byte*>(src) + (first + kh * g.width * g.channels_in) * a_size,
                                   g.kernel_width * g.channels_in * a_size);
        }
        for (long co = 0; co < g.channels_out; ++co) {
          float total = 0;
          for (long kh = 0; kh < g.kernel_height; ++kh) {
            const float* x = image.data() + first + kh * g.width * g.channels_in;
            const float* y = filter.data() + co * window + kh * g.kernel_width * g.channels_in;
            for (long i = 0; i < g.kernel_width * g.channels_in; ++i) {
              total += x[i] * y[i];
            }
          }
          double value = static_cast<double>(total) * scale;
          if (bias != nullptr) {
            value += by_type(bias_type, [&](auto bias_sample) {
              using B = decltype(bias_sample);
              return static_cast<double>(wide(get<B>(bias, co)));
            });
          }
          const long at = (oh * g.out_width() + ow) * g.channels_out + co;
          put(dst, at, narrow<T>(value));
          call.settle(static_cast<std::byte*>(dst) + at * to_size, to_size, known && kernel.initialised(co));
        }
      }
    }
  });
  call.count("matrix_ops", static_cast<std::uint64_t>(2 * outputs * window));
  call.count("matrix_bytes",
             static_cast<std::uint64_t>(inputs * a_size + outputs * to_size + g.channels_out * window * size_of(b)));
}

void check_alignment(Call& call, Type a, Type b, long channels_in, long channels_out) {
  const long ratio = size_of(a) / size_of(b);
  const long unit = ratio == 4 ? 16 : ratio == 2 ? 32 : 64;
  call.check(channels_in * size_of(b) % unit == 0, kAlignment,
             "a row of weights is " + std::to_string(channels_in * size_of(b)) + " bytes, and must be a multiple of " +
                 std::to_string(unit));
  call.check(channels_out % 64 == 0, kAlignment,
             std::to_string(channels_out) + " output channels: their number must be a multiple of 64");
}

}  // namespace

void matmul(const char* name, Type to, Type a, Type b, void* dst, const void* left, const void* weights, long m, long k,
            long n, int position) {
  Call call(name, PLACE);
  if (!call.computes()) {
    return;
  }
  check_alignment(call, a, b, k, n);
  convolve(call, to, a, b, dst, left, weights, nullptr, Type::f32, {k, m, 1, 1, 1, 1, 1, n}, position);
}

void conv(const char* name, Type to, Type a, Type b, void* dst, const void* src, const void* weights, const void* bias,
          Type bias_type, long channels_in, long height, long width, long kernel_height, long kernel_width,
          long stride_width, long stride_height, long channels_out, int position) {
  Call call(name, PLACE);
  if (!call.computes()) {
    return;
  }
  check_alignment(call, a, b, channels_in, channels_out);
  convolve(call, to, a, b, dst, src, weights, bias, bias_type,
           {channels_in, height, width, kernel_height, kernel_width, stride_width, stride_height, channels_out},
           position);
}

}  // namespace tqm_bang
