#include "port/scan/lexer.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tqm::port {
namespace {

std::string words_of(std::string_view source) {
  std::string text;
  for (const Token& token : lex(source)) text += (text.empty() ? "" : " ") + std::string(token.text);
  return text;
}

TEST(Lexer, LeavesCommentsOut) {
  EXPECT_EQ(words_of("a /* b \n c */ d // e \\\n f\ng"), "a d g");
  EXPECT_EQ(words_of("\"// no\" '/' /* open"), "\"// no\" '/'");
}

TEST(Lexer, KeepsSignsThatMatter) {
  EXPECT_EQ(words_of("k<<<1,2>>>(x)"), "k <<< 1 , 2 > > > ( x )");
  EXPECT_EQ(words_of("a::b 1'000.5e-3f"), "a :: b 1'000.5e-3f");
  EXPECT_EQ(words_of("R\"x( )\" )x\" end"), "R\"x( )\" )x\" end");
}

TEST(Lexer, KnowsLinesAndDirectives) {
  const auto tokens = lex("x\n# define K \\\n  __global__\ny");
  ASSERT_EQ(tokens.size(), 6u);
  EXPECT_FALSE(tokens[0].directive);
  EXPECT_TRUE(tokens[4].directive);
  EXPECT_EQ(tokens[4].line, 3);
  EXPECT_FALSE(tokens[5].directive);
  EXPECT_EQ(tokens[5].line, 4);
}

}  // namespace
}  // namespace tqm::port
