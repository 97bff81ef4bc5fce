// What every call does before its own meaning: check its operands against the memory they claim to point to.
//
//   Call call("__bang_add", PLACE);
//   if (!call.computes()) return;                // on the MPU a vector call does nothing
//   call.reads(a, bytes, "src0"); call.writes(dst, bytes, "dst");
//   call.apart(dst, bytes, a, bytes, kMayBeSame);
//   ... the values ...
//   call.settle(dst, n, size, {{a, size, n}});   // a lane made of uninitialised ones is uninitialised
//
// Outside its memory or its space a call can't be carried out: the launch is given up. The rest is noted, and the run
// goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "port/emulate/bang/runtime/machine.hpp"

// Where the kernel called us.
#define PLACE __builtin_return_address(0)

namespace tqm::port::bang {

struct Lanes {
  const void* begin;
  long size;       // of an element
  long count;      // elements; fewer than those of dst: they repeat
  long group = 1;  // elements that make one of dst
};

constexpr bool kMayBeSame = true;
constexpr bool kNeverSame = false;

class Call {
 public:
  Call(const char* name, const void* place);

  bool computes() const;  // false on the MPU
  const char* name() const { return name_; }
  const void* place() const { return place_; }
  Core& core() const { return core_; }

  // An operand in NRAM unless said otherwise.
  void reads(const void* begin, long bytes, const char* operand, Space space = Space::nram);
  void writes(void* begin, long bytes, const char* operand, Space space = Space::nram);

  // Operands that may not overlap, or only by being the same.
  void apart(const void* dst, long dst_bytes, const void* src, long src_bytes, bool may_be_same);
  // src to read from while dst is written: a copy of it where the two overlap.
  const void* source(const void* src, long src_bytes, const void* dst, long dst_bytes);

  bool positive(long value, const char* what);                        // else noted: the call does nothing
  void check(bool holds, const char* kind, const std::string& text);  // notes, and goes on
  [[noreturn]] void fail(const char* kind, const std::string& text);

  bool initialised(const void* begin, long bytes) const;
  void require(const void* begin, long bytes, const char* operand);  // values that decide must be initialised
  void settle(void* dst, long n, long size, std::initializer_list<Lanes> sources);
  void settle(void* dst, long bytes, bool initialised = true);

  void count(const char* counter, std::uint64_t amount) const { machine().counters()[counter] += amount; }

 private:
  void operand(const void* begin, long bytes, const char* operand, Space space, bool write);

  const char* name_;
  const void* place_;
  Core& core_;
  std::vector<std::vector<std::byte>> kept_;
};

// Any space of the running core, or GDRAM, or its stack.
Space space_at(const void* address);
bool reachable(const Core& core, const void* address);  // is it this core's, or shared with it
std::string describe(const void* address);              // "byte 512 of nram_buffer (384 bytes of NRAM)"

// First byte of [begin, begin + bytes) whose flags lack one of `wanted`, or bytes.
long first_without(const void* begin, long bytes, std::uint8_t wanted);

// Notes an access to memory that cores share, and finds races. `changes` tells whether a write changes what is there;
// the same value written twice is no fault.
void note_shared(Core& core, const void* begin, long bytes, bool write, bool changes, const char* call,
                 const void* place);

}  // namespace tqm::port::bang
