#include "base/json.hpp"

#include <gtest/gtest.h>

namespace tqm {
namespace {

TEST(Json, KeepsTheOrderOfTheText) {
  const auto json = parse_json(R"({"b": [1, {"z": null, "a": -2.5}], "a": {"é": "ü"}, "c": true})", "t");
  ASSERT_TRUE(json);
  EXPECT_EQ(dump_json(*json, -1), R"({"b":[1,{"z":null,"a":-2.5}],"a":{"é":"ü"},"c":true})");
}

TEST(Json, RefusesAKeyThatStandsTwice) {
  const auto json = parse_json(R"({"a": 1, "b": {"a": 2}, "a": 3})", "file.json");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().message(),
            "not valid JSON: the key 'a' stands twice in one object (file.json): check that the file is whole");
}

TEST(Json, RefusesWhatIsTorn) {
  const auto json = parse_json(R"({"a": [1, 2)", "file.json");
  ASSERT_FALSE(json);
  EXPECT_TRUE(json.error().message().starts_with("not valid JSON: parse error at line 1, column 12"))
      << json.error().message();
}

TEST(Json, AnObjectOfManyKeysTakesNoQuadraticTime) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  const auto json = parse_json(text + "}", "t");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->size(), 100'000u);
}

}  // namespace
}  // namespace tqm
