// The template language of chat templates (Jinja, in the way Hugging Face runs it): blocks trimmed, no autoescape,
// undefined names print as nothing and may not be looked into.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "compress/tokenizer/jinja_value.hpp"

namespace tqm::compress::jinja {

// now: what strftime_now tells. A template that runs away is stopped: steps, size of a text and depth are bounded.
Result<std::string> render(const std::string& source, const std::vector<std::pair<std::string, Value>>& variables,
                           std::chrono::system_clock::time_point now);

// What templates call on values: filters, tests and methods by name.
Result<Value> apply_filter(const std::string& name, const Value& subject, const Arguments& arguments);
bool known_test(const std::string& name);
Result<bool> apply_test(const std::string& name, const Value& subject, const Arguments& arguments);
// A method as a function, or nothing where the type has none of that name.
Value method_of(const Value& subject, const std::string& name);
Value attribute_of(const Value& subject, const std::string& name);  // subject.name
Value item_of(const Value& subject, const Value& key);              // subject[key]
Result<std::vector<Value>> items_of(const Value& subject);          // what a loop runs over
Result<bool> contains(const Value& container, const Value& item);   // item in container
Error refused(const std::string& what);                             // an error that gets its line from the evaluator

}  // namespace tqm::compress::jinja
