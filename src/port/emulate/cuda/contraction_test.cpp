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

TEST(Contraction, WhatTheSourceFusesComesApart) {
  const std::string text = with_fused_apart(
      "  %r = call contract float @llvm.fma.f32(float %a, float %b, float %c), !dbg !1\n"
      "declare float @llvm.fma.f32(float, float, float)\n");
  EXPECT_TRUE(
      text.starts_with("  %r = call contract float @tqm_apart_f32(float %a, float %b, float %c), !dbg !1\n"
                       "declare float @llvm.fma.f32(float, float, float)\n"));
  EXPECT_NE(text.find("define internal float @tqm_apart_f32"), std::string::npos);
  const std::string other = "  %r = call <2 x float> @llvm.fma.v2f32(<2 x float> %a)\n";
  EXPECT_EQ(with_fused_apart(other), other);
}

}  // namespace
}  // namespace tqm::port::cuda
