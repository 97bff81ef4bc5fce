// What the methods and filters of templates are made of; only this folder includes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compress/tokenizer/jinja.hpp"

namespace tqm::compress::jinja {

using Handler = Result<Value> (*)(const Value& subject, const Arguments& arguments);

struct Named {
  std::string_view name;
  Handler handler;
};

const Handler* find_handler(std::span<const Named> table, std::string_view name);  // null: none of that name

// Arguments by place or name; what: the filter or method, for the message.
Result<std::string> text_of(const Value& value, const char* what);
std::string text_or(const Arguments& a, size_t place, std::string_view name, const char* otherwise);
int64_t integer_or(const Arguments& a, size_t place, std::string_view name, int64_t otherwise);
bool truth_or(const Arguments& a, size_t place, std::string_view name, bool otherwise);
Result<Value> bounded(std::string text);  // refuses one that has grown too long

// set: the characters that go; none: blanks.
std::string strip(const std::string& text, const std::optional<std::string>& set, bool left, bool right);
std::string map_characters(const std::string& text, bool upper);
Result<Value> join_items(const std::vector<Value>& items, const std::string& separator, const Value* attribute);

// Methods that are filters or tests too.
Result<Value> strip_both(const Value& subject, const Arguments& a);
Result<Value> upper(const Value& s, const Arguments& a);
Result<Value> lower(const Value& s, const Arguments& a);
Result<Value> capitalize(const Value& s, const Arguments& a);
Result<Value> title(const Value& s, const Arguments& a);
Result<Value> replace(const Value& s, const Arguments& a);
Result<Value> is_upper(const Value& s, const Arguments& a);
Result<Value> is_lower(const Value& s, const Arguments& a);
Result<Value> dict_items(const Value& s, const Arguments& a);

}  // namespace tqm::compress::jinja
