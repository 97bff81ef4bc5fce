#include "port/diagnostics/diagnostics.hpp"

namespace tqm::port {
namespace {

using enum Severity;

constexpr DiagnosticKind kKinds[] = {
    // How much of the source was understood.
    {1001, attention, "Clang could not read the file",
     "It ended, or took longer or more memory than allowed, so the file was read word by word: kernels, launches and "
     "calls are found, but what a kernel does is only guessed from its words.",
     "Parse the file alone with clang++-19 to see why, or take out what stops it."},
    {1002, refused, "the kernel rests on something that is not declared",
     "A type, function or variable in it is unknown here, usually because a header is missing; Clang can only guess "
     "its "
     "type, and a guess is never translated.",
     "Give the folder of the missing header with -I, or the macro with -D."},
    {1003, note, "a header was not found", "It was taken for an empty file.",
     "Give its folder with -I; where only host code needs it, nothing is lost."},
    {1004, attention, "the kernel is left out by the preprocessor",
     "It stands in a part that #if or #ifdef leaves out with the macros given, so it was read word by word.",
     "Scan once more with the macro that brings it in (-D)."},
    {1005, attention, "the kernel is declared, and defined in no file that was scanned", "There is no body to look at.",
     "Scan the file that defines it, too."},
    {1006, note, "a macro that defines a kernel is never used",
     "The kernel stands in the text of a macro, which was read word by word.",
     "Nothing, where no file uses it; otherwise scan the file that does."},
    {1007, attention, "no launch says what the template's arguments are",
     "A template is translated for each set of arguments that a launch asks for, and none was seen.",
     "Scan the file with its launches, too, or name the arguments in the harness."},
    {1008, note, "the kernel is never launched in the files that were scanned", "", "Nothing, where that is meant."},
    {1009, attention, "the kernel is in the file's words, and not in what Clang made of them",
     "A macro may have taken it away, or what stands before it does not close. It was read word by word.",
     "Look at it by hand."},

    // What can't be right on the other chip, or only with a person's help.
    {1010, refused, "a barrier that some threads of the block may not reach",
     "It stands under a condition, or in a loop, that depends on the thread. A block becomes a loop over its threads, "
     "cut at each barrier; that needs a barrier that all of them reach.",
     "Move the barrier out of the condition, so that all threads reach it."},
    {1011, attention, "a barrier after some threads have returned",
     "CUDA leaves that undefined, although cards let it pass.",
     "Guard the work by the condition instead of returning early; the translation does so."},
    {1012, refused, "a kernel that launches kernels", "The other chip starts no tasks from a kernel.",
     "Launch from the host."},
    {1013, refused, "inline PTX", "It is the assembler of another chip.",
     "Write the instruction as CUDA C++; most have an intrinsic."},
    {1014, refused, "a texture or a surface", "The other chip has no texture units.",
     "Read from plain memory, with filtering and borders written out."},
    {1015, refused, "a barrier across the whole grid, or between blocks",
     "The blocks of a grid run one after the other on each core, so none can wait for one that comes later.",
     "Split the kernel there, and launch both parts in turn."},
    {1016, refused, "thread block clusters, or asynchronous copies with barriers in memory",
     "They are instructions of newer cards.", "Use the plain form of the kernel."},
    {1017, refused, "recursion", "The other chip's kernels have no stack of calls that may grow.",
     "Write it as a loop with a stack of a known depth."},
    {1018, refused, "a virtual function, or a call by way of a function pointer",
     "The other chip's kernels call only functions known when they are compiled.",
     "Make the function a template parameter."},
    {1019, refused, "memory taken from the heap within a kernel", "The other chip has no heap in kernels.",
     "Take it before the launch and hand it in."},
    {1020, refused, "a library's function within a kernel",
     "It is compiled for another chip, and its source is not here.", "Write it out, or do it in a kernel of its own."},
    {1021, refused, "a wait for other threads in a loop",
     "A loop that waits for another block's or thread's write never ends where they run one after the other.",
     "Split the kernel where it waits."},

    // What the translation changes.
    {1030, attention, "double", "MLU370 computes in float at most; double becomes float, and is compared as such.",
     "See whether float is precise enough; the verification prints how far the results move."},
    {1031, note, "printf or assert in the kernel", "It is taken out.", "Nothing."},
    {1032, attention, "an atomic sum of floats",
     "Its result depends on the order, on any card; it is compared with that in mind.",
     "Nothing, where that is meant."},
    {1033, attention, "warp operations without a barrier between them",
     "The kernel relies on threads of a warp running in step, which CUDA has not promised since Volta.",
     "Use __syncwarp, or the forms with _sync."},
    {1034, attention, "accessors of PyTorch's tensors", "Sizes and strides travel with the pointer.",
     "In the host code, hand over the pointer, the sizes and the strides."},
    {1035, attention, "a variable of the device that outlives the launch",
     "It becomes memory that the host hands in; what the host did with its symbol is to be done with that.",
     "Look at the calls with Symbol in their names."},
    {1036, attention, "the clock, or a wait by time", "What it measures differs from chip to chip.",
     "Take it out, or measure on the host."},
    {1037, note, "tensor cores by way of wmma", "16 x 16 x 16 fragments become the matrix unit's calls.", "Nothing."},
};

}  // namespace

std::span<const DiagnosticKind> scan_kinds() {
  return kKinds;
}

}  // namespace tqm::port
