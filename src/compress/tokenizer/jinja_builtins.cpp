// Filters, tests and methods.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>

#include "compress/tokenizer/jinja.hpp"
#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress::jinja {

Error refused(const std::string& what) {
  return {ErrorKind::bad_input, what, "", ""};
}

namespace {

using Handler = Result<Value> (*)(const Value& subject, const Arguments& arguments);

struct Named {
  std::string_view name;
  Handler handler;
};

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

// Texts.

bool stripped(std::string_view character, const std::optional<std::string>& set) {
  if (set) {
    const auto wanted = split_characters(*set);
    return std::ranges::find(wanted, character) != wanted.end();
  }
  const CodePoint c = code_point_at(character, 0);
  return c.length != 0 && (is_white_space(c.value) || (c.value >= 0x1C && c.value <= 0x1F));
}

std::string strip(const std::string& text, const std::optional<std::string>& set, bool left, bool right) {
  const auto pieces = split_characters(text);
  size_t start = 0, end = pieces.size();
  while (left && start < end && stripped(pieces[start], set)) ++start;
  while (right && end > start && stripped(pieces[end - 1], set)) --end;
  if (start == end) return {};
  const char* first = pieces[start].data();
  return {first, pieces[end - 1].data() + pieces[end - 1].size()};
}

template <bool left, bool right>
Result<Value> strip_method(const Value& subject, const Arguments& a) {
  std::optional<std::string> set;
  if (const Value* chars = a.find(0, "chars"); chars != nullptr && chars->text() != nullptr) set = *chars->text();
  return Value(strip(subject.text() != nullptr ? *subject.text() : to_text(subject), set, left, right));
}

std::string map_characters(const std::string& text, bool upper) {
  std::string out;
  out.reserve(text.size());
  for (const std::string_view piece : split_characters(text)) {
    const CodePoint c = code_point_at(piece, 0);
    if (c.length == 0) {
      out += piece;
    } else {
      append_utf8(out, upper ? to_upper(c.value) : to_lower(c.value));
    }
  }
  return out;
}

Result<Value> upper(const Value& s, const Arguments&) {
  return Value(map_characters(to_text(s), true));
}
Result<Value> lower(const Value& s, const Arguments&) {
  return Value(map_characters(to_text(s), false));
}

Result<Value> capitalize(const Value& s, const Arguments&) {
  const std::string text = to_text(s);
  const auto pieces = split_characters(text);
  if (pieces.empty()) return Value("");
  return Value(map_characters(std::string(pieces[0]), true) + map_characters(text.substr(pieces[0].size()), false));
}

Result<Value> title(const Value& s, const Arguments&) {
  const std::string text = to_text(s);
  std::string out;
  bool inside = false;
  for (const std::string_view piece : split_characters(text)) {
    const CodePoint c = code_point_at(piece, 0);
    const bool letter = c.length != 0 && is_letter(c.value);
    out += letter ? map_characters(std::string(piece), !inside) : std::string(piece);
    inside = letter;
  }
  return Value(std::move(out));
}

Result<Value> replace(const Value& s, const Arguments& a) {
  const std::string text = to_text(s);
  const Value *from = a.find(0, "old"), *to = a.find(1, "new");
  if (from == nullptr || to == nullptr) return refused("replace takes the old and the new text");
  const std::string old_text = to_text(*from), new_text = to_text(*to);
  int64_t left = integer_or(a, 2, "count", -1);
  std::string out;
  size_t done = 0;
  if (old_text.empty()) {  // between all characters
    for (const std::string_view piece : split_characters(text)) {
      if (left != 0) out += new_text, --left;
      out += piece;
    }
    if (left != 0) out += new_text;
    return bounded(std::move(out));
  }
  for (size_t at; left != 0 && (at = text.find(old_text, done)) != std::string::npos; --left) {
    out.append(text, done, at - done);
    out += new_text;
    done = at + old_text.size();
    if (out.size() > max_text) break;
  }
  out.append(text, done);
  return bounded(std::move(out));
}

Result<Value> split_words(const std::string& text, int64_t most, bool from_right) {
  // Runs of white space separate; none of them begins or ends a word.
  std::vector<Value> out;
  std::string rest = strip(text, std::nullopt, true, true);
  const auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!rest.empty() && most != 0) {
    if (from_right) {
      const auto last = std::find_if(rest.rbegin(), rest.rend(), space);
      if (last == rest.rend()) break;
      const auto cut = static_cast<size_t>(rest.rend() - last);
      out.insert(out.begin(), Value(rest.substr(cut)));
      rest = strip(rest.substr(0, cut), std::nullopt, false, true);
    } else {
      const auto first = std::ranges::find_if(rest, space);
      if (first == rest.end()) break;
      const auto cut = static_cast<size_t>(first - rest.begin());
      out.emplace_back(rest.substr(0, cut));
      rest = strip(rest.substr(cut), std::nullopt, true, false);
    }
    --most;
  }
  if (!rest.empty()) out.insert(from_right ? out.begin() : out.end(), Value(rest));
  return make_list(std::move(out));
}

