#include "port/diagnostics/diagnostics.hpp"

namespace tqm::port {
namespace {

using enum Severity;

constexpr DiagnosticKind kKinds[] = {
    {2001, refused, "a construct that the translator does not know", "What is not understood is never left out.",
     "Write it in plainer C++."},
    {2002, refused, "Clang guessed here", "A type or name is unknown, usually because a header is missing.",
     "Give the folder of the missing header with -I, or the macro with -D."},
    {2003, refused, "inline PTX", "It is the assembler of another chip.",
     "Write the instruction as CUDA C++; most have an intrinsic."},
    {2004, refused, "a kernel that starts work itself", "The chip starts no tasks from a kernel.",
     "Launch from the host."},
    {2005, refused, "a function that calls itself", "Functions of a kernel are expanded where they are called.",
     "Write it as a loop."},
    {2006, refused, "a call by way of a pointer or a virtual function",
     "The chip has no calls whose target is computed.", "Make the callee a template parameter."},
    {2007, refused, "a barrier that some threads of the block may not reach",
     "A block becomes loops over its threads, cut at each barrier; all of them must reach it.",
     "Move the barrier out of the condition or the loop."},
    {2009, refused, "a texture or a surface", "The chip has no texture units.",
     "Read from plain memory, with filtering and borders written out."},
    {2010, refused, "goto", "Loops and branches are followed by their structure.",
     "Write it with loops and conditions."},
    {2011, refused, "a function without a known meaning",
     "It is neither defined in the source nor one of those that the translator knows.",
     "Write its body into the source, or leave the call to the host."},
    {2012, refused, "memory taken in a kernel", "The chip has no heap.", "Take it on the host and hand it over."},
    {2013, refused, "a type without a counterpart", "The chip has integers up to 64 bits, half, bfloat16 and float.",
     "Use one of those."},
    {2014, refused, "the bits of a double", "double is float on the chip: its bits are others.",
     "Use the chip's own atomics or arithmetic instead of the bits."},
    {2015, refused, "more on-chip memory than a core has",
     "Shared memory, and what lives across barriers for every thread of a block, lie in the NRAM of one core.",
     "Launch smaller blocks, say __launch_bounds__, or use less shared memory."},
    {2016, refused, "an atomic that the chip does not have", "It has those of 16 and 32 bits on global memory.",
     "Use a 32-bit type."},
    {2017, refused, "a clock or another register of the device", "The chip's clocks count something else.",
     "Measure on the host."},
    {2018, refused, "threads meet where they can't be followed",
     "A barrier or warp operation stands within a switch, or is of a kind that is not known.",
     "Write the switch as conditions."},
    {2019, refused, "a lambda that can't be followed",
     "It lies in an object, is given back by a function, copies an array, or changes its own copies.",
     "Call it where it is made, hand it to a template, or write a struct with operator()."},
    {2020, refused, "some threads leave a loop while others still meet in it",
     "The loop is left from deep inside, under a condition that differs among threads.",
     "Put the condition at the top of the loop's body, or into its head."},
    {2022, refused, "a variable that the kernel can't see", "It is static, or of the host.",
     "Hand it over as a parameter."},
    {2023, refused, "an exception in a kernel", "The chip has none.", "Return a status."},
    {2024, refused, "an asynchronous copy pipeline", "It is not translated yet.",
     "Write it with plain copies and barriers."},

    {2101, attention, "double is computed as float", "The chip has no double; results have about seven digits.",
     "Compare the results with the original's tolerance; hand over arrays of float."},
    {2102, note, "printf is taken out", "", "Nothing."},
    {2103, note, "assert is taken out", "", "Nothing."},
    {2104, note, "an approximate function", "CUDA's own has an error of more than two units in the last place.",
     "Nothing: the translation uses the more exact one."},
    {2105, attention, "blocks that hand work to each other",
     "The last block to come, told by an atomic counter behind a fence, reads what the others left.",
     "One task runs all blocks; to use all cores, split the kernel there and launch both parts in turn."},
};

}  // namespace

std::span<const DiagnosticKind> translate_kinds() {
  return kKinds;
}

}  // namespace tqm::port
