// Filters and tests.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "compress/tokenizer/jinja_handlers.hpp"
#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress::jinja {

namespace {

// Filters.

Result<Value> length(const Value& s, const Arguments&) {
  if (const auto* text = s.text()) return Value(static_cast<int64_t>(characters(*text)));
  const std::vector<Value> items = TRY(items_of(s));
  return Value(static_cast<int64_t>(items.size()));
}

Result<Value> otherwise(const Value& s, const Arguments& a) {
  const bool replace_false = truth_or(a, 1, "boolean", false);
  if (!s.undefined() && (!replace_false || s.truth())) return s;
  const Value* value = a.find(0, "default_value");
  return value != nullptr ? *value : Value("");
}

Result<Value> tojson(const Value& s, const Arguments& a) {
  if (const auto* undefined = s.as<Undefined>()) return refused(undefined->what);
  if (s.function() != nullptr || (s.dict() != nullptr && s.dict()->is_namespace)) {
    return refused(fmt::format("tojson can't write a {}", s.type()));
  }
  const Value* indent = a.find(0, "indent");  // named in templates; Hugging Face's own first parameter is ensure_ascii
  for (const auto& [key, value] : a.named) {
    if (key == "indent") indent = &value;
  }
  const int spaces = indent != nullptr && indent->as<int64_t>() != nullptr
                         ? static_cast<int>(std::clamp<int64_t>(indent->integer(), 0, 32))
                         : -1;
  bool sorted = false;
  for (const auto& [key, value] : a.named) sorted = sorted || (key == "sort_keys" && value.truth());
  return bounded(to_json(s, spaces, sorted));
}

Result<Value> join(const Value& s, const Arguments& a) {
  const std::vector<Value> items = TRY(items_of(s));
  return join_items(items, text_or(a, 0, "d", ""), a.find(1, "attribute"));
}

Result<Value> first(const Value& s, const Arguments&) {
  const std::vector<Value> items = TRY(items_of(s));
  return items.empty() ? Value(Undefined{"No first item, sequence was empty."}) : items.front();
}

Result<Value> last(const Value& s, const Arguments&) {
  const std::vector<Value> items = TRY(items_of(s));
  return items.empty() ? Value(Undefined{"No last item, sequence was empty."}) : items.back();
}

Result<Value> list(const Value& s, const Arguments&) {
  return make_list(TRY(items_of(s)));
}
Result<Value> string(const Value& s, const Arguments&) {
  return Value(to_text(s));
}
Result<Value> same(const Value& s, const Arguments&) {
  return s;
}

Result<Value> to_integer(const Value& s, const Arguments& a) {
  if (s.whole()) return Value(s.integer());
  if (s.number() && std::abs(s.real()) < 9e18) return Value(static_cast<int64_t>(s.real()));
  if (const auto* text = s.text()) {
    const std::string digits = strip(*text, std::nullopt, true, true);
    int64_t value = 0;
    const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, digits.data() + digits.size(), value);
    if (error == std::errc() && end == digits.data() + digits.size()) return Value(value);
    double real = 0;
    const auto [end2, error2] = std::from_chars(begin, digits.data() + digits.size(), real);
    if (error2 == std::errc() && end2 == digits.data() + digits.size() && std::abs(real) < 9e18) {
      return Value(static_cast<int64_t>(real));
    }
  }
  return Value(integer_or(a, 0, "default", 0));
}

Result<Value> to_real(const Value& s, const Arguments& a) {
  if (s.number()) return Value(s.real());
  if (const auto* text = s.text()) {
    const std::string digits = strip(*text, std::nullopt, true, true);
    double real = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), real);
    if (error == std::errc() && end == digits.data() + digits.size()) return Value(real);
  }
  const Value* value = a.find(0, "default");
  return value != nullptr ? *value : Value(0.0);
}

Result<Value> absolute(const Value& s, const Arguments&) {
  if (s.whole()) {
    if (s.integer() == INT64_MIN) return refused("a number is too large");
    return Value(s.integer() < 0 ? -s.integer() : s.integer());
  }
  if (s.number()) return Value(std::abs(s.real()));
  return refused(fmt::format("abs takes a number, not {}", s.type()));
}

