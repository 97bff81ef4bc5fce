// The kernel's tree: what the front end makes of a __global__ function and the device functions it calls, what passes
// rewrite, and what an emitter prints. Expressions and statements are never changed once made; a pass builds new ones
// and shares what stays. Variables have identity: two with one name are two.
//
// A kernel comes in the form "one thread": its body is what one thread does, and the indices of thread and block are
// expressions (Kind::index). Passes turn it into the form "one task": thread loops (Kind::thread_loop) stand where the
// threads of a block ran side by side, barriers are gone, and variables say where they live (Storage).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "port/ir/type.hpp"

namespace tqm::port::ir {

enum class Storage : std::uint8_t {
  parameter,
  local,           // of a thread, or of the task outside thread loops
  shared,          // of a block; NRAM of the core that runs the block
  dynamic_shared,  // extern __shared__: length known at the launch
  constant,        // __constant__
  device,          // __device__ at namespace scope
  thread_array,    // one value a thread, NRAM; a reference in a thread loop means this thread's value
};

struct Expr;
struct Stmt;
struct Function;
using ExprRef = std::shared_ptr<const Expr>;
using StmtRef = std::shared_ptr<const Stmt>;
using Stmts = std::vector<StmtRef>;

struct Variable {
  std::string name;
  TypeRef type;
  Storage storage = Storage::local;
  int line = 0;
  bool restrict_pointer = false;  // __restrict__
  bool reference = false;         // a reference in the source; here a pointer
  bool demoted = false;           // double, or a pointer to double, in the source
  ExprRef initial;                // of a constant that nobody can write: its table stands in the kernel
  std::string symbol;             // of constant and device variables that the host may fill
};
using VariableRef = std::shared_ptr<Variable>;

enum class Index : std::uint8_t {
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  block_dim_x,
  block_dim_y,
  block_dim_z,
  grid_dim_x,
  grid_dim_y,
  grid_dim_z,
  lane,           // of a thread in its warp
  thread_linear,  // (z * block_dim_y + y) * block_dim_x + x
  threads,        // of a block
  place_x,        // block_x * block_dim_x + thread_x, where blocks are merged
  warp_size,
};

enum class Op : std::uint8_t {
  none,
  negate,
  logical_not,
  bit_not,
  dereference,
  address,
  pre_increment,
  pre_decrement,
  post_increment,
  post_decrement,
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  greater,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  comma,
};

struct Expr {
  enum class Kind : std::uint8_t {
    integer,         // value
    floating,        // real
    text,            // a string, only as an argument of printf and the like
    variable,        // variable
    index,           // index
    unary,           // op args[0]
    binary,          // args[0] op args[1]
    assign,          // args[0] = args[1], or args[0] op= args[1] where op is not none
    conditional,     // args[0] ? args[1] : args[2]
    cast,            // (type) args[0]
    subscript,       // args[0][args[1]]
    member,          // args[0].field, the record of args[0]
    call,            // function(args)
    intrinsic,       // name(args): a call that a target must know; intrinsics.hpp lists them
    aggregate,       // {args}
    thread_element,  // the value of thread args[0] in variable, a thread array
  };
  Kind kind = Kind::integer;
  TypeRef type;
  int line = 0;
  Op op = Op::none;
  Index index = Index::thread_x;
  std::int64_t value = 0;
  double real = 0;
  int field = 0;
  std::string name;
  VariableRef variable;
  std::shared_ptr<const Function> function;
  std::vector<ExprRef> args;
};

struct Stmt {
  enum class Kind : std::uint8_t {
    block,        // body
    declare,      // variable, value where it has one
    evaluate,     // value
    branch,       // if (value) body else other
    for_loop,     // for (init; value; step) body; value and step may be missing
    while_loop,   // while (value) body
    do_loop,      // do body while (value)
    choose,       // switch (value): body holds label statements and what follows them
    label,        // case value: or default: where value is missing
    leave,        // break
    next,         // continue
    give_back,    // return value
    barrier,      // __syncthreads and what is like it
    thread_loop,  // for every thread of the block, where value (a mask) holds: body
  };
  Kind kind = Kind::block;
  int line = 0;
  std::vector<std::string> comments;  // the user's, before the statement, without // and line ends
  VariableRef variable;
  ExprRef value;
  ExprRef step;
  StmtRef init;
  Stmts body;
  Stmts other;
  bool unrolled = false;     // #pragma unroll; of a thread loop: its body is a whole row of threads (thread_x)
  bool from_return = false;  // a branch made of an early return: barriers inside wait for the threads that stay
  bool from_source = true;   // as the user wrote it; false: made by a pass
};

struct Function {
  std::string name;       // as emitted
  std::string qualified;  // as the user wrote it, with template arguments
  std::string symbol;     // mangled
  TypeRef result;
  std::vector<VariableRef> params;
  Stmts body;
  bool kernel = false;
  int launch_bound = 0;  // __launch_bounds__, 0 where it has none
  int line = 0;
  std::string file;
  std::vector<std::string> comments;  // before the function
};
using FunctionRef = std::shared_ptr<const Function>;

// What the translator says of a kernel: refusals (severity refusal), warnings and notes. docs/port-diagnostics.md.
struct Remark {
  enum class Severity : std::uint8_t { note, warning, refusal };
  int number = 0;  // 2007 is printed as TQP2007
  Severity severity = Severity::note;
  int line = 0;
  std::string text;  // about this place: what, and what to do
};

// A kernel with all it needs, ready to be translated.
struct Kernel {
  FunctionRef entry;
  std::vector<FunctionRef> functions;  // device functions, callees first
  std::vector<std::shared_ptr<const Record>> records;
  std::vector<VariableRef> globals;  // __constant__ and __device__
  std::vector<Remark> remarks;
  bool one_dimensional_blocks = false;  // every launch seen has block.y = block.z = 1
  bool one_dimensional_grid = false;
  int block_x = 0;  // the same constant in every launch seen; 0: not known
  int block_y = 0;
  int block_z = 0;
  bool refused() const;
};

}  // namespace tqm::port::ir