template <bool from_right>
Result<Value> split(const Value& s, const Arguments& a) {
  const std::string text = TRY(text_of(s, "split"));
  const Value* separator = a.find(0, "sep");
  int64_t most = integer_or(a, 1, "maxsplit", -1);
  if (separator == nullptr || separator->none()) return split_words(text, most, from_right);
  const std::string sep = TRY(text_of(*separator, "split"));
  if (sep.empty()) return refused("split takes a separator that is not empty");
  std::vector<Value> out;
  if (from_right) {
    size_t end = text.size();
    for (size_t at; most != 0 && end >= sep.size() && (at = text.rfind(sep, end - sep.size())) != std::string::npos;
         --most) {
      out.emplace_back(text.substr(at + sep.size(), end - at - sep.size()));
      end = at;
    }
    out.emplace_back(text.substr(0, end));
    std::ranges::reverse(out);
  } else {
    size_t done = 0;
    for (size_t at; most != 0 && (at = text.find(sep, done)) != std::string::npos; --most) {
      out.emplace_back(text.substr(done, at - done));
      done = at + sep.size();
    }
    out.emplace_back(text.substr(done));
  }
  return make_list(std::move(out));
}

template <bool front>
Result<Value> starts_or_ends(const Value& s, const Arguments& a) {
  const std::string text = TRY(text_of(s, front ? "startswith" : "endswith"));
  if (a.positional.empty()) return refused("startswith and endswith take a text");
  std::vector<Value> options{a.positional[0]};
  if (const auto* list = a.positional[0].list()) options = list->items;
  for (const Value& option : options) {
    const std::string part = TRY(text_of(option, front ? "startswith" : "endswith"));
    if (front ? text.starts_with(part) : text.ends_with(part)) return Value(true);
  }
  return Value(false);
}

Result<Value> find_text(const Value& s, const Arguments& a) {
  const std::string text = TRY(text_of(s, "find"));
  if (a.positional.empty()) return refused("find takes a text");
  const std::string part = TRY(text_of(a.positional[0], "find"));
  const size_t at = text.find(part);
  return Value(at == std::string::npos ? int64_t{-1}
                                       : static_cast<int64_t>(characters(std::string_view(text).substr(0, at))));
}

Result<Value> rfind_text(const Value& s, const Arguments& a) {
  const std::string text = TRY(text_of(s, "rfind"));
  if (a.positional.empty()) return refused("rfind takes a text");
  const std::string part = TRY(text_of(a.positional[0], "rfind"));
  const size_t at = text.rfind(part);
  return Value(at == std::string::npos ? int64_t{-1}
                                       : static_cast<int64_t>(characters(std::string_view(text).substr(0, at))));
}

Result<Value> count_in(const Value& s, const Arguments& a) {
  if (a.positional.empty()) return refused("count takes what is to be counted");
  if (const auto* list = s.list()) {
    return Value(static_cast<int64_t>(
        std::ranges::count_if(list->items, [&](const Value& v) { return equal(v, a.positional[0]); })));
  }
  const std::string text = TRY(text_of(s, "count"));
  const std::string part = TRY(text_of(a.positional[0], "count"));
  if (part.empty()) return Value(static_cast<int64_t>(characters(text) + 1));
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return Value(count);
}