Result<Value> rounded(const Value& s, const Arguments& a) {
  if (!s.number()) return refused(fmt::format("round takes a number, not {}", s.type()));
  const double scale =
      std::pow(10.0, static_cast<double>(std::clamp<int64_t>(integer_or(a, 0, "precision", 0), -300, 300)));
  const std::string method = text_or(a, 1, "method", "common");
  const double scaled = s.real() * scale;
  return Value((method == "ceil"    ? std::ceil(scaled)
                : method == "floor" ? std::floor(scaled)
                                    : std::nearbyint(scaled)) /
               scale);
}

Result<Value> reverse(const Value& s, const Arguments&) {
  std::vector<Value> items = TRY(items_of(s));
  std::ranges::reverse(items);
  if (s.text() != nullptr) return join_items(items, "", nullptr);
  return make_list(std::move(items));
}

// Sorts by a key; the first pair without an order is the error.
Status sort_by(std::vector<Value>& items, const std::vector<Value>& keys, bool descending) {
  for (size_t i = 1; i < keys.size(); ++i) TRY(compare(keys[0], keys[i]));
  std::vector<size_t> order(items.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::optional<Error> error;
  std::ranges::stable_sort(order, [&](size_t x, size_t y) {
    const auto result = compare(keys[x], keys[y]);
    if (!result) {
      if (!error) error = result.error();
      return x < y;
    }
    return descending ? *result > 0 : *result < 0;
  });
  if (error) return *error;
  std::vector<Value> sorted;
  for (const size_t i : order) sorted.push_back(items[i]);
  items = std::move(sorted);
  return {};
}

Value sort_key(const Value& value, bool case_sensitive) {
  return !case_sensitive && value.text() != nullptr ? Value(map_characters(*value.text(), false)) : value;
}

Result<Value> sorted(const Value& s, const Arguments& a) {
  std::vector<Value> items = TRY(items_of(s)), keys;
  const Value* attribute = a.find(2, "attribute");
  const bool case_sensitive = truth_or(a, 1, "case_sensitive", false);
  for (const Value& item : items)
    keys.push_back(sort_key(attribute == nullptr ? item : item_of(item, *attribute), case_sensitive));
  TRY(sort_by(items, keys, truth_or(a, 0, "reverse", false)));
  return make_list(std::move(items));
}

Result<Value> dictsort(const Value& s, const Arguments& a) {
  if (s.dict() == nullptr) return refused(fmt::format("dictsort takes a mapping, not {}", s.type()));
  std::vector<Value> items, keys;
  for (const auto& [key, value] : s.dict()->items) {
    items.push_back(TRY(make_list({Value(key), value}, true)));
    keys.push_back(sort_key(Value(key), truth_or(a, 0, "case_sensitive", false)));
  }
  TRY(sort_by(items, keys, truth_or(a, 2, "reverse", false)));
  return make_list(std::move(items));
}

Result<Value> unique(const Value& s, const Arguments&) {
  const std::vector<Value> items = TRY(items_of(s));
  if (items.size() > 10'000) return refused("unique of more than 10,000 items");
  std::vector<Value> out;
  for (const Value& item : items) {
    if (std::ranges::none_of(out, [&](const Value& v) { return equal(sort_key(v, false), sort_key(item, false)); }))
      out.push_back(item);
  }
  return make_list(std::move(out));
}

template <int sign>
Result<Value> extreme(const Value& s, const Arguments&) {
  const std::vector<Value> items = TRY(items_of(s));
  if (items.empty()) return Value(Undefined{"No aggregated item, sequence was empty."});
  Value best = items[0];
  for (const Value& item : items) {
    const int order = TRY(compare(item, best));
    if (order * sign > 0) best = item;
  }
  return best;
}

Result<Value> sum(const Value& s, const Arguments& a) {
  const std::vector<Value> items = TRY(items_of(s));
  const Value* attribute = a.find(0, "attribute");
  bool whole = true;
  double total = 0;
  for (const Value& item : items) {
    const Value value = attribute == nullptr ? item : item_of(item, *attribute);
    if (!value.number()) return refused(fmt::format("sum takes numbers, not {}", value.type()));
    whole = whole && value.whole();
    total += value.real();
  }
  if (whole && std::abs(total) < 9e15) return Value(static_cast<int64_t>(total));
  return Value(total);
}

Result<Value> indent(const Value& s, const Arguments& a) {
  const std::string text = to_text(s);
  const Value* width = a.find(0, "width");
  std::string blank(4, ' ');
  if (width != nullptr && width->text() != nullptr) blank = *width->text();
  if (width != nullptr && width->whole())
    blank = std::string(static_cast<size_t>(std::clamp<int64_t>(width->integer(), 0, 1000)), ' ');
  const bool first_too = truth_or(a, 1, "first", false), blank_too = truth_or(a, 2, "blank", false);
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (at > 0) out += '\n';
    if ((at > 0 || first_too) && (blank_too || at == 0 || end > at)) out += blank;
    out.append(text, at, end - at);
    if (out.size() > max_text) return refused("a text grows beyond 64 MiB");
    at = end + 1;
  }
  return Value(std::move(out));
}

Result<Value> escape(const Value& s, const Arguments&) {
  std::string out;
  for (const char c : to_text(s)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return bounded(std::move(out));
}

// select, reject, selectattr, rejectattr: by a test, or by truth where none is named.
template <bool by_attribute, bool wanted>
Result<Value> select(const Value& s, const Arguments& a) {
  const std::vector<Value> items = TRY(items_of(s));
  const size_t skip = by_attribute ? 1 : 0;
  if (a.positional.size() < skip) return refused("selectattr and rejectattr take the name of an attribute");
  std::string test;
  Arguments rest;
  if (a.positional.size() > skip) {
    test = TRY(text_of(a.positional[skip], "select"));
    rest.positional.assign(a.positional.begin() + static_cast<std::ptrdiff_t>(skip) + 1, a.positional.end());
    if (!known_test(test)) return refused("the test '" + test + "' is not known");
  }
  std::vector<Value> out;
  for (const Value& item : items) {
    const Value subject = by_attribute ? item_of(item, a.positional[0]) : item;
    const bool passed = test.empty() ? subject.truth() : TRY(apply_test(test, subject, rest));
    if (passed == wanted) out.push_back(item);
  }
  return make_list(std::move(out));
}

Result<Value> map(const Value& s, const Arguments& a) {
  const std::vector<Value> items = TRY(items_of(s));
  const Value* attribute = nullptr;
  const Value* fallback = nullptr;
  for (const auto& [key, value] : a.named) {
    if (key == "attribute") attribute = &value;
    if (key == "default") fallback = &value;
  }
  std::vector<Value> out;
  if (attribute != nullptr) {
    for (const Value& item : items) {
      Value value = item_of(item, *attribute);
      out.push_back(value.undefined() && fallback != nullptr ? *fallback : std::move(value));
    }
    return make_list(std::move(out));
  }
  if (a.positional.empty()) return refused("map takes the name of a filter or an attribute");
  const std::string filter = TRY(text_of(a.positional[0], "map"));
  if (filter == "map") return refused("map of map is not known");
  Arguments rest;
  rest.positional.assign(a.positional.begin() + 1, a.positional.end());
  rest.named = a.named;
  for (const Value& item : items) out.push_back(TRY(apply_filter(filter, item, rest)));
  return make_list(std::move(out));
}

constexpr Named filters[] = {
    {"abs", absolute},
    {"capitalize", capitalize},
    {"count", length},
    {"d", otherwise},
    {"default", otherwise},
    {"dictsort", dictsort},
    {"e", escape},
    {"escape", escape},
    {"first", first},
    {"float", to_real},
    {"indent", indent},
    {"int", to_integer},
    {"items", dict_items},
    {"join", join},
    {"last", last},
    {"length", length},
    {"list", list},
    {"lower", lower},
    {"map", map},
    {"max", extreme<1>},
    {"min", extreme<-1>},
    {"reject", select<false, false>},
    {"rejectattr", select<true, false>},
    {"replace", replace},
    {"reverse", reverse},
    {"round", rounded},
    {"safe", same},
    {"select", select<false, true>},
    {"selectattr", select<true, true>},
    {"sort", sorted},
    {"string", string},
    {"sum", sum},
    {"title", title},
    {"tojson", tojson},
    {"trim", strip_both},
    {"unique", unique},
    {"upper", upper},
};

}  // namespace

Result<Value> apply_filter(const std::string& name, const Value& subject, const Arguments& arguments) {
  const Handler* handler = find_handler(filters, name);
  if (handler == nullptr) {
    std::string known;
    for (const Named& filter : filters) known += fmt::format("{}{}", known.empty() ? "" : ", ", filter.name);
    Error error = refused("the filter '" + name + "' is not known");
    error.next = "known are: " + known;
    return error;
  }
  return (*handler)(subject, arguments);
}

namespace {

constexpr std::string_view tests[] = {"!=",       "<",        "<=",          "==",   ">",         ">=",       "boolean",
                                      "callable", "defined",  "divisibleby", "eq",   "equalto",   "even",     "false",
                                      "float",    "ge",       "gt",          "in",   "integer",   "iterable", "le",
                                      "lower",    "lt",       "mapping",     "ne",   "none",      "number",   "odd",
                                      "sameas",   "sequence", "string",      "true", "undefined", "upper"};

}  // namespace

bool known_test(const std::string& name) {
  return std::ranges::find(tests, name) != std::end(tests);
}

Result<bool> apply_test(const std::string& name, const Value& s, const Arguments& a) {
  const auto is = [&](auto... names) { return ((name == names) || ...); };
  if (is("defined")) return !s.undefined();
  if (is("undefined")) return s.undefined();
  if (is("none")) return s.none();
  if (is("string")) return s.text() != nullptr;
  if (is("number")) return s.number();
  if (is("integer")) return s.as<int64_t>() != nullptr;
  if (is("float")) return s.as<double>() != nullptr;
  if (is("boolean")) return s.as<bool>() != nullptr;
  if (is("true", "false")) return s.as<bool>() != nullptr && *s.as<bool>() == (name == "true");
  if (is("mapping")) return s.dict() != nullptr && !s.dict()->is_namespace;
  if (is("iterable", "sequence")) {
    return s.list() != nullptr || s.text() != nullptr || s.undefined() ||
           (s.dict() != nullptr && !s.dict()->is_namespace);
  }
  if (is("callable")) return s.function() != nullptr;
  if (is("odd", "even")) {
    if (!s.whole()) return refused(name + " takes a whole number, not " + std::string(s.type()));
    return (s.integer() % 2 != 0) == (name == "odd");
  }
  if (is("upper", "lower")) {
    const Value answer = TRY(name == "upper" ? is_upper(s, a) : is_lower(s, a));
    return answer.truth();
  }
  if (!known_test(name)) {
    std::string known;
    for (const std::string_view test : tests) known += fmt::format("{}{}", known.empty() ? "" : ", ", test);
    Error error = refused("the test '" + name + "' is not known");
    error.next = "known are: " + known;
    return error;
  }
  if (a.positional.empty()) return refused("the test '" + name + "' takes something to compare with");
  const Value& other = a.positional[0];
  if (is("eq", "equalto", "==")) return equal(s, other);
  if (is("ne", "!=")) return !equal(s, other);
  if (is("sameas")) return s.type() == other.type() && equal(s, other);
  if (is("in")) return contains(other, s);
  if (is("divisibleby")) {
    if (!s.whole() || !other.whole() || other.integer() == 0 || other.integer() == -1) {
      if (s.whole() && other.whole() && other.integer() == -1) return true;
      return refused("divisibleby takes whole numbers, and not 0");
    }
    return s.integer() % other.integer() == 0;
  }
  const int order = TRY(compare(s, other));
  if (is("lt", "<")) return order < 0;
  if (is("le", "<=")) return order <= 0;
  if (is("gt", ">")) return order > 0;
  return order >= 0;
}

}  // namespace tqm::compress::jinja
