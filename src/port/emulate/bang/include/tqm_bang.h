// The border between the look-alike headers and the emulator's library: what every BANG call comes down to. A kernel
// never includes this file by name; bang.h does.
//
// Pointers carry no address space, as in BANG C: the library tells the spaces apart by address. Scalars cross as their
// bits, so that the library needs no half type from the compiler. `call` is the name that the kernel used; messages
// quote it.
#pragma once

namespace tqm_bang {

enum class Type : int { f32, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64 };

enum class Binary : int {
  add,
  sub,
  mul,
  div,
  rem,
  maximum,
  minimum,
  nan_maximum,
  nan_minimum,
  eq,
  ne,
  gt,
  ge,
  lt,
  le,
  logical_and,
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  add_tz,
  sub_tz,
  mul_tz,
  hypot,
};

enum class Unary : int {
  abs,
  neg,
  logical_not,
  bit_not,
  relu,
  square,
  sqrt,
  rsqrt,
  recip,
  log2,
  ln,
  pow2,
  exp,
  sin,
  cos,
  tanh,
  floor,
  ceil,
  trunc,
  round,
};

// Table look-ups of the hardware: each with a domain and an average relative error.
enum class Active : int {
  exp,
  exphp,
  exp_less_0,
  pow2,
  relu,
  abs,
  sign,
  sigmoid,
  tanh,
  gelu,
  gelup,
  sqrt,
  sqrthp,
  rsqrt,
  rsqrthp,
  recip,
  reciphp,
  recip_greater_1,
  sin,
  cos,
  log,
  loghp,
};

// tz toward zero, oz away from zero, up, dn down, rd nearest with ties away from zero, rm nearest with ties up,
// rn nearest with ties to even.
enum class Rounding : int { tz, oz, up, dn, rd, rm, rn };

enum class Pool : int { sum, avg, max, min };
enum class Extreme : int { max, min, argmax, argmin, fabsmax, fabsmin };
enum class Pick : int { filter, filter_bits, select, select_bits };
enum class Atomic : int { add, inc, dec, max, min, bit_and, bit_or, bit_xor, exch };
enum class Turn : int { transpose, rotate90, rotate180, rotate270, mirror };
enum class Sync : int {
  all,  // the pipes of this core
  io,
  move,
  compute,
  io_move,
  directions,  // of one copy direction: `direction`
  cluster,
  union_all,
  union_ipu,
  union_mpu,
  cluster_ipu,
};

struct Strides {  // of a copy: bytes, and numbers of segments less one
  long dst0 = 0, src0 = 0;
  long dst_count1 = 0, src_count1 = 0;
  long dst1 = 0, src1 = 0;
  long dst_count2 = 0, src_count2 = 0;
  int dimensions = 0;  // 0 plain, 2, 3
  int cluster = -1;    // SRAM2SRAM: that of dst
};

struct Window {
  long channel, height, width, kernel_height, kernel_width, stride_width, stride_height;
};

void copy(const char* call, bool async, void* dst, const void* src, long size, int direction, const Strides& strides);
void sync(const char* call, Sync what, int direction = -1);

void binary(const char* call, Binary op, Type type, void* dst, const void* a, const void* b, long n, long cycle);
void binary_scalar(const char* call, Binary op, Type type, void* dst, const void* a, unsigned long b, long n);
void unary(const char* call, Unary op, Type type, void* dst, const void* a, long n);
void active(const char* call, Active function, Type type, void* dst, const void* a, long n);
void compare_bits(const char* call, Binary op, Type type, void* dst, const void* a, const void* b, long n);
void convert(const char* call, Type to, Type from, Rounding rounding, void* dst, const void* src, long n,
             int dst_position, int src_position, long dst_stride = 0, long src_stride = 0, long count = -1);
unsigned long convert_scalar(Type to, Type from, Rounding rounding, unsigned long bits);

// b and c are vectors of nb and nc elements, repeated, or scalars where the pointer is null.
void fusion(const char* call, int code, Type type, void* dst, const void* a, const void* b, unsigned long b_scalar,
            const void* c, unsigned long c_scalar, long n, long nb, long nc);

// space: 'n' NRAM, 's' SRAM, 'l' LDRAM, 'g' GDRAM
void fill(const char* call, char space, Type type, void* dst, unsigned long bits, long n, long stride0 = 0,
          long count1 = 0, long stride1 = 0, long count2 = 0);

void pool(const char* call, Pool kind, Type type, void* dst, const void* src, const Window& window);
void pool_index(const char* call, Pool kind, Type type, void* dst, const void* src, const Window& window);
void pool_backward(const char* call, Pool kind, Type type, void* dst, const void* src, const void* mask,
                   const Window& window, bool add_overlap);
void unpool(const char* call, Type type, void* dst, const void* src, const Window& window, long index);

void reduce_sum(const char* call, Type type, void* dst, const void* src, long n);
unsigned long sum(const char* call, Type type, const void* src, long n);
void extreme(const char* call, Extreme kind, Type type, void* dst, const void* src, long n);
unsigned long extreme_value(const char* call, Extreme kind, Type type, const void* src, long n);
unsigned count(const char* call, Type type, void* dst, const void* src, long n, bool bits);
unsigned find(const char* call, Type type, void* dst, const void* src, long n, bool first);
unsigned pick(const char* call, Pick kind, Type type, void* dst, const void* src, const void* mask, long n);
void mask_move(const char* call, Type type, void* dst, const void* src, const void* mask, long n);
void look_up(const char* call, Type type, void* dst, const void* index, const void* table, long n, long entries);
void increasing(const char* call, Type type, void* dst, long n);

void turn(const char* call, Turn kind, Type type, void* dst, const void* src, long height, long width);
void pad(const char* call, Type type, void* dst, const void* src, long channel, long height, long width, long top,
         long bottom, long left, long right);
void reshape_filter(const char* call, Type type, void* dst, const void* src, long n, long h, long w, long c);
void reshape_layout(const char* call, bool to_nchw, Type type, void* dst, const void* src, long n, long h, long w,
                    long c);
void move(const char* call, void* dst, const void* src, long bytes);

void matmul(const char* call, Type to, Type a, Type b, void* dst, const void* left, const void* weights, long m, long k,
            long n, int position);
void conv(const char* call, Type to, Type a, Type b, void* dst, const void* src, const void* weights, const void* bias,
          Type bias_type, long channels_in, long height, long width, long kernel_height, long kernel_width,
          long stride_width, long stride_height, long channels_out, int position);

// old: where the former values go (NRAM), or null; values: a vector in NRAM, or null and then `scalar`.
void atomic(const char* call, Atomic op, Type type, void* old, void* target, const void* values, unsigned long scalar,
            long n);
void atomic_cas(const char* call, Type type, void* old, void* target, unsigned long compare, unsigned long value);

void gather(const char* call, void* dst, const void* src, const void* offsets, const void* mask, long bytes,
            int direction, long dst_stride, long n);
void scatter(const char* call, void* dst, const void* src, const void* offsets, const void* mask, long bytes,
             int direction, long src_stride, long n);

// The 256-byte registers of the vector-vector unit, to and from NRAM.
void store_register(const char* call, Type type, void* dst, const void* values, long n);

unsigned long load(const char* call, char space, const void* address, int bytes);
void store(const char* call, char space, void* address, unsigned long bits, int bytes);
bool is_space(char space, const void* address);
bool is_mpu();
void absent(const char* call);  // a call that the chip does not have
void print(const char* format, ...);
void failed_assertion(const char* condition, const char* file, int line);

extern unsigned task_id, task_id_x, task_id_y, task_id_z, task_dim, task_dim_x, task_dim_y, task_dim_z;
extern unsigned cluster_id, cluster_dim, core_id, core_dim;

// A kernel by name: what a side can launch.
using Thunk = void (*)(void** arguments);
struct Registration {
  Registration(const char* name, Thunk thunk, unsigned long parameters, const unsigned long* sizes);
};

// The chip's figures, which compile_mlu puts into every side.
struct Chip {
  Chip(unsigned long nram, unsigned long wram, unsigned long sram, unsigned clusters, unsigned cores_a_cluster,
       const char* header_folder);
};

// Host code: a launch as <<<dim, type, queue>>> writes it; defined in the library, runs at once.
struct Dim {
  unsigned x, y, z;
};
void launch(Dim dim, int clusters, void (*body)(void*), void* closure);

}  // namespace tqm_bang
