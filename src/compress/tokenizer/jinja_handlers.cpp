#include "compress/tokenizer/jinja_handlers.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tqm::compress::jinja {

Error refused(const std::string& what) {
  return {ErrorKind::bad_input, what, "", ""};
}

const Handler* find_handler(std::span<const Named> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Named::name);
  return found == table.end() ? nullptr : &found->handler;
}

Result<std::string> text_of(const Value& value, const char* what) {
  if (const auto* text = value.text()) return *text;
  return refused(fmt::format("{} takes a text, not {}", what, value.type()));
}

std::string text_or(const Arguments& a, size_t place, std::string_view name, const char* otherwise) {
  const Value* value = a.find(place, name);
  return value != nullptr && value->text() != nullptr ? *value->text() : otherwise;
}

int64_t integer_or(const Arguments& a, size_t place, std::string_view name, int64_t otherwise) {
  const Value* value = a.find(place, name);
  return value != nullptr && value->whole() ? value->integer() : otherwise;
}

bool truth_or(const Arguments& a, size_t place, std::string_view name, bool otherwise) {
  const Value* value = a.find(place, name);
  return value != nullptr ? value->truth() : otherwise;
}

Result<Value> bounded(std::string text) {
  if (text.size() > max_text) return refused("a text grows beyond 64 MiB");
  return Value(std::move(text));
}

}  // namespace tqm::compress::jinja