Result<Value> splitlines(const Value& s, const Arguments& a) {
  const std::string text = TRY(text_of(s, "splitlines"));
  const bool keep = truth_or(a, 0, "keepends", false);
  std::vector<Value> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    size_t next = std::min(end + 1, text.size());
    if (text.compare(end, 2, "\r\n") == 0) next = end + 2;
    out.emplace_back(text.substr(at, (keep ? next : end) - at));
    at = next;
  }
  return make_list(std::move(out));
}

template <bool prefix>
Result<Value> remove_affix(const Value& s, const Arguments& a) {
  std::string text = TRY(text_of(s, "removeprefix"));
  if (a.positional.empty()) return refused("removeprefix and removesuffix take a text");
  const std::string part = TRY(text_of(a.positional[0], "removeprefix"));
  if (prefix && text.starts_with(part)) return Value(text.substr(part.size()));
  if (!prefix && text.ends_with(part)) return Value(text.substr(0, text.size() - part.size()));
  return Value(std::move(text));
}

template <bool (*each)(char32_t)>
Result<Value> all_characters(const Value& s, const Arguments&) {
  const std::string text = TRY(text_of(s, "isdigit"));
  const auto pieces = split_characters(text);
  return Value(!pieces.empty() &&
               std::ranges::all_of(pieces, [](std::string_view p) { return each(code_point_at(p, 0).value); }));
}

bool is_space(char32_t c) {
  return is_white_space(c);
}
bool is_alphanumeric(char32_t c) {
  return is_letter(c) || is_digit(c);
}

Result<Value> is_upper(const Value& s, const Arguments&) {
  const std::string text = to_text(s);
  return Value(map_characters(text, true) == text && map_characters(text, false) != text);
}
Result<Value> is_lower(const Value& s, const Arguments&) {
  const std::string text = to_text(s);
  return Value(map_characters(text, false) == text && map_characters(text, true) != text);
}

Result<Value> join_items(const std::vector<Value>& items, const std::string& separator, const Value* attribute) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += separator;
    out += to_text(attribute == nullptr ? items[i] : item_of(items[i], *attribute));
    if (out.size() > max_text) return refused("a text grows beyond 64 MiB");
  }
  return Value(std::move(out));
}

Result<Value> join_method(const Value& s, const Arguments& a) {
  if (a.positional.empty()) return refused("join takes a list");
  const std::vector<Value> items = TRY(items_of(a.positional[0]));
  return join_items(items, TRY(text_of(s, "join")), nullptr);
}

constexpr Named text_methods[] = {
    {"strip", strip_method<true, true>},
    {"lstrip", strip_method<true, false>},
    {"rstrip", strip_method<false, true>},
    {"upper", upper},
    {"lower", lower},
    {"capitalize", capitalize},
    {"title", title},
    {"replace", replace},
    {"split", split<false>},
    {"rsplit", split<true>},
    {"splitlines", splitlines},
    {"startswith", starts_or_ends<true>},
    {"endswith", starts_or_ends<false>},
    {"find", find_text},
    {"rfind", rfind_text},
    {"count", count_in},
    {"removeprefix", remove_affix<true>},
    {"removesuffix", remove_affix<false>},
    {"isdigit", all_characters<is_digit>},
    {"isalpha", all_characters<is_letter>},
    {"isalnum", all_characters<is_alphanumeric>},
    {"isspace", all_characters<is_space>},
    {"isupper", is_upper},
    {"islower", is_lower},
    {"join", join_method},
};

// Dictionaries and lists.

Result<Value> dict_items(const Value& s, const Arguments&) {
  if (s.dict() == nullptr) return refused(fmt::format("items takes a mapping, not {}", s.type()));
  std::vector<Value> out;
  for (const auto& [key, value] : s.dict()->items) out.push_back(TRY(make_list({Value(key), value}, true)));
  return make_list(std::move(out));
}

Result<Value> dict_keys(const Value& s, const Arguments&) {
  std::vector<Value> out;
  for (const auto& item : s.dict()->items) out.emplace_back(item.first);
  return make_list(std::move(out));
}

Result<Value> dict_values(const Value& s, const Arguments&) {
  std::vector<Value> out;
  for (const auto& item : s.dict()->items) out.push_back(item.second);
  return make_list(std::move(out));
}

