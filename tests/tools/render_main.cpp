// The template language on a command line, for tests that compare it with Jinja.
// Reads one JSON object a line: {"template": text, "variables": object}; prints {"text": …} or {"error": …} for each.
#include <chrono>
#include <iostream>
#include <string>

#include "base/json.hpp"
#include "compress/tokenizer/jinja.hpp"

namespace {

using namespace tqm;
using namespace tqm::compress::jinja;

Result<Value> value_of(const Json& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_integer()) return Value(json.get<int64_t>());
  if (json.is_number()) return Value(json.get<double>());
  if (json.is_string()) return Value(json.get<std::string>());
  if (json.is_array()) {
    std::vector<Value> items;
    for (const Json& item : json) items.push_back(TRY(value_of(item)));
    return make_list(std::move(items));
  }
  if (json.is_object()) {
    std::vector<std::pair<std::string, Value>> items;
    for (const auto& [key, item] : json.items()) items.emplace_back(key, TRY(value_of(item)));
    return make_dict(std::move(items));
  }
  return Value(nullptr);
}

Result<std::string> answer(const std::string& line) {
  const Json json = TRY(parse_json(line, "standard input"));
  std::vector<std::pair<std::string, Value>> variables;
  for (const auto& [key, item] : json.at("variables").items()) variables.emplace_back(key, TRY(value_of(item)));
  return render(json.at("template").get<std::string>(), variables, std::chrono::system_clock::now());
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto text = answer(line);
    std::cout << dump_json(text ? Json{{"text", *text}} : Json{{"error", text.error().message()}}, -1) << "\n";
  }
  return 0;
}
