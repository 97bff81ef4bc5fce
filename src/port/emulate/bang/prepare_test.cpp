#include "port/emulate/bang/prepare.hpp"

#include <gtest/gtest.h>

namespace tqm::port::bang {
namespace {

TEST(Prepare, MakesOnChipVariablesThreadLocal) {
  EXPECT_EQ(prepare("__nram__ float a[4];"), "__thread __attribute__((aligned(1024))) float a[4];");
  EXPECT_EQ(prepare("namespace x { __wram__ int a; }"),
            "namespace x { __thread __attribute__((aligned(4096))) int a; }");
  EXPECT_EQ(prepare("void f() { __mlu_shared__ int a; }"),
            "void f() { static __thread __attribute__((aligned(8192))) int a; }");
  EXPECT_EQ(prepare("extern __nram__ int a;"), "extern __thread __attribute__((aligned(1024))) int a;");
  EXPECT_EQ(prepare("__nram__ static int a;"), " static __thread __attribute__((aligned(1024))) int a;");
  EXPECT_EQ(prepare("void f(__nram__ float* a);"), "void f( float* a);");
}

TEST(Prepare, RewritesLaunches) {
  EXPECT_EQ(prepare("k<<<d, t, q>>>(x, f(y));"),
            "::tqm_bang::launch_kernel(d, t, q, [&]() __attribute__((no_sanitize(\"thread\"))) { k(x, f(y)); });");
  EXPECT_EQ(prepare("n::k<float, A<int> ><<<dim3{1, 2}, t, q>>>(x);"),
            "::tqm_bang::launch_kernel(dim3{1, 2}, t, q, [&]() __attribute__((no_sanitize(\"thread\"))) { n::k<float, "
            "A<int> >(x); });");
}

TEST(Prepare, KeepsLinesOfAssembly) {
  EXPECT_EQ(prepare("asm volatile(\"sync;\\n\\t\");"), "__sync();");
  EXPECT_EQ(prepare("__asm__ volatile(\n\"sync;\"\n);\nx"), "__sync()\n\n;\nx");
  EXPECT_EQ(prepare("asm volatile(\"nop;\");"), "asm volatile(\"nop;\");");
}

TEST(Prepare, NamesCallsThatTheChipDoesNotHave) {
  EXPECT_EQ(prepare("__bang_future(a, 3); __bang_next();"),
            "::tqm_bang::absent_call(\"__bang_future\", a, 3); ::tqm_bang::absent_call(\"__bang_next\");");
  EXPECT_EQ(prepare("__bang_add(a, b, c, 3);"), "__bang_add(a, b, c, 3);");
  EXPECT_EQ(prepare("void __bang_mine(int a) { } __bang_mine(1);"), "void __bang_mine(int a) { } __bang_mine(1);");
}

TEST(Prepare, LeavesStringsAndBrokenTextAlone) {
  EXPECT_EQ(prepare("\"k<<<d>>>(x) __nram__\""), "\"k<<<d>>>(x) __nram__\"");
  for (const char* text : {"<<<", ">>>(", "k<<<d, t", "<<<>>>()", "x<<<a>>>(", "__nram__", "asm volatile(\"sync;"}) {
    prepare(text);
  }
}

}  // namespace
}  // namespace tqm::port::bang
