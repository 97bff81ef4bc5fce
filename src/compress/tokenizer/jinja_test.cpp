#include "compress/tokenizer/jinja.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "compress/tokenizer/tokenizer.hpp"

namespace tqm::compress {
namespace {

using jinja::Value;

Value value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    std::vector<Value> items;
    for (const Json& item : json) items.push_back(value_of(item));
    return *jinja::make_list(std::move(items));
  }
  if (json.is_object()) {
    std::vector<std::pair<std::string, Value>> items;
    for (const auto& [key, item] : json.items()) items.emplace_back(key, value_of(item));
    return *jinja::make_dict(std::move(items));
  }
  return nullptr;
}

std::string rendered(const std::string& source, const std::vector<std::pair<std::string, Value>>& variables = {}) {
  const auto text =
      jinja::render(source, variables, std::chrono::system_clock::time_point(std::chrono::seconds(86400 * 31)));
  return text ? *text : text.error().message();
}

// Jinja's own answers: tests/peers/tokenizer_cases.py.
TEST(Jinja, EqualsJinja) {
  const std::filesystem::path folder = std::filesystem::path(TQM_SOURCE_DIR) / "tests/cases/compress/tokenizer";
  const auto cases = read_json(folder / "templates.json");
  const auto answers = read_json(folder / "rendered.json");
  ASSERT_TRUE(cases && answers);
  std::vector<std::pair<std::string, Value>> variables;
  for (const auto& [key, item] : cases->at("variables").items()) variables.emplace_back(key, value_of(item));
  ASSERT_EQ(cases->at("cases").size(), answers->size());
  for (size_t i = 0; i < answers->size(); ++i) {
    const auto source = cases->at("cases")[i].at("template").get<std::string>();
    const auto text = jinja::render(source, variables, {});
    const Json& answer = answers->at(i);
    ASSERT_EQ(text.ok(), answer.contains("text")) << source << "\n" << (text ? *text : text.error().message());
    if (text) {
      EXPECT_EQ(*text, answer.at("text").get<std::string>()) << source;
    }
  }
}

TEST(Jinja, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(rendered("a\n{{ b.c }}"), "chat template, line 2: 'b' is undefined");
  EXPECT_EQ(rendered("a\n\n{{ 1 + }}"), "chat template, line 3: a value is expected, not the end of the tag");
  EXPECT_EQ(rendered("{% if x %}"), "chat template, line 1: '{% endif %}' is expected, not the end of the template");
  EXPECT_EQ(rendered("{{ 'a }}"), "chat template, line 1: a text has no end: its quote is missing");
  EXPECT_EQ(rendered("\n{{ 1 "), "chat template, line 2: a tag has no end: '}}' is missing");
  EXPECT_EQ(rendered("{# a"), "chat template, line 1: a comment has no end: '#}' is missing");
  EXPECT_EQ(rendered("{% include 'x' %}"),
            "chat template, line 1: the block 'include' is not known: known are: break, continue, for, generation, if, "
            "macro, raw, set, "
            "with");
  EXPECT_EQ(rendered("{{ raise_exception('no system part') }}"),
            "chat template, line 1: the template refuses the messages: no system part: give messages in the form that "
            "the model was "
            "trained on");
  EXPECT_TRUE(rendered("{{ 1|shout }}")
                  .starts_with("chat template, line 1: the filter 'shout' is not known: known are: abs, "));
  EXPECT_TRUE(
      rendered("{{ 1 is loud }}").starts_with("chat template, line 1: the test 'loud' is not known: known are: !=, "));
  EXPECT_EQ(rendered("{{ 9223372036854775807 + 1 }}"), "chat template, line 1: a number is too large");
  EXPECT_EQ(rendered("{{ 1 // 0 }}"), "chat template, line 1: division by zero");
}

TEST(Jinja, StopsWhatRunsAway) {
  EXPECT_EQ(rendered("{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}"),
            "chat template, line 1: the template runs away: more than 5000000 steps");
  EXPECT_EQ(rendered("{{ range(1000000) }}"), "chat template, line 1: a range of more than 100000 numbers");
  EXPECT_EQ(rendered("{{ 'a' * 100000000 }}"), "chat template, line 1: a text grows beyond 64 MiB");
  EXPECT_EQ(rendered("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
            "chat template, line 1: macros call each other more than 32 deep");
  EXPECT_EQ(
      rendered("{% set n = namespace(s='aaaaaaaa') %}{% for a in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}"),
      "chat template, line 1: a text grows beyond 64 MiB");
  EXPECT_EQ(rendered("{% set n = namespace() %}{% set n.me = [n] %}"),
            "chat template, line 1: a namespace or a function within a namespace is not known");
  EXPECT_EQ(rendered("{% set n = namespace(l=[]) %}{% for a in range(99) %}{% set n.l = [n.l] %}{% endfor %}"),
            "chat template, line 1: lists are nested more than 64 deep, or hold functions");
  EXPECT_EQ(rendered("{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}"),
            "chat template, line 1: an expression is too deep");
  EXPECT_EQ(rendered("{{ " + std::string(5000, '-') + "1 }}"), "chat template, line 1: an expression is too deep");
  std::string sum = "{{ 1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_EQ(rendered(sum + " }}"), "chat template, line 1: an expression is too deep");
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested += "{% if 1 %}";
  EXPECT_EQ(rendered(nested), "chat template, line 1: blocks are nested more than 64 deep");
}

TEST(Jinja, TellsTheTimeThatIsGiven) {
  EXPECT_EQ(rendered("{{ strftime_now('%Y-%m') }}"), "1970-02");
}

TEST(Chat, FillsTheTemplate) {
  const auto text = render_chat(
      "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m['content'] }}{{ eos_token }}{% endfor %}"
      "{% if add_generation_prompt %}<assistant>{% endif %}{{ tools is none }}",
      {{"system", "Short."}, {"user", "Hi <b>"}}, true, "[B]", "[E]");
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(*text, "[B]<system>Short.[E]<user>Hi <b>[E]<assistant>True");
}

}  // namespace
}  // namespace tqm::compress
