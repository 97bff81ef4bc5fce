// The methods of texts, dictionaries and lists, and what subject.name and subject[key] mean.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "compress/tokenizer/jinja_handlers.hpp"
#include "compress/tokenizer/utf8.hpp"

namespace tqm::compress::jinja {

namespace {

// Texts.

bool stripped(std::string_view character, const std::optional<std::string>& set) {
  if (set) {
    const auto wanted = split_characters(*set);
    return std::ranges::find(wanted, character) != wanted.end();
  }
  const CodePoint c = code_point_at(character, 0);
  return c.length != 0 && (is_white_space(c.value) || (c.value >= 0x1C && c.value <= 0x1F));
}

}  // namespace

std::string strip(const std::string& text, const std::optional<std::string>& set, bool left, bool right) {
  const auto pieces = split_characters(text);
  size_t start = 0, end = pieces.size();
  while (left && start < end && stripped(pieces[start], set)) ++start;
  while (right && end > start && stripped(pieces[end - 1], set)) --end;
  if (start == end) return {};
  const char* first = pieces[start].data();
  return {first, pieces[end - 1].data() + pieces[end - 1].size()};
}

namespace {

template <bool left, bool right>
Result<Value> strip_method(const Value& subject, const Arguments& a) {
  std::optional<std::string> set;
  if (const Value* chars = a.find(0, "chars"); chars != nullptr && chars->text() != nullptr) set = *chars->text();
  return Value(strip(subject.text() != nullptr ? *subject.text() : to_text(subject), set, left, right));
}

}  // namespace

Result<Value> strip_both(const Value& s, const Arguments& a) {
  return strip_method<true, true>(s, a);
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

namespace {

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

}  // namespace

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

namespace {

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

}  // namespace

// Dictionaries and lists.

Result<Value> dict_items(const Value& s, const Arguments&) {
  if (s.dict() == nullptr) return refused(fmt::format("items takes a mapping, not {}", s.type()));
  std::vector<Value> out;
  for (const auto& [key, value] : s.dict()->items) out.push_back(TRY(make_list({Value(key), value}, true)));
  return make_list(std::move(out));
}

namespace {

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

}  // namespace tqm::compress::jinja
