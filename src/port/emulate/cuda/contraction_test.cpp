#include "port/emulate/cuda/contraction.hpp"

#include <gtest/gtest.h>

namespace tqm::port::cuda {
namespace {

TEST(Contraction, FlagsAndFeaturesGo) {
  EXPECT_EQ(without_contraction("@s = constant [9 x i8] c\"a contract b\"\n"
                                "define float @f(float %a) #0 {\n"
                                "  %m = fmul nnan contract float %a, %a, !dbg !1\n"
                                "  %c = call contract float @g(float %m)\n"
                                "}\n"
                                "attributes #0 = { \"target-features\"=\"+avx,+fma,+sse\" \"tune-cpu\"=\"generic\" }\n"
                                "!1 = !DIString(\"x contract y\")"),
            "@s = constant [9 x i8] c\"a contract b\"\n"
            "define float @f(float %a) #0 {\n"
            "  %m = fmul nnan float %a, %a, !dbg !1\n"
            "  %c = call float @g(float %m)\n"
            "}\n"
            "attributes #0 = { \"target-features\"=\"+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87\" "
            "\"tune-cpu\"=\"generic\" }\n"
            "!1 = !DIString(\"x contract y\")");
}

TEST(Contraction, OtherTextStays) {
  const std::string text = "  call void asm \"a contract b\", \"\"()\n\n; contract \n";
  EXPECT_EQ(without_contraction(text), text);
}

}  // namespace
}  // namespace tqm::port::cuda
