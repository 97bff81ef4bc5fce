// One buffer of both sides, element by element.
//
// A mean over all elements hides faults: at the 3e-3 that operator libraries allow, one wholly wrong element in a
// hundred thousand passes, and so does a wrong tail of 128 bytes. So every element is judged alone. How far a float may
// be off is measured, not chosen: the CUDA side itself is run in several ways that CUDA allows (with fused multiply-add
// and without, with its blocks in several orders, with functions as far off as their documentation says), and where
// those differ, the translation may differ eight times as far; where they agree, by four units in the last place.
//
// A sum in another order is no other way that CUDA allows. For it the CUDA side is run with every operation rounded up,
// and rounded down: of a sum, those two bracket the true value, and in general they show what rounding does to this
// input. The width between them counts eight times, too, and on top: of a quotient, both parts go the same way.
//
// Where atomics add, a few orders out of very many are seen, and an element may show nothing where its neighbours do.
// There the spread is the largest among the elements around.
//
// Integers, and floats that were only moved, are bit-equal. NaN and infinity stand in the same places.
//
// Elements that CUDA's own order of blocks decides (a slot taken by an atomic) are counted and not compared.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "port/verify/element.hpp"

namespace tqm::port {

using Bytes = std::span<const std::byte>;

// All of one length. `reference` is the CUDA side without contraction, blocks from first to last.
struct BufferRuns {
  Element element = Element::f32;
  Bytes reference;
  std::vector<Bytes> orders;        // the same build, blocks in other orders
  std::vector<Bytes> contractions;  // other builds, blocks from first to last
  std::vector<Bytes> functions;     // with functions as far off as documented
  std::vector<Bytes> threads;    // of a block in other orders; counted where they round otherwise and do nothing else
  std::vector<Bytes> roundings;  // rounded up, and down, throughout; empty: order of sums is CUDA's
  bool largest_inputs = false;   // sums of these hang on their order altogether
  // What the reference run leaves where memory was poisoned otherwise, and what the buffer held before. Elements that
  // the poison decides were never written. Empty: not run, or not initialised.
  Bytes other_poison;
  Bytes before;
};

struct Tolerance {
  double ulps = 4;
  double spread_factor = 8;
  double rounding_factor = 8;
  double mean = 3e-3;   // diff1 and diff2, of the elements that rounding does not decide
  double relative = 0;  // what the tables of approximate calls add, of the reference's size
  double absolute = 0;
  bool moved_only = false;  // the kernel does no arithmetic on it: bit-equal, though floats
};

struct Difference {
  std::size_t index = 0;
  std::string reference, result;  // both values, every digit
  double ulps = 0;  // distance in units in the last place; 0 where one is NaN or infinite, and for integers
  std::string why;  // "beyond 4 ulp and 8 times the spread (1.2e-7)"
};

struct Comparison {
  std::size_t elements = 0;
  std::size_t compared = 0;
  std::size_t changed = 0;          // by the reference
  std::size_t order_dependent = 0;  // by CUDA's own order of blocks: not compared
  std::size_t differing = 0;
  std::size_t loose = 0;  // compared, but the CUDA side's own runs are more than a thousandth of it apart
  std::optional<std::size_t> first_order_dependent;
  std::optional<Difference> first;
  double worst_ulps = 0;        // of the elements compared
  double largest_spread = 0;    // of the CUDA side, in ulps
  double diff1 = 0, diff2 = 0;  // sum|d|/sum|reference|, and the ratio of root mean squares; finite, not loose
  bool equal() const { return differing == 0; }
};

// `result` is as long as the reference; a length that is no whole number of elements is our own bug.
Comparison compare(const BufferRuns& runs, Bytes result, const Tolerance& tolerance);

// Where two runs of one side, which should be the same to the bit, are not: the first element. Elements in which
// `never_written_a` and `never_written_b` differ don't count; NaN is NaN whatever its bits.
std::optional<std::size_t> first_unequal(Element element, Bytes reference, Bytes other, Bytes never_written_a,
                                         Bytes never_written_b);

// The first element that one side never writes (it differs between its runs under two poisons) and the other side does
// (it does not). Poisons differ in every byte.
std::optional<std::size_t> first_written_by_one(Element element, Bytes unwritten_a, Bytes unwritten_b, Bytes other_a,
                                                Bytes other_b);

}  // namespace tqm::port
