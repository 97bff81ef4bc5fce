// Values of the template language: Python's, as far as chat templates use them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace tqm::compress::jinja {

class Value;

struct Undefined {
  std::string what;  // "'name' is undefined"
};

// Lists and dictionaries never change once they are made, and are not nested deeper than max_depth; only a namespace
// takes new members, and nothing that holds a namespace may become one of them. A method holds its subject, so that
// functions count as namespaces, and as deep as can be, here. So there are no cycles, and no chains that end the stack.
struct List {
  std::vector<Value> items;
  int depth = 1;
  bool holds_namespace = false;
  bool tuple = false;  // prints in round brackets, and equals no list
};

struct Dict {
  std::vector<std::pair<std::string, Value>> items;
  int depth = 1;
  bool holds_namespace = false;
  bool is_namespace = false;

  const Value* find(std::string_view key) const;
  void set(const std::string& key, Value value);
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  // The argument at that place or of that name; nothing where it was not given.
  const Value* find(size_t place, std::string_view name) const;
};

using Function = std::function<Result<Value>(const Arguments&)>;

class Value {
 public:
  using Data = std::variant<Undefined, std::nullptr_t, bool, int64_t, double, std::string, std::shared_ptr<const List>,
                            std::shared_ptr<Dict>, std::shared_ptr<const Function>>;

  Value() : data_(Undefined{}) {}
  template <class T>
    requires(!std::is_same_v<std::decay_t<T>, Value> && std::is_constructible_v<Data, T>)
  Value(T&& data) : data_(std::forward<T>(data)) {}      // NOLINT: implicit on purpose
  Value(const char* text) : data_(std::string(text)) {}  // NOLINT: implicit on purpose
  Value(int number) : data_(int64_t{number}) {}          // NOLINT: implicit on purpose

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data_);
  }
  const std::string* text() const { return as<std::string>(); }
  const List* list() const;
  Dict* dict() const;
  const Function* function() const;
  bool undefined() const { return std::holds_alternative<Undefined>(data_); }
  bool none() const { return std::holds_alternative<std::nullptr_t>(data_); }
  bool number() const { return as<int64_t>() != nullptr || as<double>() != nullptr || as<bool>() != nullptr; }
  double real() const;  // of a number
  bool whole() const { return as<int64_t>() != nullptr || as<bool>() != nullptr; }
  int64_t integer() const;  // of a whole number
  bool truth() const;
  std::string_view type() const;  // Python's name of it
  int depth() const;
  bool holds_namespace() const;

 private:
  Data data_;
};

inline constexpr int max_depth = 64;
inline constexpr size_t max_text = size_t{64} << 20;

Result<Value> make_list(std::vector<Value> items, bool tuple = false);
Result<Value> make_dict(std::vector<std::pair<std::string, Value>> items);

bool equal(const Value& a, const Value& b);
Result<int> compare(const Value& a, const Value& b);  // < 0, 0, > 0; an error where Python has no order

std::string to_text(const Value& value);  // str()
std::string to_repr(const Value& value);  // repr()
std::string to_json(const Value& value, int indent,
                    bool sorted);  // json.dumps(ensure_ascii=False); indent < 0: one line

// Code points of a text.
size_t characters(std::string_view text);
std::vector<std::string_view> split_characters(std::string_view text);

}  // namespace tqm::compress::jinja
