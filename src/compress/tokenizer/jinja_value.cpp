#include "compress/tokenizer/jinja_value.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress::jinja {

const Value* Dict::find(std::string_view key) const {
  const auto found = std::ranges::find(items, key, &std::pair<std::string, Value>::first);
  return found == items.end() ? nullptr : &found->second;
}

void Dict::set(const std::string& key, Value value) {
  const auto found = std::ranges::find(items, key, &std::pair<std::string, Value>::first);
  if (found == items.end()) {
    items.emplace_back(key, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

const Value* Arguments::find(size_t place, std::string_view name) const {
  if (place < positional.size()) return &positional[place];
  const auto found = std::ranges::find(named, name, &std::pair<std::string, Value>::first);
  return found == named.end() ? nullptr : &found->second;
}

const List* Value::list() const {
  const auto* held = as<std::shared_ptr<const List>>();
  return held != nullptr ? held->get() : nullptr;
}

Dict* Value::dict() const {
  const auto* held = as<std::shared_ptr<Dict>>();
  return held != nullptr ? held->get() : nullptr;
}

const Function* Value::function() const {
  const auto* held = as<std::shared_ptr<const Function>>();
  return held != nullptr ? held->get() : nullptr;
}

double Value::real() const {
  if (const auto* real = as<double>()) return *real;
  return static_cast<double>(integer());
}

int64_t Value::integer() const {
  if (const auto* truth = as<bool>()) return *truth ? 1 : 0;
  const auto* whole = as<int64_t>();
  return whole != nullptr ? *whole : 0;
}

bool Value::truth() const {
  if (undefined() || none()) return false;
  if (number()) return real() != 0;
  if (const auto* t = text()) return !t->empty();
  if (const auto* l = list()) return !l->items.empty();
  if (const auto* d = dict()) return d->is_namespace || !d->items.empty();
  return true;
}

std::string_view Value::type() const {
  if (undefined()) return "Undefined";
  if (none()) return "NoneType";
  if (as<bool>() != nullptr) return "bool";
  if (as<int64_t>() != nullptr) return "int";
  if (as<double>() != nullptr) return "float";
  if (text() != nullptr) return "str";
  if (list() != nullptr) return list()->tuple ? "tuple" : "list";
  if (dict() != nullptr) return dict()->is_namespace ? "Namespace" : "dict";
  return "function";
}

int Value::depth() const {
  if (const auto* l = list()) return l->depth;
  if (const auto* d = dict()) return d->depth;
  return function() != nullptr ? max_depth : 0;
}

bool Value::holds_namespace() const {
  if (const auto* l = list()) return l->holds_namespace;
  if (const auto* d = dict()) return d->is_namespace || d->holds_namespace;
  return function() != nullptr;
}

namespace {

Error too_deep() {
  return {ErrorKind::bad_input, fmt::format("lists are nested more than {} deep, or hold functions", max_depth), "",
          ""};
}

}  // namespace

Result<Value> make_list(std::vector<Value> items, bool tuple) {
  auto list = std::make_shared<List>();
  list->tuple = tuple;
  for (const Value& item : items) {
    list->depth = std::max(list->depth, item.depth() + 1);
    list->holds_namespace = list->holds_namespace || item.holds_namespace();
  }
  if (list->depth > max_depth) return too_deep();
  list->items = std::move(items);
  return Value(std::shared_ptr<const List>(std::move(list)));
}

Result<Value> make_dict(std::vector<std::pair<std::string, Value>> items) {
  auto dict = std::make_shared<Dict>();
  for (const auto& [key, item] : items) {
    dict->depth = std::max(dict->depth, item.depth() + 1);
    dict->holds_namespace = dict->holds_namespace || item.holds_namespace();
  }
  if (dict->depth > max_depth) return too_deep();
  for (auto& [key, item] : items) dict->set(key, std::move(item));
  return Value(std::move(dict));
}

bool equal(const Value& a, const Value& b) {
  if (a.whole() && b.whole()) return a.integer() == b.integer();
  if (a.number() && b.number()) return a.real() == b.real();
  if (a.text() != nullptr && b.text() != nullptr) return *a.text() == *b.text();
  if (a.list() != nullptr && b.list() != nullptr) {
    return a.list()->tuple == b.list()->tuple && std::ranges::equal(a.list()->items, b.list()->items, equal);
  }
  if (a.dict() != nullptr && b.dict() != nullptr) {
    if (a.dict()->is_namespace || b.dict()->is_namespace) return a.dict() == b.dict();
    return a.dict()->items.size() == b.dict()->items.size() &&
           std::ranges::all_of(a.dict()->items, [&](const auto& item) {
             const Value* other = b.dict()->find(item.first);
             return other != nullptr && equal(item.second, *other);
           });
  }
  if (a.function() != nullptr) return a.function() == b.function();
  return (a.none() && b.none()) || (a.undefined() && b.undefined());
}

Result<int> compare(const Value& a, const Value& b) {
  const auto sign = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.whole() && b.whole()) return sign(a.integer(), b.integer());
  if (a.number() && b.number()) return sign(a.real(), b.real());
  if (a.text() != nullptr && b.text() != nullptr) return sign(a.text()->compare(*b.text()), 0);
  if (a.list() != nullptr && b.list() != nullptr) {
    const auto &x = a.list()->items, &y = b.list()->items;
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      const int order = TRY(compare(x[i], y[i]));
      if (order != 0) return order;
    }
    return sign(x.size(), y.size());
  }
  return Error{ErrorKind::bad_input, fmt::format("'{}' and '{}' have no order", a.type(), b.type()), "", ""};
}

namespace {

std::string number_text(double real) {
  if (std::isnan(real)) return "nan";
  if (std::isinf(real)) return real > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", real);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string quoted(const std::string& text) {
  const bool doubled = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char quote = doubled ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (c == quote) {
          out += '\\';
          out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          out += c;
        }
    }
  }
  return out + quote;
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

void append_json(std::string& out, const Value& value, int indent, bool sorted, int level) {
  const auto line = [&](int at) {
    if (indent >= 0) out += "\n" + std::string(static_cast<size_t>(indent) * static_cast<size_t>(at), ' ');
  };
  const char* comma = indent >= 0 ? "," : ", ";
  if (const auto* text = value.text()) {
    out += json_text(*text);
  } else if (const auto* list = value.list()) {
    if (list->items.empty()) {
      out += "[]";
      return;
    }
    out += "[";
    for (size_t i = 0; i < list->items.size(); ++i) {
      if (i > 0) out += comma;
      line(level + 1);
      append_json(out, list->items[i], indent, sorted, level + 1);
    }
    line(level);
    out += "]";
  } else if (const auto* dict = value.dict()) {
    if (dict->items.empty()) {
      out += "{}";
      return;
    }
    auto items = dict->items;
    if (sorted) std::ranges::stable_sort(items, {}, &std::pair<std::string, Value>::first);
    out += "{";
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += comma;
      line(level + 1);
      out += json_text(items[i].first) + ": ";
      append_json(out, items[i].second, indent, sorted, level + 1);
    }
    line(level);
    out += "}";
  } else if (const auto* truth = value.as<bool>()) {
    out += *truth ? "true" : "false";
  } else if (value.number()) {
    out += to_text(value);
  } else {
    out += "null";
  }
}

}  // namespace