Result<Value> dict_get(const Value& s, const Arguments& a) {
  if (a.positional.empty()) return refused("get takes a key");
  if (const auto* key = a.positional[0].text()) {
    if (const Value* found = s.dict()->find(*key)) return *found;
  }
  const Value* otherwise = a.find(1, "default");
  return otherwise != nullptr ? *otherwise : Value(nullptr);
}

Result<Value> list_index(const Value& s, const Arguments& a) {
  if (a.positional.empty()) return refused("index takes an item");
  const auto& items = s.list()->items;
  const auto found = std::ranges::find_if(items, [&](const Value& v) { return equal(v, a.positional[0]); });
  if (found == items.end()) return refused("index: the item is not in the list");
  return Value(static_cast<int64_t>(found - items.begin()));
}

constexpr Named dict_methods[] = {
    {"items", dict_items}, {"keys", dict_keys}, {"values", dict_values}, {"get", dict_get}};
constexpr Named list_methods[] = {{"index", list_index}, {"count", count_in}};

}  // namespace

Value method_of(const Value& subject, const std::string& name) {
  const Handler* handler = nullptr;
  if (subject.text() != nullptr) handler = find_handler(text_methods, name);
  if (subject.dict() != nullptr && !subject.dict()->is_namespace) handler = find_handler(dict_methods, name);
  if (subject.list() != nullptr) handler = find_handler(list_methods, name);
  if (handler == nullptr) return {};
  return std::make_shared<const Function>([subject, call = *handler](const Arguments& a) { return call(subject, a); });
}

Value attribute_of(const Value& subject, const std::string& name) {
  if (Value method = method_of(subject, name); !method.undefined()) return method;
  if (const auto* dict = subject.dict()) {
    if (const Value* found = dict->find(name)) return *found;
  }
  return Undefined{fmt::format("'{} object' has no attribute '{}'", subject.type(), name)};
}

Value item_of(const Value& subject, const Value& key) {
  if (const auto* name = key.text()) {
    if (const auto* dict = subject.dict()) {
      if (const Value* found = dict->find(*name)) return *found;
    }
    return attribute_of(subject, *name);
  }
  if (key.whole() && (subject.list() != nullptr || subject.text() != nullptr)) {
    const auto pieces = subject.text() != nullptr ? split_characters(*subject.text()) : std::vector<std::string_view>();
    const auto size = static_cast<int64_t>(subject.list() != nullptr ? subject.list()->items.size() : pieces.size());
    const int64_t at = key.integer() < 0 ? key.integer() + size : key.integer();
    if (at >= 0 && at < size) {
      const auto i = static_cast<size_t>(at);
      return subject.list() != nullptr ? subject.list()->items[i] : Value(std::string(pieces[i]));
    }
  }
  return Undefined{fmt::format("'{} object' has no element {}", subject.type(), to_repr(key))};
}

Result<std::vector<Value>> items_of(const Value& subject) {
  if (const auto* list = subject.list()) return list->items;
  std::vector<Value> out;
  if (const auto* text = subject.text()) {
    for (const std::string_view piece : split_characters(*text)) out.emplace_back(std::string(piece));
    return out;
  }
  if (subject.dict() != nullptr && !subject.dict()->is_namespace) {
    for (const auto& item : subject.dict()->items) out.emplace_back(item.first);
    return out;
  }
  if (subject.undefined()) return out;
  return refused(fmt::format("'{}' object is not iterable", subject.type()));
}

Result<bool> contains(const Value& container, const Value& item) {
  if (const auto* text = container.text()) {
    if (item.text() == nullptr) return refused(fmt::format("'in' takes a text on its left, not {}", item.type()));
    return text->find(*item.text()) != std::string::npos;
  }
  if (const auto* list = container.list()) {
    return std::ranges::any_of(list->items, [&](const Value& v) { return equal(v, item); });
  }
  if (const auto* dict = container.dict(); dict != nullptr && !dict->is_namespace) {
    return item.text() != nullptr && dict->find(*item.text()) != nullptr;
  }
  if (container.undefined()) return false;
  return refused(fmt::format("'{}' object holds nothing to look for", container.type()));
}

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

Result<Value> trim(const Value& s, const Arguments& a) {
  return strip_method<true, true>(s, a);
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
    {"trim", trim},
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