std::string to_text(const Value& value) {
  if (const auto* text = value.text()) return *text;
  if (value.undefined()) return {};
  return to_repr(value);
}

std::string to_repr(const Value& value) {
  if (value.undefined()) return "Undefined";
  if (value.none()) return "None";
  if (const auto* truth = value.as<bool>()) return *truth ? "True" : "False";
  if (const auto* whole = value.as<int64_t>()) return fmt::format("{}", *whole);
  if (const auto* real = value.as<double>()) return number_text(*real);
  if (const auto* text = value.text()) return quoted(*text);
  if (const auto* list = value.list()) {
    std::string out = list->tuple ? "(" : "[";
    for (size_t i = 0; i < list->items.size(); ++i) out += (i > 0 ? ", " : "") + to_repr(list->items[i]);
    if (list->tuple && list->items.size() == 1) out += ",";
    return out + (list->tuple ? ")" : "]");
  }
  if (const auto* dict = value.dict()) {
    if (dict->is_namespace) return "<Namespace>";
    std::string out = "{";
    for (size_t i = 0; i < dict->items.size(); ++i) {
      out += (i > 0 ? ", " : "") + quoted(dict->items[i].first) + ": " + to_repr(dict->items[i].second);
    }
    return out + "}";
  }
  return "<function>";
}

std::string to_json(const Value& value, int indent, bool sorted) {
  std::string out;
  append_json(out, value, indent, sorted, 0);
  return out;
}

size_t characters(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::string_view> split_characters(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

}  // namespace tqm::compress::jinja
